#!/usr/bin/env bash
# pod.sh FOLDER PROGRAM ARGUMENT...: runs a program as in a pod, in namespaces of its own. FOLDER/certs is at /certs,
# FOLDER/sds at /sds, FOLDER/serviceaccount where pods have their token, FOLDER/hosts is /etc/hosts, FOLDER/authorities (if
# it is there) the certificate authorities that the system trusts; the rest of the file system is as outside. The host name
# is POD_NAME.
set -euo pipefail
if [ "${1:-}" != inside ]; then exec unshare --mount --uts "$0" inside "$@"; fi
folder=$2
shift 2
hostname "${POD_NAME:-pod}"

root=$folder/root
mkdir -p "$folder"/{certs,sds,serviceaccount,root}
mount --make-rprivate /
mount -t tmpfs none "$root"
for entry in /* /.[!.]*; do
  if [ -L "$entry" ]; then
    cp -P "$entry" "$root$entry"
  elif [ -d "$entry" ]; then
    mkdir -p "$root$entry"
    case $entry in /certs | /sds | /run) ;; *) mount --rbind "$entry" "$root$entry" ;; esac
  fi
done

account=$root/run/secrets/kubernetes.io/serviceaccount # /var/run is a link to /run
mkdir -p "$root"/{certs,sds} "$account"
mount --bind "$folder/certs" "$root/certs"
mount --bind "$folder/sds" "$root/sds"
mount --bind "$folder/serviceaccount" "$account"
mount --bind "$folder/hosts" "$root/etc/hosts"
if [ -f "$folder/authorities" ]; then mount --bind "$folder/authorities" "$root/etc/ssl/certs/ca-certificates.crt"; fi
exec chroot "$root" "$@"
