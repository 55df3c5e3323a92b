/* A session: the states of a schedule, the reader's place in it, and when each claim broke. */

class Session {
  constructor(structure, setting) {
    this.machine = new Machine(structure, LINES);
    this.structure = structure;
    this.setting = setting;
    const column = structure.columns[setting.faults];
    if (!column) throw new RangeError(`There is no fault model "${setting.faults}".`);
    if (!structure.sizes[setting.sizes]) throw new RangeError(`There are no sizes "${setting.sizes}".`);
    const parameters = this.machine.parametersOf(setting.sizes, setting.faults);
    this.states = [this.machine.begin({ ...parameters, ...setting.others })];
    this.actions = [];
    this.looks = [];
    this.at = 0;
    this.shows = null;
  }

  get state() { return this.states[this.at]; }

  /** What is said of a state of the schedule. */
  look(at = this.at) {
    this.looks[at] ??= this.machine.look(this.states[at]);
    return this.looks[at];
  }

  /** Take a step from where the reader is; later steps are forgotten. Returns what refuses it. */
  take(name, chosen) {
    const { state, failed } = this.machine.step(this.state, name, chosen);
    if (failed.length) return failed;
    const ranges = this.look().steps[this.machine.index.get(name)].ranges;
    const all = Object.fromEntries(ranges.map(({ name: key, low }) => [key, `${chosen[key] ?? low}`]));
    this.states.length = this.looks.length = this.at + 1;
    this.actions.length = this.at;
    this.actions.push({ name, chosen: all });
    this.states.push(state);
    this.at += 1;
    return [];
  }

  /** Follow a schedule from its beginning; null, or the first step that is refused, and why. */
  follow(actions) {
    for (const [index, { name, chosen }] of actions.entries()) {
      const failed = this.take(name, chosen);
      if (failed.length) return { index: index + 1, name, failed };
    }
    return null;
  }

  /** Go to a state of the schedule. */
  move(at) { this.at = Math.max(0, Math.min(at, this.actions.length)); }

  /** The first state up to here in which a claim does not hold; -1 where it always does. */
  findFall(claim) {
    for (let at = 0; at <= this.at; at += 1) {
      if (this.look(at).fallen.includes(claim)) return at;
    }
    return -1;
  }

  /** The claims that hold before a state and not in it, and did not break earlier. */
  listFalls(at) {
    const before = new Set();
    for (let i = 0; i < at; i += 1) this.look(i).fallen.forEach((name) => before.add(name));
    return this.look(at).fallen.filter((name) => !before.has(name));
  }

  /** The claims that are told: what an issue shows only where that issue was opened. */
  get claims() {
    return this.structure.claimTexts.filter(({ name, kind }) => kind !== "seen" || name === this.shows);
  }

  /** A fault or a circumstance has struck in the step to a state. */
  isFault(at) {
    return at > 0 && this.listChanges(at).some((place) =>
      /^faults\./.test(this.structure.leaves[place]));
  }

  /** The places of the leaves that the step to a state has changed. */
  listChanges(at) {
    if (at === 0) return [];
    const before = this.states[at - 1];
    return this.states[at].flatMap((value, place) => (value === before[place] ? [] : [place]));
  }

  /** A leaf by its path; undefined where the structure has none. */
  get(path) { return this.state[this.machine.place.get(path)]; }

  get address() { return writeAddress(this.setting, this.actions, this.at); }
}
