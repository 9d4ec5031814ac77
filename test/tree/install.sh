#!/bin/sh
# Installs into a temporary place and builds a program against it, by CMake and by pkg-config; manual, examples, schema.
# usage: install.sh BUILD CMAKE CC PROGRAM-FOLDER
set -eu
build=$1 cmake=$2 cc=$3 program=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

"$cmake" --install "$build" --prefix "$prefix" > "$work/log"
libdir=$(dirname "$(find "$prefix" -name libsodae.so)")

"$cmake" -S "$program" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" > "$work/log"
"$cmake" --build "$work/by-cmake" > "$work/log"
"$work/by-cmake/installed"
"$work/by-cmake/static"
if ldd "$work/by-cmake/static" | grep -q libsodae; then
    echo "the static program needs the shared library"
    exit 1
fi

export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046  # flags are meant to be split
"$cc" -std=c17 "$program/main.c" $(pkg-config --cflags --libs sodae) -lm -o "$work/by-pkg-config"
LD_LIBRARY_PATH="$libdir" "$work/by-pkg-config"

"$prefix/bin/sodae" --version
share=$prefix/share
test -s "$share/man/man1/sodae.1" -a -s "$share/bash-completion/completions/sodae" -a -s "$share/zsh/site-functions/_sodae"
test -s "$share/doc/sodae/results.md"
"$prefix/bin/sodae" schema | cmp - "$share/sodae/model.schema.json"
"$prefix/bin/sodae" run "$share/sodae/examples/half-car.yaml" --quiet
