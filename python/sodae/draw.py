"""Pictures with matplotlib."""
from __future__ import annotations

import numpy as np

from ._checks import positive, whole


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
            labels = name if y.shape[1] == 1 else [f"{name}[{k + 1}]" for k in range(y.shape[1])]
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
    """Arrays (n, 2 or 3) by name: bodies of a mechanism, vectors, or pairs and triples of numbers."""
    if points is None:
        points = [c for c in results.channels if c.startswith("bodies/") and c.endswith("/position")]
        flat = [p for p in (("x", "y", "z"), ("x", "y")) if all(c in results for c in p)][:1]
        points = points or flat or [c for c in ("x", "r") if c in results and results[c].shape[1:] in ((2,), (3,))]
        if not points:
            raise ValueError("points: name the channels of the points, as [('x', 'y')] or ['tip']")
    made = {}
    for point in points:
        name = point if isinstance(point, str) else ", ".join(point)
        made[name] = results[point] if isinstance(point, str) else np.column_stack([results[c] for c in point])
        if made[name].shape[1:] not in ((2,), (3,)):
            raise ValueError(f"points: '{name}' has shape {made[name].shape[1:]}, expected 2 or 3 numbers")
    return made


def _frames(results, made, frames):
    """Axes (n, 3, 3), by columns, of the points that carry a frame."""
    from .results import as_rotation
    if frames is None:
        frames = {name: name[:-len("position")] + "quaternion" for name in made if name.endswith("/position")}
        lone = [c for c in results.channels if results[c].shape[1:] == (3, 3)]
        if len(made) == len(lone) == 1:
            frames = {next(iter(made)): lone[0]}
        frames = {name: c for name, c in frames.items() if c in results}
    unknown = set(frames) - set(made)
    if unknown:
        raise ValueError(f"frames: '{unknown.pop()}' is no point; there are {', '.join(made)}")
    return {name: as_rotation(results[c], c).as_matrix() for name, c in frames.items()}


def _canvas(everything):
    """Axes that hold all points, and the length of frames."""
    import matplotlib.pyplot as plt
    dims = everything.shape[1]
    figure = plt.figure()
    ax = figure.add_subplot(projection=None if dims == 2 else "3d")
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9) * 1.1
    for k, axis in enumerate("xyz"[:dims]):
        getattr(ax, f"set_{axis}lim")(middle[k] - half, middle[k] + half)
        getattr(ax, f"set_{axis}label")(axis)
    if dims == 2:
        ax.set_aspect("equal")
    else:  # labels of slanted axes are close together
        ax.set_box_aspect((1, 1, 1))
        ax.locator_params(nbins=4)
    return figure, ax, 0.2 * half


def animate(results, points=None, frames=None, trail=0, fps=25, speed=1.0):
    """Points and frames over time; returns a matplotlib FuncAnimation.

    points  channels: names of vectors ("bodies/rod/position") or pairs and triples of numbers (("x", "y"));
            without them all bodies of a mechanism, or x, y, z
    frames  rotations (matrices or quaternions) by the name of their point, drawn as three axes; without them those
            of the bodies
    trail   rows of the past that stay visible
    """
    from matplotlib.animation import FuncAnimation
    speed, trail = positive("speed", speed) / positive("fps", fps), whole("trail", trail, 0)
    made = _points(results, points)
    turned = _frames(results, made, frames)
    made = {name: p if p.shape[1] == 3 else np.column_stack([p, np.zeros(len(p))]) for name, p in made.items()}
    flat = not turned and all(np.ptp(p[:, 2]) == 0 for p in made.values())
    dims = 2 if flat else 3
    figure, ax, length = _canvas(np.vstack([p[:, :dims] for p in made.values()]))
    nothing = [[]] * dims
    dots = {name: ax.plot(*nothing, "o", label=name.removesuffix("/position"))[0] for name in made}
    tails = {name: ax.plot(*nothing, "-", color=dots[name].get_color(), alpha=0.4)[0] for name in made}
    axes = {name: [ax.plot(*nothing, "-", color=c)[0] for c in ("tab:red", "tab:green", "tab:blue")] for name in turned}
    if len(made) > 1:
        ax.legend(loc="upper right", fontsize="small")
    passed = np.abs(results.t - results.t[0])  # also backward in time
    times = np.arange(0, passed[-1], speed) if len(results) > 1 else passed
    rows = np.minimum(np.searchsorted(passed, times), len(results) - 1)

    def draw(line, part):
        line.set_data(part[:, 0], part[:, 1])
        if dims == 3:
            line.set_3d_properties(part[:, 2])
        return line

    def show(i):
        drawn = []
        for name, p in made.items():
            drawn += [draw(dots[name], p[i:i + 1]), draw(tails[name], p[max(0, i - trail):i + 1])]
            for k, line in enumerate(axes.get(name, ())):
                drawn.append(draw(line, np.array([p[i], p[i] + length * turned[name][i][:, k]])))
        ax.set_title(f"t = {results.t[i]:.3f}")
        return drawn

    return FuncAnimation(figure, show, frames=rows, interval=1000 / fps)
