"""Pictures with two logarithmic axes as SVG: lines with markers, names at the right, a grid at powers of ten."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 750, 400, 64, 165, 34, 46
INK, FAINT = "#333333", "#dddddd"
SHAPES = {
    "circle": '<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{c}"/>',
    "square": '<rect x="{l:.1f}" y="{t:.1f}" width="7" height="7" fill="{c}"/>',
    "open": '<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="white" stroke="{c}" stroke-width="1.5"/>',
}


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def label(power):
    return f'10<tspan dy="-5" font-size="9">{power}</tspan>'


class Axis:
    def __init__(self, values, begin, end):
        self.low, self.high = decades(values)
        self.begin, self.end = begin, end

    def at(self, value):
        return self.begin + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def powers(self):
        step = -(-(self.high - self.low) // 8)
        return range(self.low, self.high + 1, step)


def frame(x, y, title, across, up):
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{title}</text>',
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{across}</text>',
             f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">{up}</text>']
    for k in x.powers():
        at = x.at(10.0 ** k)
        parts.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="{FAINT}"/>'
                     f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{label(k)}</text>')
    for k in y.powers():
        at = y.at(10.0 ** k)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="{FAINT}"/>'
                     f'<text x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{label(k)}</text>')
    return parts


def line(points, style, x, y):
    places = [(x.at(a), y.at(b)) for a, b in points]
    path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
    dashes = ' stroke-dasharray="5 4"' if style.get("dashed") else ""
    shape = SHAPES[style.get("shape", "circle")]
    return [f'<path d="{path}" fill="none" stroke="{style["colour"]}" stroke-width="{style.get("width", 1.6)}"{dashes}/>',
            *(shape.format(x=a, y=b, l=a - 3.5, t=b - 3.5, c=style["colour"]) for a, b in places)]


def legend(names, styles):
    parts = []
    for i, name in enumerate(names):
        style, at = styles[name], TOP + 10 + 19 * i
        dashes = ' stroke-dasharray="5 4"' if style.get("dashed") else ""
        parts += [f'<path d="M{WIDTH - RIGHT + 12} {at}h26" stroke="{style["colour"]}" '
                  f'stroke-width="{style.get("width", 1.6)}"{dashes}/>',
                  SHAPES[style.get("shape", "circle")].format(x=WIDTH - RIGHT + 25, y=at, l=WIDTH - RIGHT + 21.5,
                                                              t=at - 3.5, c=style["colour"]),
                  f'<text x="{WIDTH - RIGHT + 44}" y="{at + 4}">{name}</text>']
    return parts


def draw(path, title, across, up, series, styles, guides=()):
    """series: {name: [(x, y), ...]} with positive numbers. guides: lines without markers, [((x, y), (x, y)), ...]."""
    series = {name: sorted(points) for name, points in series.items() if points}
    every = [p for points in series.values() for p in points]
    if not every:
        return False
    x = Axis([a for a, _ in every], LEFT, WIDTH - RIGHT)
    y = Axis([b for _, b in every], HEIGHT - BOTTOM, TOP)
    parts = frame(x, y, title, across, up)
    for (a, b), (c, d) in guides:
        parts.append(f'<path d="M{x.at(a):.1f} {y.at(b):.1f}L{x.at(c):.1f} {y.at(d):.1f}" stroke="{INK}" '
                     'stroke-dasharray="2 3"/>')
    for name, points in series.items():
        parts += line(points, styles[name], x, y)
    parts += legend(list(series), styles)
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                    f'height="{HEIGHT}" font-family="sans-serif" font-size="12" fill="{INK}">\n'
                    + "\n".join(parts) + "\n</svg>\n")
    return True
