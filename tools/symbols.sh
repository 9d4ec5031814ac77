#!/bin/sh
# No writable globals in the object files, nothing but sodae_* in the shared library.
# usage: symbols.sh LIBRARY.so OBJECT...
set -eu
library=$1
shift

# Sections, not letters: const tables of pointers are relocated and look writable to nm.
writable=$(objdump -t "$@" | awk '/ O \.(data|bss)[ \t.]/ && !/\.data\.rel\.ro/ { print $NF }')
if [ -n "$writable" ]; then
    echo "writable globals:" $writable
    exit 1
fi

foreign=$(nm -D --defined-only "$library" | awk 'NF == 3 && $3 !~ /^sodae_/ { print $3 }')
if [ -n "$foreign" ]; then
    echo "exported without the prefix sodae_:" $foreign
    exit 1
fi
if ! nm -D --defined-only "$library" | grep -q ' sodae_create$'; then
    echo "sodae_create is not exported by $library"
    exit 1
fi
echo "symbols: no writable globals, only sodae_* exported"
