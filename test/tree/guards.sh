#!/bin/sh
# Each guard is fed with the fault that it is there for.
# usage: guards.sh TOOLS PYTHON CC LIBRARY.so
set -eu
tools=$1 python=$2 cc=$3 library=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

must_fail() {
    what=$1
    shift
    if "$@" > "$work/said" 2>&1; then
        echo "not caught: $what"
        exit 1
    fi
}

layers() {
    rm -rf "$work/src"
    mkdir -p "$work/src/$(dirname "$1")"
    cat > "$work/src/$1"
    "$python" "$tools/layers.py" "$work"
}

echo '#include "base/vec.h"' | layers linear/good.c
echo '#include "method/method.h"' | must_fail "linear knows method" layers linear/bad.c
echo '#include "model/model.h"' | must_fail "integrator knows model" layers integrator/bad.c
echo '#include "method/bdf.h"' | must_fail "a method knows another" layers method/alpha.c
echo '#include "vec.h"' | must_fail "an include without its folder" layers base/bad.c
yes '' | head -601 | must_fail "a file of 601 lines" layers base/long.c

object() {
    printf '%s\n' "$1" > "$work/$2.c"
    "$cc" -fPIC -c "$work/$2.c" -o "$work/$2.o"
}
# Two files of base, the second of which calls the first one, or does not.
cycle() {
    rm -rf "$work/src" "$work/objects"
    mkdir -p "$work/src/base" "$work/objects/CMakeFiles/sodae_objects.dir/src/base"
    echo 'void b(void); void a(void); void a(void) { b(); }' > "$work/src/base/a.c"
    echo "void a(void); void b(void); void b(void) { $1 }" > "$work/src/base/b.c"
    for file in a b; do
        "$cc" -c "$work/src/base/$file.c" -o "$work/objects/CMakeFiles/sodae_objects.dir/src/base/$file.c.o"
    done
}
layers_of_objects() {
    "$python" "$tools/layers.py" "$work" "$work/objects"
}
cycle 'a();'
must_fail "a call cycle" layers_of_objects
grep -q 'base: a call cycle: a b' "$work/said"
cycle ''
layers_of_objects

object 'extern const char *const names[]; const char *const names[] = {"a", "b"};' table
sh "$tools/symbols.sh" "$library" "$work/table.o"
object 'int counter(void); int counter(void) { static int n; return n++; }' bss
must_fail "a counter in .bss" sh "$tools/symbols.sh" "$library" "$work/bss.o"
object 'int n = 3;' data
must_fail "a global in .data" sh "$tools/symbols.sh" "$library" "$work/data.o"
object 'void sodae_create(void) {} void helper(void) {}' export
"$cc" -shared "$work/export.o" -o "$work/export.so"
must_fail "an export without prefix" sh "$tools/symbols.sh" "$work/export.so" "$work/table.o"
