"""Misuse, exceptions, threads, pickles, memory."""
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sodae


def test_a_result_of_the_wrong_shape_is_named():
    p = sodae.Problem(nv=2, force=lambda t, q, v: [1, 2, 3], initial=dict(q=[1, 0]))
    with pytest.raises(ValueError, match=r"force returned an array of shape \(3,\), expected \(2,\)"):
        p.solve(1)


def test_exceptions_of_callbacks_are_raised_unchanged():
    class Mine(Exception):
        pass

    error = Mine("here")

    def force(t, q, v):
        if t > 0.5:
            raise error
        return [0.0]

    with pytest.raises(Mine) as caught:
        sodae.Problem(nv=1, force=force, initial=dict(q=[1])).solve(1, rtol=1e-6)
    assert caught.value is error and len(error.solution) >= 1


def test_retry_asks_for_a_smaller_step():
    longest = 0.02

    def force(t, q, v):
        if t - force.last > 2 * longest:
            raise sodae.Retry
        return [-q[0]]

    force.last = 0.0
    p = sodae.Problem(nv=1, force=force, initial=dict(q=[1.0]))
    for s in p.steps(0.3, rtol=1e-3, max_step=1):
        force.last = s.t
    assert s.t == 0.3 and s.q[0] == pytest.approx(np.cos(0.3), abs=1e-2)


def test_ctrl_c_keeps_what_was_computed(pendulum):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell begin with it ignored
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        pendulum.solve(1e6, rtol=1e-10, max_steps=10**9)
    sol = caught.value.solution
    assert len(sol) > 10 and sol.status == "STOPPED" and "KeyboardInterrupt" in sol.message


def test_ctrl_c_in_a_verification_keeps_the_run():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    m = sodae.Model(positions="x", force=["-x"], initial=dict(x=1))
    t_end, begin, timers = 1e5, time.perf_counter(), []  # a run of a second

    def progress(t):  # half as long behind the end of the run as the run takes
        if t > 0.5 * t_end and not timers:
            whole = (time.perf_counter() - begin) * t_end / t
            delay = begin + 1.5 * whole - time.perf_counter()
            timers.append(threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)))
            timers[0].start()

    with pytest.raises(KeyboardInterrupt) as caught:
        m.solve(t_end, rtol=1e-10, t_eval=[t_end], verify=True, progress=progress)
    assert caught.value.solution.t[-1] == t_end and caught.value.solution.verification is None


def test_ctrl_c_ends_a_loop_over_steps(pendulum):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []
    with pytest.raises(KeyboardInterrupt):
        for s in pendulum.steps(1e9):
            seen.append(s.t)
            if len(seen) == 5:
                os.kill(os.getpid(), signal.SIGINT)
    assert len(seen) == 5


def test_ctrl_c_in_a_callback_keeps_what_was_computed():
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def force(t, q, v):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGINT)
        return -q

    with pytest.raises(KeyboardInterrupt) as caught:
        sodae.Problem(nv=1, force=force, initial=dict(q=[1])).solve(1e9, rtol=1e-8)
    assert 0 < caught.value.solution.t[-1] < 1


def test_ctrl_c_ends_a_sweep_in_all_its_threads(pendulum):
    pytest.importorskip("xarray")  # its import takes a while and must not be interrupted
    signal.signal(signal.SIGINT, signal.default_int_handler)
    before = threading.active_count()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):  # 8 runs of 1e9 s would not end
        sodae.sweep(pendulum, 1e9, workers=2, L=np.linspace(1, 2, 8), options=dict(t_eval=[1e9], max_steps=10**12))
    assert threading.active_count() <= before + 1  # the timer's


def test_one_model_is_solved_by_many_threads(pendulum, numpy_pendulum):
    for model in (pendulum, numpy_pendulum):
        out = [None] * 4

        def run(i, model=model, out=out):
            out[i] = model.solve(0.5, rtol=1e-7).q[-1]

        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()
        assert all(np.array_equal(x, out[0]) for x in out)


def test_the_lock_is_free_while_a_text_model_steps(pendulum):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    sol = pendulum.solve(300, rtol=1e-9, t_eval=[300])
    done.set()
    thread.join()
    assert sol.success and len(ticks) > 5


def test_a_warning_names_the_line_of_the_user():
    m = sodae.Model(positions="x", force=["1e4*x"], initial=dict(x=1e-9))
    with pytest.warns(sodae.InaccurateWarning) as seen:
        m.solve(0.3, rtol=1e-3, atol=1e-3, verify=True)
    assert seen[0].filename == __file__


def test_models_pickle_by_text_and_parameters(pendulum):
    pendulum.L = 1.5
    copy = pickle.loads(pickle.dumps(pendulum))
    assert copy.L == 1.5 and np.array_equal(copy.solve(0.5).q, pendulum.solve(0.5).q)


def test_a_reused_integrator_gives_the_bytes_of_a_new_one(pendulum):
    first = pendulum.solve(0.5, rtol=1e-7)
    pendulum.L = 2
    pendulum.solve(0.5, rtol=1e-7)
    pendulum.L = 1
    again = pendulum.solve(0.5, rtol=1e-7)
    assert np.array_equal(first._rows, again._rows)


def test_arguments_that_a_callback_keeps_stay_as_they_are():
    kept = []

    def force(t, q, v):
        kept.append((q, q.copy()))
        return -q

    sodae.Problem(nv=2, force=force, initial=dict(q=[1.0, 2.0])).solve(1)
    assert len(kept) > 10 and all(np.array_equal(a, b) for a, b in kept)


def test_memory_stays_constant():
    """4000 solves of 10 steps; `make python-memory` takes 100 000."""
    subprocess.run([sys.executable, str(pathlib.Path(__file__).parent / "memory.py"), "4000"], check=True)
