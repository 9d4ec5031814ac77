# Boundaries of stability regions, one curve for each order or number of stages.
#   sodae analyse --method bdf --out out/bdf.csv
#   gnuplot -e "csv='out/bdf.csv'; png='out/bdf.png'" tools/plot-stability.gp
set terminal pngcairo size 800,800 font "sans,11"
set output png
set datafile separator ","
set grid lc rgb "#dddddd"
set size ratio -1
set xlabel "Re h{/Symbol l}"
set ylabel "Im h{/Symbol l}"
set zeroaxis lw 1 lc rgb "#888888"
set key outside
plot for [k=1:6] csv every ::1 using ($2 == k ? $3 : NaN):4 with lines lw 2 title sprintf("%d", k)
