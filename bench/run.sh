#!/bin/sh
# All measurements into a folder: CSV as measured, tables in Markdown.
#   run.sh BUILD OUT
set -eu
export OPENBLAS_NUM_THREADS=1
build=$1/bench
out=$2
here=$(dirname "$0")
mkdir -p "$out"

"$build/work_precision" > "$out/work-precision.csv"
python3 "$here/table.py" "$out/work-precision.csv" > "$out/work-precision.md"
"$build/proportional" > "$out/proportional.csv"
"$build/proportional" --only "" --seconds 3 > "$out/proportional-all.csv"
python3 "$here/proportional.py" "$out/proportional.csv" > "$out/proportional.md"
python3 "$here/proportional.py" "$out/proportional-all.csv" > "$out/proportional-all.md"
"$build/fekete" "$here/../examples/fekete.yaml" > "$out/fekete.csv"
"$build/evaluation" "$here/two-link.yaml" "$here/../examples/andrews.yaml" > "$out/evaluation.txt"
{
    for formulation in index3 stabilized soi2; do
        printf 'heavy-top %s: ' "$formulation"
        "$build/steps" heavy-top 1e-4 10000 "$formulation"
    done
    for n in 10 20 50; do
        printf 'chain of %s, index3: ' "$n"
        "$build/steps" chain 1e-3 500 index3 n="$n"
    done
} > "$out/steps.txt"
echo "results in $out/"
