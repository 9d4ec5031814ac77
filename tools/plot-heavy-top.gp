# Heavy top: the path of the centre of mass and its reaction force.
#   gnuplot -e "csv='out/heavy-top.csv'; png='out/heavy-top.png'" tools/plot-heavy-top.gp
set terminal pngcairo size 1200,520 font "sans,11"
set output png
set datafile separator ","
set key autotitle columnhead
set grid lc rgb "#dddddd"
set multiplot layout 1,2 title "Heavy top, rotating with 150 rad/s"

set title "centre of mass"
set xlabel "x_1 [m]"
set ylabel "x_2 [m]"
set zlabel "x_3 [m]" rotate offset 1
set xtics 0.5
set ytics 0.5
set ztics 0.25
set ticslevel 0
set view 62, 40
splot csv using "q1":"q2":"q3" with lines lw 2 lc rgb "#1f6f8b" notitle

set title "reaction force"
set xtics 0.2
set ytics autofreq
set xlabel "t [s]"
set ylabel "{/Symbol l} [N]"
set key bottom left
plot csv using "t":"lambda1" with lines lw 2 lc rgb "#1f6f8b" title "{/Symbol l}_1", \
     csv using "t":"lambda2" with lines lw 2 lc rgb "#d1495b" title "{/Symbol l}_2", \
     csv using "t":"lambda3" with lines lw 2 lc rgb "#edae49" title "{/Symbol l}_3"
unset multiplot
