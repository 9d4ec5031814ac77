#!/bin/sh
# Fuzzes the model files: run.sh BUILD_DIR [SECONDS] (60 by default). Finds go to BUILD_DIR/found.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
seconds=${2:-60}
mkdir -p "$build/grown" "$build/found"
if [ ! -x "$build/fuzz_model" ] || [ -n "$(find "$root/src" "$root/include" "$root/test/fuzz" \
        -name '*.[ch]' -newer "$build/fuzz_model" | head -1)" ]; then
    clang-14 -std=c17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -ffp-contract=off -D_POSIX_C_SOURCE=200809L -I"$root/include" -I"$root/src" "$root"/src/*/*.c \
        "$root/test/fuzz/target.c" -I/usr/include/suitesparse -lyaml -lklu -lldl -lamd -llapack -ldl -lm -o "$build/fuzz_model"
fi
exec "$build/fuzz_model" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=8192 \
    -dict="$root/test/fuzz/words.dict" -artifact_prefix="$build/found/" \
    "$build/grown" "$root/test/fuzz/corpus" "$root/examples"
