"""Events of differential equations: ``solve_ivp(..., events=...)``.

An event is a time at which a function of the time and the state is 0, which the solver has found.
It moves as a root does: the state there moves with what it comes from, and along the solution with
the time. An event that ends the solution moves its last time and state.
"""

import numpy as np

from symdiff.definitions.found import Found, told_of_a_way
from symdiff.definitions.staged import followed, solution, solver, valued, without_derivative


def listed(events):
    """The functions, of which there may be one alone."""
    return (events,) if callable(events) else tuple(events)


def with_events(events, func, equation, span, options, once, args, t_eval=None):
    """What ``solve_ivp`` gives where it looks for events, whose functions are ``events``.

    ``equation``: the rate of change as its rules take it, and the state that it starts from.
    """
    rate, start = equation
    first, last = float(span[0]), float(span[1])
    count = len(events)

    def rate_or_events(t, y, of_events, *args):
        if of_events > 0.0:
            found = [float(event(t, y, *args)) for event in events]
            return np.concatenate((np.zeros(len(start)), found))
        return np.concatenate((np.asarray(func(t, y, *args), dtype=np.float64), np.zeros(count)))

    called = followed(rate_or_events, (0.0, start, 0.0), args)
    terminal = tuple([getattr(event, "terminal", None) for event in events])
    direction = tuple([getattr(event, "direction", 0) for event in events])
    more = told_of_a_way()
    likes = [np.zeros(0), np.zeros((len(start), 0)), True, *more.values()]
    picked = ["t", "y", "success", *more]
    for k in range(count):
        likes += [np.zeros(0), np.zeros((0, len(start)))]
        picked += [f"t_{k}", f"y_{k}"]
    name = "symdiff.ops.support.solution_with_events"
    given = (span, start, terminal, direction)
    asked = once if t_eval is None else {**once, "t_eval": t_eval}
    reached, columns, success, *others = solver(
        name, called, given, asked, tuple(likes), tuple(picked)
    )
    known = dict(zip(more, others[: len(more)], strict=True))
    found = others[len(more) :]
    way = (rate, start, first, options)
    pairs = [
        _occurrences(events[k], found[2 * k], found[2 * k + 1], way, args) for k in range(count)
    ]
    reached = without_derivative(reached)
    times = reached.copy()
    if t_eval is None:
        times[0] = first
        times[-1] = _end(pairs, terminal, reached[-1], last) if known["status"] == 1 else last
    return Found(
        t=valued(times, reached),
        y=valued(_states(times, columns, way, t_eval is None), columns),
        success=success,
        sol=None,
        t_events=[pair[0] for pair in pairs],
        y_events=[pair[1] for pair in pairs],
        **known,
    )


def _occurrences(event, times, states, way, args):
    """The times of an event and the states then, with their derivatives."""
    rate, start, first, options = way
    name = "scipy.integrate.solve_ivp"
    at, told = without_derivative(times), without_derivative(states)
    moved, arrived = at.copy(), told.copy()
    for i in range(len(at)):
        state = told[i]

        def residual(t, *args, state=state):
            y = solution("arrival", state, rate, (start, first, t), name, options)
            return float(event(t, y, *args))

        moved[i] = solution("zero", float(at[i]), followed(residual, (float(at[i]),), args))
        until = (start, first, float(moved[i]))
        arrived[i] = solution("arrival", state, rate, until, name, options)
    return valued(moved, times), valued(arrived, states)


def _end(pairs, terminal, reached, last):
    """The time of the event that has ended the solution, which was ``reached`` then."""
    end = last
    for k in range(len(pairs)):
        times = pairs[k][0]
        if terminal[k] and len(times) > 0 and times[-1] == reached:
            end = times[-1]
    return end


def _states(times, columns, way, begins):
    """The states at times, each from the one before."""
    rate, start, first, options = way
    name = "scipy.integrate.solve_ivp"
    found = np.zeros(columns.shape)
    y, before, skipped = start, first, 0
    if begins:
        found[:, 0] = start
        skipped = 1
    for i in range(skipped, len(times)):
        now = float(times[i])
        y = solution("arrival", columns[:, i], rate, (y, before, now), name, options)
        found[:, i] = y
        before = now
    return found
