#!/usr/bin/env bash
# Publishes npm packages, given as the files of `npm pack`, under the tag $TAG. Skips the versions that the registry has,
# so that a release that broke off can be run again.
set -euo pipefail
for package in "$@"; do
  version=$(tar -xzOf "$package" package/package.json | jq -r '"\(.name)@\(.version)"')
  # Without the version, npm fails or says nothing.
  if [ -n "$(npm view "$version" version 2> /dev/null || true)" ]; then
    echo "$version is published already."
  else
    npm publish "$(realpath "$package")" --access public --tag "$TAG"
  fi
done
