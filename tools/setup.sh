#!/bin/sh
# Installs the Debian packages of tools/packages.txt that are missing; does nothing if none is.
set -eu
here=$(dirname "$0")

missing=
for package in $(grep -v '^#' "$here/packages.txt"); do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086  # the list is meant to be split
$as_root apt-get install -q -y --no-install-recommends $missing
