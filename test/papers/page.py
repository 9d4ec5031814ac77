#!/usr/bin/env python3
"""The report, as a browser sees it: every picture is there and drawn, no text lies on other text, nothing
is wider than the page, tables fit 1280 pixels, the data of every picture are there, nothing is fetched,
nothing is complained about. Without Chromium only the files are looked at, and the test counts as skipped.

usage: page.py papers.html
"""
import csv
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta", "link", "br", "path", "circle"}
WIDTHS = (360, 1100, 1280)

PROBE = """<script>addEventListener('load', () => { document.fonts.ready.then(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.pictures > svg')) {
    const name = svg.getAttribute('aria-label'), box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 150) found.push(name + ': drawn too small');
    if (!svg.querySelector('path.curve, circle')) found.push(name + ': no curve');
    const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([text, a], i) => {
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.bottom > box.bottom + 2)
        found.push(name + ': "' + text + '" leaves the picture');
      texts.slice(i + 1).forEach(([other, b]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) found.push(name + ': "' + text + '" lies on "' + other + '"');
      });
    });
  }
  for (const table of document.querySelectorAll('table'))
    for (const row of table.tBodies[0].rows)
      if (row.cells.length != table.tHead.rows[0].cells.length)
        found.push(table.caption.textContent + ': a row has ' + row.cells.length + ' cells');
  if (innerWidth > 1200)
    for (const box of document.querySelectorAll('.scroll'))
      if (box.scrollWidth > box.clientWidth) found.push(box.querySelector('caption').textContent + ': a table is cut off');
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page is wider than the window');
  const out = document.createElement('pre');
  out.id = 'found';
  out.textContent = JSON.stringify({pictures: document.querySelectorAll('.pictures > svg').length, found});
  document.body.append(out);
}); });</script>"""


def look_at_data(path):
    """The numbers of a picture: curve, x, y."""
    if not path.is_file():
        return [f"{path} is missing"]
    rows = list(csv.reader(path.open(newline="")))
    good = rows[0][0] == "curve" and len(rows) > 2 and all(len(row) == 3 for row in rows)
    try:
        good = good and all(float(row[1]) == float(row[1]) for row in rows[1:])
        [float(row[2]) for row in rows[1:]]
    except ValueError:
        good = False
    return [] if good else [f"{path} has no numbers of curves"]


class Balance(html.parser.HTMLParser):
    """Open tags are closed, and nothing is loaded from elsewhere."""

    def __init__(self, folder):
        super().__init__()
        self.open, self.wrong, self.folder, self.data = [], [], folder, 0

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if tag == "a" and (value or "").startswith("data/"):
                self.data += 1
                self.wrong += look_at_data(self.folder / value)
            elif name in ("src", "href") and not (value or "").startswith(("#", "data:")):
                self.wrong.append(f"<{tag} {name}={value}> is not in the page")
            if name == "class" and value == "fails":
                self.wrong.append("a claim fails")

    def handle_startendtag(self, tag, attrs):
        """<path .../>: nothing is left open."""

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at line {self.getpos()[0]} closes nothing")


def look(browser, text, width):
    """What the probe finds in a window of this width, and what the console says."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(text.replace("</body>", PROBE + "</body>"))
        run = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
             "--enable-logging=stderr", f"--window-size={width},900", "--virtual-time-budget=10000",
             "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=200)
    found = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.DOTALL)
    if not found:
        return [f"the browser did not show the page: {run.stderr[-400:]}"]
    answer = json.loads(html.unescape(found.group(1)))
    wrong = [f"{width} px: {what}" for what in answer["found"]]
    wrong += [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    if answer["pictures"] != text.count("<svg viewBox"):
        wrong.append(f"{answer['pictures']} pictures of {text.count('<svg viewBox')} are there")
    return wrong


def main(path):
    text = pathlib.Path(path).read_text()
    balance = Balance(pathlib.Path(path).parent)
    balance.feed(text)
    wrong = balance.wrong + [f"<{tag}> is never closed" for tag in balance.open]
    if balance.data != text.count("<svg viewBox"):
        wrong.append(f"{balance.data} files with data of {text.count('<svg viewBox')} pictures")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    for width in WIDTHS if browser else ():
        wrong += look(browser, text, width)
    for what in wrong[:40]:
        print(what)
    if not wrong and not browser:
        print("skipped: chromium is not installed; the file itself is sound")
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
