#!/usr/bin/env bash
# Publishes the npm packages given as arguments (files made by `npm pack`) under the tag $TAG. Versions that the registry
# already has are skipped, so that an interrupted release can be repeated.
set -euo pipefail
for package in "$@"; do
  version=$(tar -xzOf "$package" package/package.json | jq -r '"\(.name)@\(.version)"')
  # If the registry lacks the version, npm fails or prints nothing.
  if [ -n "$(npm view "$version" version 2> /dev/null || true)" ]; then
    echo "$version is published already."
  else
    npm publish "$(realpath "$package")" --access public --tag "$TAG"
  fi
done
