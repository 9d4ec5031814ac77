"""Pictures with matplotlib."""
from __future__ import annotations

import numpy as np


def _label(results, name):
    unit = results.unit(name)
    return f"{name} [{unit}]" if unit else name


def plot(results, names, against="t", axes=None, log=""):
    """Channels over `against`, those of one unit in one pane."""
    import matplotlib.pyplot as plt
    panes: dict = {}
    for name in names:
        panes.setdefault(results.unit(name) or name, []).append(name)
    if axes is None:
        _, axes = plt.subplots(len(panes), 1, sharex=True, squeeze=False, layout="constrained",
                               figsize=(7, 1.2 + 2.2 * len(panes)))
        axes = axes[:, 0]
    axes = np.atleast_1d(axes)
    if len(axes) < len(panes):
        raise ValueError(f"axes: {len(panes)} panes are needed, {len(axes)} are given")
    x = results[against]
    for ax, members in zip(axes, panes.values()):
        for name in members:
            y = results[name].reshape(len(results), -1)
            labels = [name] if y.shape[1] == 1 else [f"{name}[{k + 1}]" for k in range(y.shape[1])]
            ax.plot(x, y, label=labels)
        unit = results.unit(members[0])
        ax.set_ylabel(_label(results, members[0]) if len(members) == 1 else f"[{unit}]" if unit else "")
        if len(members) > 1 or y.shape[1] > 1:
            ax.legend(loc="best", fontsize="small")
        ax.grid(alpha=0.3)
        for t, *_ in results.events if against == "t" else ():
            ax.axvline(t, ymax=0.04, color="0.3", linewidth=1)
        ax.set_xscale("log" if "x" in log else "linear")
        ax.set_yscale("log" if "y" in log else "linear")
    axes[len(panes) - 1].set_xlabel(_label(results, against))
    return axes


def _points(results, points):
    """Arrays (n, 2 or 3) by name: bodies of a mechanism, or pairs and triples of channels."""
    if points is None:
        names = [c for c in results.channels if c.startswith("bodies/") and c.endswith("/position")]
        if names:
            return {name.split("/")[1]: results[name] for name in names}
        points = [p for p in (("x", "y", "z"), ("x", "y")) if all(c in results for c in p)][:1]
        if not points:
            raise ValueError("points: name the channels of the points, as [('x', 'y')]")
    made = {}
    for point in points:
        if isinstance(point, str):
            made[point] = results[point]
        else:
            made[", ".join(point)] = np.column_stack([results[c] for c in point])
    return made


def animate(results, points=None, trail=0, fps=25, speed=1.0):
    """Points (and frames of bodies in space) over time; returns a matplotlib FuncAnimation.

    points  channels: names of vectors ("bodies/rod/position") or pairs and triples of numbers (("x", "y"));
            without them all bodies of a mechanism, or x, y, z
    trail   rows of the past that stay visible
    """
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
    made = _points(results, points)
    flat = all(p.shape[1] == 2 or np.ptp(p[:, 2]) == 0 for p in made.values())
    dims = 2 if flat else 3
    figure = plt.figure()
    ax = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    everything = np.vstack([p[:, :dims] for p in made.values()])
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9) * 1.1
    for k, axis in enumerate("xyz"[:dims]):
        getattr(ax, f"set_{axis}lim")(middle[k] - half, middle[k] + half)
        getattr(ax, f"set_{axis}label")(axis)
    ax.set_aspect("equal") if flat else ax.set_box_aspect((1, 1, 1))
    dots = {name: ax.plot(*[[v] for v in p[0, :dims]], "o", label=name)[0] for name, p in made.items()}
    tails = {name: ax.plot([], [], *([[]] if dims == 3 else []), "-", color=dots[name].get_color(), alpha=0.4)[0]
             for name in made}
    if len(made) > 1:
        ax.legend(loc="upper right", fontsize="small")
    frames = np.arange(results.t[0], results.t[-1], speed / fps) if len(results) > 1 else results.t
    rows = np.minimum(np.searchsorted(results.t, frames), len(results) - 1)

    def show(i):
        for name, p in made.items():
            for line, part in ((dots[name], p[i:i + 1, :dims]), (tails[name], p[max(0, i - trail):i + 1, :dims])):
                line.set_data(part[:, 0], part[:, 1])
                if dims == 3:
                    line.set_3d_properties(part[:, 2])
        ax.set_title(f"t = {results.t[i]:.3f}")
        return [*dots.values(), *tails.values()]

    return FuncAnimation(figure, show, frames=rows, interval=1000 / fps)
