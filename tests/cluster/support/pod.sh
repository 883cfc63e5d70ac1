#!/usr/bin/env bash
# pod.sh FOLDER PROGRAM ARGUMENT...: runs a program with FOLDER/certs at /certs, FOLDER/sds at /sds and FOLDER/hosts as
# /etc/hosts, as volumes of a pod would be, in a mount namespace of its own. The rest of the file system is as outside.
set -euo pipefail
if [ "${1:-}" != inside ]; then exec unshare -m "$0" inside "$@"; fi
folder=$2
shift 2
root=$folder/root
mkdir -p "$folder"/{certs,sds,root}
mount --make-rprivate /
mount -t tmpfs none "$root"
for entry in /* /.[!.]*; do
  if [ -L "$entry" ]; then
    cp -P "$entry" "$root$entry"
  elif [ -d "$entry" ]; then
    mkdir -p "$root$entry"
    case $entry in /certs | /sds) ;; *) mount --rbind "$entry" "$root$entry" ;; esac
  fi
done
mkdir -p "$root"/{certs,sds}
mount --bind "$folder/certs" "$root/certs"
mount --bind "$folder/sds" "$root/sds"
mount --bind "$folder/hosts" "$root/etc/hosts"
exec chroot "$root" "$@"
