"""What solve returns, and what can be done with it."""
import numpy as np
import pytest

import sodae


def test_rows_are_at_the_times_asked_for(pendulum):
    times = np.linspace(0, 1, 11)
    sol = pendulum.solve(1, rtol=1e-9, t_eval=times)
    assert np.array_equal(sol.t, times)
    every = pendulum.solve(1, rtol=1e-9, output_step=0.1)
    assert np.abs(every.q - sol.q).max() == 0
    assert len(pendulum.solve(1, rtol=1e-9)) == pendulum.solve(1, rtol=1e-9).stats["steps"] + 1


def test_runs_go_backward_in_time(pendulum):
    there = pendulum.solve(1, rtol=1e-10)
    back = pendulum.solve(0, rtol=1e-10, initial={"t": 1, "q": there.q[-1], "v": there.v[-1]}, t_eval=[1, 0.5, 0])
    assert list(back.t) == [1, 0.5, 0] and back.q[-1] == pytest.approx([1, 0], abs=1e-7)
    assert np.abs(back([0.25, 0.75]) - there([0.25, 0.75])).max() < 1e-7
    rows = pendulum.solve(-1, rtol=1e-10, output_step=0.25)
    assert list(rows.t) == [0, -0.25, -0.5, -0.75, -1]
    with pytest.raises(ValueError, match="t_eval is not decreasing"):
        pendulum.solve(-1, t_eval=[-0.5, -0.25])


def test_times_of_the_file_are_among_the_steps(root):
    m = sodae.load(root / "examples/mechanisms/andrews.yaml")
    times = list(m.solve(0.02).t)
    assert 0.01 in times and times[-1] == 0.02
    assert [s.t for s in m.steps(0.02)] == times[1:]


def test_dense_output_follows_the_rows(pendulum):
    sol = pendulum.solve(1, rtol=1e-9)
    times = np.linspace(0, 1, 41)
    rows = pendulum.solve(1, rtol=1e-9, t_eval=times)
    assert np.abs(sol(times) - rows.q).max() < 1e-9
    assert np.abs(sol(times, "v") - rows.v).max() < 1e-8
    assert np.abs(sol(times, "x") - rows["x"]).max() < 1e-9
    assert sol(0.5).shape == (2,) and sol(times.reshape(1, -1), "lam").shape == (1, 41, 1)
    with pytest.raises(ValueError, match="outside of the run"):
        sol(1.5)


def test_dense_output_is_of_the_parameters_of_the_run(pendulum):
    sol = pendulum.solve(1, rtol=1e-9)
    pendulum.L = 3
    assert sol(1.0) == pytest.approx(sol.q[-1], abs=1e-12)


def test_channels_are_found_by_name(pendulum):
    sol = pendulum.solve(1)
    assert np.array_equal(sol["x"], sol.q[:, 0]) and "y" in sol and "z" not in sol
    with pytest.raises(KeyError, match="did you mean 'lambda1'"):
        sol["lambda2"]


def test_events_stop_act_and_are_listed(numpy_pendulum):
    def bottom(t, q, v):
        return q[0]

    stop = sodae.Event(bottom, direction=-1, stop=True, name="bottom")
    sol = numpy_pendulum.solve(2, rtol=1e-9, events=stop)
    assert sol.status == "EVENT" and [name for _, name in sol.events] == ["bottom"]
    assert abs(sol.q[-1, 0]) < 1e-9
    back = sodae.Event(bottom, action=lambda t, q, v: (None, -v))
    sol = numpy_pendulum.solve(1.3, rtol=1e-9, events=[back])
    assert len(sol.events) >= 1 and sol.q[:, 0].min() > -1e-7


def test_a_failed_run_raises_with_what_was_found():
    m = sodae.Model(positions="x", force=["sqrt(0.7 - x)"], initial=dict(x=0), name="domain")
    with pytest.raises(sodae.SolveError) as caught:
        m.solve(5, rtol=1e-6)
    assert caught.value.failure["status"] and len(caught.value.solution) > 1
    assert caught.value.solution.t[-1] < 5 and not caught.value.solution.success


def test_initial_values_are_given_by_name_or_block(pendulum):
    a = pendulum.solve(0.5, rtol=1e-9, initial={"x": 0.6, "y": -0.8})
    b = pendulum.solve(0.5, rtol=1e-9, initial={"q": [0.6, -0.8], "v": [0, 0]})
    assert np.array_equal(a.q, b.q) and a.q[0] == pytest.approx([0.6, -0.8])
    with pytest.raises(KeyError, match="no channel 'z'"):
        pendulum.solve(0.5, initial={"z": 1})


def test_steps_can_be_taken_one_by_one(pendulum):
    seen = []
    for s in pendulum.steps(1, rtol=1e-6):
        seen.append((s.t, s["x"], s.q[0]))
        if s.t > 0.3:
            s.stop()
    assert 0.3 < seen[-1][0] < 1 and all(x == q for _, x, q in seen)
    whole = pendulum.solve(1, rtol=1e-6)
    assert [t for t, *_ in seen] == list(whole.t[1:len(seen) + 1])


def test_the_verdict_names_dependent_constraints(pendulum):
    assert "unique" not in pendulum.solve(0.1).verdict
    twice = sodae.Model(positions="x y", force=["0", "-9.81"], holonomic=["x^2 + y^2 - 1", "2*x^2 + 2*y^2 - 2"],
                        initial=dict(x=1, y=0))
    sol = twice.solve(0.1)
    assert sol.status == "OK" and "holonomic[1], holonomic[2] depend on each other" in sol.verdict


def test_verification_warns_where_the_error_is_large(pendulum):
    good = pendulum.solve(1, rtol=1e-8, verify=True)
    assert good.verification["error"] < 10 and good.status == "OK"
    # an inverted pendulum that is pushed by rounding alone
    bad = sodae.Model(positions="x", force=["1e4*x"], initial=dict(x=1e-9), name="growth")
    with pytest.warns(sodae.InaccurateWarning):
        assert bad.solve(0.3, rtol=1e-3, atol=1e-3, verify=True).status in ("INACCURATE", "UNVERIFIED")


def test_files_are_those_of_the_command(pendulum, tmp_path):
    sol = pendulum.solve(1)
    for name in ("run.h5", "run.csv"):
        sol.save(tmp_path / name)
        back = sodae.open(tmp_path / name)
        assert np.array_equal(back["x"], sol["x"]) and back.channels == sol.channels
    events = "events: [{name: never, when: x - 9}, {name: low, when: x}]\noutputs: {tip: [x, 2*y]}\n"
    (tmp_path / "events.yaml").write_text(pendulum.text + events)
    low = sodae.load(tmp_path / "events.yaml").solve(1)
    low.save(tmp_path / "events.h5")
    back = sodae.open(tmp_path / "events.h5")
    assert back.events == low.events and {name for _, name in back.events} == {"low"}
    assert np.array_equal(back["tip.y"], low["tip[2]"]) and np.array_equal(low["tip.y"], 2 * low["y"])
    with pytest.raises(KeyError, match="tip.w"):
        low["tip.w"]
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "run.h5") as f:
        assert np.array_equal(f["state/q"][:, 0], sol["x"])
    with pytest.raises(OSError):
        sodae.open(tmp_path / "none.h5")


def pendulum_in_metres():
    return sodae.Model(positions="x y", force=["0", "-9.81"], holonomic=["x^2 + y^2 - 1"], initial=dict(x=1),
                       units=dict(x="m", y="m"))


def test_notebooks_show_the_system(pendulum):
    m = sodae.Mechanism(gravity=[0, 0, -9.81]).body("rod <1>", mass=1)
    assert "x^2 + y^2 - L^2" in pendulum._repr_html_() and "9.81" in pendulum._repr_html_()
    assert "rod &lt;1&gt;" in m._repr_html_()


def test_results_leave_for_pandas_xarray_and_matplotlib(pendulum):
    sol = pendulum.solve(1)
    assert list(sol.to_pandas()["x"]) == list(sol["x"])
    assert sol.to_xarray()["x"].dims == ("time",)
    assert len(sol.plot("x", "v_x", "lambda1")) == 3
    pane, = pendulum_in_metres().solve(0.1).plot("x", "y")
    assert [x.get_text() for x in pane.get_legend().get_texts()] == ["x", "y"]
    film = sol.animate([("x", "y")], trail=3)
    film._draw_frame(5)
    point, tail = film._fig.axes[0].lines
    assert point.get_xydata()[0] == pytest.approx(sol.q[5]) and len(tail.get_xydata()) == 4


def test_bodies_are_drawn_with_their_frames():
    m = sodae.Mechanism(gravity=[0, 0, -9.81])
    for name, x in (("a", 0.5), ("b", 1.5)):
        m.body(name, mass=1, inertia=[0.1, 0.1, 0.1], at=[x, 0, 0])
    m.joint("pin", revolute=["ground", "a"], at=[0, 0, 0], axis=[0, 1, 0])
    m.joint("ball", spherical=["a", "b"], at=[1, 0, 0])
    sol = m.solve(1)
    film = sol.animate()
    film._draw_frame(7)
    lines = [np.array(line.get_data_3d()) for line in film._fig.axes[0].lines]
    points, axes = lines[:2], lines[4:]
    assert np.allclose([p[:, 0] for p in points], [sol["a/position"][7], sol["b/position"][7]])
    ends = np.array([x[:, 1] - x[:, 0] for x in axes]).reshape(2, 3, 3)  # rows are axes of the bodies
    R = np.array([sol.rotation(f"{b}/quaternion")[7].as_matrix().T for b in "ab"])
    assert np.allclose(ends / np.linalg.norm(ends[0, 0]), R)
    with pytest.raises(ValueError, match="frames: 'c' is no point"):
        sol.animate(frames={"c": "a/quaternion"})


def test_sweeps_are_equal_for_any_number_of_workers(pendulum):
    pendulum = pendulum.set()
    one, two = (sodae.sweep(pendulum, 0.3, workers=n, L=[0.5, 1, 2], g=[9.81, 1.6]) for n in (1, 2))
    assert one.equals(two) and one["x"].shape == (3, 2)
    assert float(one["x"].sel(L=2, g=9.81)) == pendulum.set(L=2, g=9.81).solve(0.3)["x"][-1]


def test_orders_and_methods_are_measured(pendulum):
    table = sodae.converge(pendulum, 1, step=0.02, method="generalized-alpha", halvings=2)
    assert table["order_q"].iloc[-1] == pytest.approx(2, abs=0.15)
    work = sodae.compare(pendulum, 1, methods=["radau-iia", "bdf"], rtol=[1e-4, 1e-6])
    assert len(work) == 4 and (work["status"] == "OK").all()


def test_printed_equations_are_analysed_and_solved(tmp_path):
    path = tmp_path / "turn.yaml"
    path.write_text("sodae: 1\nlinear: {E: [[0, 0], [1, -t]], A: [[-1, t], [0, 0]], f: [sin(t) + t, cos(t) + t]}\n"
                    "run: {t_end: 1}\n")
    m = sodae.load(path)
    found = m.analyse()
    assert found["index"] == 2 and len(found["points"]) == 65 and not found["changes"]
    assert {(p["mu"], p["d"], p["a"]) for p in found["points"]} == {(1, 0, 2)}
    sol = m.solve(rtol=1e-8, method="bdf")  # x1 - t x2 = sin t + t, x1' - t x2' = cos t + t: x2 = t - 1
    assert sol["x2"] == pytest.approx(sol.t - 1, abs=1e-7)
    path.write_text("sodae: 1\nlinear: {E: [[-t, t^2], [-1, t]], A: [[-1, 0], [0, -1]]}\n")
    with pytest.raises(ValueError, match="not regular"):
        sodae.load(path).solve(1)


def test_check_tells_degrees_of_freedom_and_index(pendulum):
    found = sodae.check(pendulum)
    assert (found["degrees_of_freedom"], found["index"]) == (1, 3)
    assert sodae.analyse(rho_inf=0.9)["order"] == 2
