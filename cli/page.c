#include "cli/picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made from third_party/uplot at build time. */
extern const char uplot_script[], uplot_style[];

static const char *const colours[] = {"#1f6f8b", "#d1495b", "#edae49", "#3a7d44",
                                      "#6a4c93", "#8d5524", "#e377c2", "#555555"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

const char *picture_colour(int k) {
    return colours[k % COLOURS];
}

int picture_dash(int k) {
    return k / COLOURS;
}

static void put_text(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '<')
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, to);
    }
    fputc('"', to);
}

static void put_name(FILE *to, const channel *c) {
    char text[300];
    snprintf(text, sizeof text, "%s%s%s%s", c->name, *c->unit ? " [" : "", c->unit,
             *c->unit ? "]" : "");
    put_text(to, text);
}

static void put_numbers(FILE *to, const picture *p, const long *order, int of, int log) {
    fputc('[', to);
    for (long i = 0; i < p->table.rows; i++) {
        double y = p->table.column[of][order[i]];
        if (log) y = y == 0 ? NAN : fabs(y);
        if (i) fputc(',', to);
        if (isfinite(y))
            fprintf(to, "%.9g", y);
        else
            fputs("null", to);
    }
    fputs("]", to);
}

static void put_pane(FILE *to, const picture *p, const long *order, int pane) {
    int k = 0;
    fputs("{series:[", to);
    for (int i = 0; i < p->table.count; i++) {
        if (!p->chosen[i] || p->pane[i] != pane) continue;
        fputs(k ? ",[" : "[", to);
        put_name(to, &p->table.item[i]);
        fprintf(to, ",\"%s\",%d]", picture_colour(k), picture_dash(k));
        k++;
    }
    fputs("],data:[", to);
    put_numbers(to, p, order, p->x, 0);
    for (int i = 0; i < p->table.count; i++) {
        if (!p->chosen[i] || p->pane[i] != pane) continue;
        fputc(',', to);
        put_numbers(to, p, order, i, p->log);
    }
    fputs("]}", to);
}

/* `along` joins the points in the order of the rows: a curve over a channel may turn back. */
static const char script[] =
    "const along=(u,i)=>{const p=new Path2D();let down=false;for(const k of rows){"
    "const y=u.data[i][k];if(y===null){down=false;continue;}"
    "const a=u.valToPos(u.data[0][k],'x',true),b=u.valToPos(y,'y',true);"
    "if(down)p.lineTo(a,b);else p.moveTo(a,b);down=true;}"
    "return{stroke:p,fill:null,clip:null,band:null,gaps:null,flags:0};};"
    "const width=()=>Math.max(320,document.body.clientWidth-24),cursor={sync:{key:'t'}};"
    "const plots=panes.map((pane,i)=>{"
    "const units=pane.series.map(s=>(s[0].match(/ (\\[[^\\]]*\\])$/)||['',''])[1]);"
    "const axes=[{label:i+1===panes.length?against:''},"
    "{size:80,label:units.every(u=>u===units[0])?units[0]:''}];"
    "const series=[{label:against}].concat(pane.series.map(s=>Object.assign({label:s[0],"
    "stroke:s[1],dash:s[2]?[4*s[2]+2,4]:[],width:1.5,points:{show:false}},rows&&{paths:along})));"
    "const ticks={hooks:{drawAxes:[u=>{const c=u.ctx,b=u.bbox;c.save();c.strokeStyle='#222';"
    "c.beginPath();for(const t of events){const x=u.valToPos(t,'x',true);"
    "if(x>=b.left&&x<=b.left+b.width){c.moveTo(x,b.top+b.height);c.lineTo(x,b.top+b.height*0.95);}}"
    "c.stroke();c.restore();}]}};"
    "return new uPlot({width:width(),height:280,cursor,axes,series,plugins:[ticks],"
    "pxAlign:0,scales:{x:{time:false},y:{distr:log?3:1}}},pane.data,document.body);});"
    "addEventListener('resize',()=>plots.forEach(p=>p.setSize({width:width(),height:280})));";

/* Where each row stands among the sorted ones; over time they are sorted. */
static void put_rows(FILE *to, const picture *p, const long *order) {
    long *place = p->x ? malloc(((size_t)p->table.rows + 1) * sizeof *place) : NULL;
    for (long i = 0; place && i < p->table.rows; i++) place[order[i]] = i;
    fputs(place ? "[" : "null", to);
    for (long i = 0; place && i < p->table.rows; i++) fprintf(to, i ? ",%ld" : "%ld", place[i]);
    if (place) fputc(']', to);
    free(place);
}

static void put_page(FILE *to, const picture *p, const long *order) {
    fprintf(to,
            "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>sodae</title>\n"
            "<style>%s body{font:14px sans-serif;margin:12px;background:#fff}</style></head>\n"
            "<body><script>%s</script>\n<script>\nconst log=%d,against=",
            uplot_style, uplot_script, p->log);
    put_name(to, &p->table.item[p->x]);
    fputs(",events=[", to);
    for (long i = 0; p->x == 0 && i < p->table.nevents; i++)
        fprintf(to, "%s%.12g", i ? "," : "", p->table.event_t[i]);
    fputs("],rows=", to);
    put_rows(to, p, order);
    fputs(",panes=[", to);
    for (int i = 0; i < p->panes; i++) {
        if (i) fputs(",\n", to);
        put_pane(to, p, order, i);
    }
    fprintf(to, "];\n%s\n</script></body></html>\n", script);
}

typedef struct place {
    double x;
    long row;
} place;

static int by_x(const void *a, const void *b) {
    const place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->row > q->row) - (p->row < q->row);
}

/* uPlot wants increasing x. */
static long *sorted(const picture *p) {
    size_t n = (size_t)p->table.rows;
    place *places = malloc((n + 1) * sizeof *places);
    long *order = malloc((n + 1) * sizeof *order);
    for (size_t i = 0; places && i < n; i++) places[i] = (place){p->table.column[p->x][i], (long)i};
    if (places && p->x) qsort(places, n, sizeof *places, by_x);
    for (size_t i = 0; places && order && i < n; i++) order[i] = places[i].row;
    if (!places) {
        free(order);
        order = NULL;
    }
    free(places);
    return order;
}

cli_exit picture_page(const picture *p, cli_error *error) {
    long *order = sorted(p);
    if (!order) return cli_out_of_memory(error);
    FILE *to = fopen(p->out, "w");
    if (to) put_page(to, p, order);
    free(order);
    int bad = !to || ferror(to);
    if ((to && fclose(to)) || bad)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s",
                        p->out, strerror(errno));
    return CLI_OK;
}
