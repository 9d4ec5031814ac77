#include "papers/report.h"

#include <stdio.h>
#include <string.h>

#include <sodae/sodae.h>

typedef struct source {
    const char *paper, *title;
} source;

static const source sources[] = {
    {"000", "Jay and Negrut: extensions of the HHT-α method to differential-algebraic equations in "
            "mechanics"},
    {"001",
     "Jay: convergence of the generalized-α method for constrained systems in mechanics with "
     "nonholonomic constraints"},
    {"002", "Jay and Negrut: a second order extension of the generalized-α method for constrained "
            "systems in mechanics (SOI2)"},
    {"003", "Arnold, Brüls and Cardona: error analysis of generalized-α Lie group time integration "
            "methods for constrained mechanical systems"},
    {"004", "Wunderlich: numerical treatment of second order differential-algebraic systems"},
    {"beyond", "Beyond the papers"},
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

static const char *const style =
    "*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:70rem;"
    "margin:0 auto;padding:0 1rem 3rem}"
    "h1{font-size:1.6rem;line-height:1.25}"
    "h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 1rem;border-bottom:2px solid #1a1a1a}"
    "h3{font-size:1.05rem;margin:2.2rem 0 .6rem}p{margin:.6rem 0;max-width:62rem}a{color:#00558a}"
    "nav ul{columns:18rem;padding-left:1.1rem}nav li{break-inside:avoid}"
    "figure{margin:1rem 0}figcaption{font-size:.9rem;color:#444}"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));"
    "gap:.75rem}"
    "svg{width:100%;height:auto;font:12px system-ui,sans-serif;fill:#1a1a1a}"
    ".pictures>svg{max-width:34rem}"
    "svg path{fill:none;stroke-width:1.2}svg path.curve{stroke-width:1.5;stroke-linejoin:round}"
    "svg .axis{stroke:#1a1a1a;stroke-width:1}svg .grid{stroke:#ddd;stroke-width:.7}"
    "svg .slope{stroke:#1a1a1a;fill:#f2f2f2}"
    ".side{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 "
    "1.5rem}"
    ".side>*{min-width:0}"
    ".scroll{overflow-x:auto;margin:1rem 0}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}"
    "caption{text-align:left;font-size:.9rem;color:#444;padding:.2rem 0}"
    "sub,sup{line-height:0}th,td{padding:.15rem .4rem;border-bottom:1px solid "
    "#ddd;text-align:right;white-space:nowrap}"
    "th{border-bottom:1.5px solid #1a1a1a;text-align:right}"
    "th:first-child,td:first-child{text-align:left}"
    ".holds,.fails{font-size:.92rem;margin:.2rem 0;padding-left:.6rem;border-left:4px solid "
    "#009e73}"
    ".fails{border-color:#b00020;background:#fff0f0}.holds b{color:#00694c}.fails b{color:#b00020}"
    ".misprint{font-size:.92rem;border:1px solid #c9a400;background:#fffbe8;padding:.4rem .8rem;"
    "display:grid;grid-template-columns:auto 1fr;gap:.1rem .8rem;margin:1rem 0}"
    ".misprint dt{font-weight:600}.misprint dd{margin:0;min-width:0;overflow-wrap:anywhere}"
    "details{font-size:.88rem;margin:.4rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;"
    "margin:.3rem 0;background:#f5f5f5;padding:.4rem .6rem}"
    "@media print{body{max-width:none;font-size:10.5pt;padding:0}nav{display:none}"
    "figure,.misprint,tr{break-inside:avoid}h2,h3,h3+p{break-after:avoid}.scroll{overflow:visible}"
    ".side{display:block}.pictures{grid-template-columns:1fr "
    "1fr}a{color:inherit;text-decoration:none}}";

static const char *title_of(const char *paper) {
    for (int i = 0; i < SOURCES; i++)
        if (!strcmp(sources[i].paper, paper)) return sources[i].title;
    return "";
}

static int wanted(const experiment *e, const char *only) {
    if (!only) return 1;
    char name[80];
    snprintf(name, sizeof name, "%s %s", e->paper, e->what);
    return !strncmp(name, only, strlen(only));
}

static void run_one(report *r, const experiment *e, int number) {
    page part = {0};
    char words[80];
    snprintf(words, sizeof words, "%s %s", e->paper, e->what);
    page_name(&part, words);
    e->run(&part);
    page_add(&r->contents, "<li><a href='#e%d'>%s%s</a></li>\n", number, e->what,
             part.failed ? " (fails)" : "");
    page_add(&r->body, "<section id=e%d><h3>%s. %s</h3>\n", number, e->what, e->title);
    page_append(&r->body, &part);
    page_take_files(&r->body, &part);
    page_add(&r->body, "</section>\n");
    if (part.failed && !r->failed)
        snprintf(r->complaint, sizeof r->complaint, "%s %s: %s", e->paper, e->what, part.complaint);
    r->experiments++;
    r->claims += part.claims;
    r->failed += part.failed;
    r->body.claims = part.claims;
    r->body.failed = part.failed;
    page_free(&part);
}

void report_run(report *r, const char *only, void (*finished)(const experiment *e, const page *p)) {
    const experiment *e;
    const char *paper = "";
    *r = (report){0};
    for (int i = 0; (e = experiment_at(i)); i++) {
        if (!wanted(e, only)) continue;
        if (strcmp(paper, e->paper) != 0) {
            int beyond = !strcmp(e->paper, "beyond");
            if (*paper) page_add(&r->contents, "</ul>\n");
            paper = e->paper;
            page_add(&r->contents, "<p>%s%s</p><ul>\n", beyond ? "Beyond the papers" : "Paper ",
                     beyond ? "" : paper);
            page_add(&r->body, "<h2>%s%s%s</h2>\n", beyond ? "" : paper, beyond ? "" : ": ",
                     title_of(paper));
        }
        run_one(r, e, i);
        if (finished) finished(e, &r->body);
    }
    if (*paper) page_add(&r->contents, "</ul>\n");
}

void report_free(report *r) {
    page_free(&r->body);
    page_free(&r->contents);
}

void report_page(const report *r, page *p) {
    page_add(p,
             "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
             "<meta name=viewport content='width=device-width,initial-scale=1'>"
             "<link rel=icon href='data:,'><title>sodae: the papers, reproduced</title>"
             "<style>%s</style></head>\n<body>\n",
             style);
    page_add(p, "<h1>The numerical experiments of five papers, run by sodae %s</h1>\n",
             sodae_version());
    page_say(p,
             "Each section is one experiment: what the paper shows, what sodae finds, and claims "
             "that were checked when this page was written. <b>%d of %d claims hold</b> in %d "
             "experiments.",
             r->claims - r->failed, r->claims, r->experiments);
    page_say(p, "Errors are 2-norms against exact or reference solutions (15 digits). Positions of "
                "rotations are compared by the logarithm. Where the paper has a picture without "
                "numbers, the claim is what its caption or text states. Yellow boxes show where a "
                "paper is misprinted. The data of each picture are links below it.");
    page_add(p, "<nav>");
    page_append(p, &r->contents);
    page_add(p, "</nav>\n");
    page_append(p, &r->body);
    page_add(p, "</body></html>\n");
}
