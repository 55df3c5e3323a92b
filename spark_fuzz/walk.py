"""The walk of one kernel: many schedules, judged after every step. Compiled by the kernel.

This file is never imported as it is: its text follows the lowered rules in a generated module.
"""


def run_schedules(
    campaign_seed, first_schedule, initial, parameters, weights, steps_max, steps, violations, used
):
    """Walk ``len(steps)`` schedules from number ``first_schedule`` on.

    ``initial`` and ``parameters`` hold leaves in the layout's order, ``weights`` one positive
    number per instance. Filled in per schedule: ``steps`` taken, ``violations`` (first violating
    step per guarantee, -1 for none), ``used`` (bit set of instances that fired).
    """
    state = initial.copy()
    enabled = np.empty(len(weights), np.int64)
    ranges = np.empty(2 * ARGUMENTS_MAX, np.int64)
    arguments = np.zeros(ARGUMENTS_MAX, np.int64)
    for row in range(len(steps)):
        state[:] = initial
        key = compute_schedule_key(campaign_seed, first_schedule + row)
        seen = 0
        fired = 0
        violations[row, :] = -1
        step = 0
        while step < steps_max:
            count = find_enabled(state, parameters, enabled)
            if count == 0:
                break
            instance = pick_weighted(enabled, count, weights, draw(key, step, 0))
            for i in range(find_ranges(state, parameters, instance, ranges)):
                word = draw(key, step, i + 1)
                arguments[i] = pick_argument(ranges[2 * i], ranges[2 * i + 1], word)
            fire(state, parameters, instance, arguments)
            step += 1
            fired |= 1 << instance
            violated = judge(state, parameters) & ~seen
            if violated:
                seen |= violated
                for bit in range(violations.shape[1]):
                    if violated >> bit & 1:
                        violations[row, bit] = step
        steps[row] = step
        used[row] = fired
