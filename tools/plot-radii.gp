# Where the largest root, or |R|, is at most 1: shaded inside, its boundary in black.
#   sodae analyse --method dc --out out/dc.csv
#   gnuplot -e "csv='out/dc.csv'; png='out/dc.png'" tools/plot-radii.gp
set terminal pngcairo size 800,800 font "sans,11"
set output png
set datafile separator ","
set size ratio -1
set xlabel "Re z"
set ylabel "Im z"
set palette defined (0 "#00558a", 1 "#e8f1f7", 1 "#ffffff", 2 "#ffffff")
set cbrange [0:2]
unset colorbox
unset key
plot csv every ::1 using 1:2:($3 > 2 ? 2 : $3) with image
