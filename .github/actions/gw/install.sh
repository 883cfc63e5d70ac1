#!/usr/bin/env bash
# Downloads the executable for this runner from $RELEASE, checks its SHA-256, and puts it into the path as gw.
set -euo pipefail
cpu=$(tr '[:upper:]' '[:lower:]' <<< "$RUNNER_ARCH")
case "$RUNNER_OS" in
  Linux) name=gw-linux-$cpu file=gw ;;
  macOS) name=gw-macos-$cpu file=gw ;;
  Windows) name=gw-windows-$cpu.exe file=gw.exe ;;
  *) echo "::error::There is no executable of gw for $RUNNER_OS."; exit 1 ;;
esac
# Takes files over HTTPS, or from this machine; redirects stay on HTTPS.
download() {
  curl -fsSL --proto '=https,file' --proto-redir '=https' --retry 3 "$@"
}
bin=$RUNNER_TEMP/gw-bin
mkdir -p "$bin"
download -o "$bin/$file" "$RELEASE/$name"
# If SHA256SUMS can't be downloaded, the comparison below fails, and removes the executable.
wanted=${SHA256:-$(download "$RELEASE/SHA256SUMS" | awk -v name="$name" '$2 == name { print $1 }' || true)}
# PowerShell's Get-FileHash writes checksums in upper case.
wanted=$(tr '[:upper:]' '[:lower:]' <<< "$wanted")
found=$({ sha256sum "$bin/$file" 2>/dev/null || shasum -a 256 "$bin/$file"; } | cut -c 1-64)
if [ "$found" != "$wanted" ]; then
  rm "$bin/$file"
  echo "::error::The SHA-256 of $RELEASE/$name is $found instead of ${wanted:-one in SHA256SUMS}."
  exit 1
fi
chmod +x "$bin/$file"
echo "$bin" >> "$GITHUB_PATH"
