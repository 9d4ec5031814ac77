"""Work and precision: reads the CSV of `compare`, finds the cost of reaching an error."""
import csv
import math

ERRORS = (1e-3, 1e-5, 1e-7)


def read(paths):
    """{problem: {solver: [row, ...]}}; rows have numbers where they are numbers."""
    runs = {}
    for path in paths:
        with open(path) as f:
            for row in csv.DictReader(f):
                for key, text in row.items():
                    try:
                        row[key] = float(text)
                    except ValueError:
                        pass
                runs.setdefault(row["problem"], {}).setdefault(row["solver"], []).append(row)
    return runs


def cost_at(rows, error, cost="seconds", of="err_q"):
    """Least cost of an error: of runs that are better, or between two runs that bracket it (log-log). Returns (cost, bound):
    bound is True where already the loosest run is better, so that the cost is at most this. (None, False): not reached."""
    points = [(r[of], r[cost]) for r in rows if r["status"] == "ok" and r.get(cost) and r[of] > 0]
    reached = [c for e, c in points if e <= error]
    if not reached:
        return None, False
    best = min(reached)
    for e0, c0 in points:
        for e1, c1 in points:
            if e0 > error >= e1 and c1 > c0:
                part = math.log(e0 / error) / math.log(e0 / e1)
                best = min(best, c0 * (c1 / c0) ** part)
    return best, all(e <= error for e, _ in points)


def ratio(solvers, ours, theirs, error, cost="seconds", of="err_q"):
    """cost of ours / cost of theirs, with "<" where ours is an upper bound, ">" where theirs is; None where one is missing."""
    a, above = cost_at(solvers.get(ours, []), error, cost, of)
    b, below = cost_at(solvers.get(theirs, []), error, cost, of)
    if a is None or b is None:
        return None, ""
    return a / b, ("<" if above else "") + (">" if below else "")


def number(x, sign=""):
    return "–" if x is None else sign + ("%.2g" % x if x < 99.5 else "%.0f" % x)
