"use strict";
/* What runs a structure that properties/exports/javascript.py has written. A state is a list of
   leaves: BigInt and truth values, in the order of the structure. Nothing here knows a rule. */

const minimum = (a, b) => (b < a ? b : a);
const maximum = (a, b) => (b > a ? b : a);

/** Integer division that rounds down; that of BigInt rounds towards zero. */
const quotient = (a, b) => {
  const cut = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? cut - 1n : cut;
};

/** What is left by the division that rounds down. */
const remainder = (a, b) => a - quotient(a, b) * b;

/** A leaf from JSON: numbers are written as text. */
const decodeLeaf = (value) => (typeof value === "boolean" ? value : BigInt(value));

/** The function of a structure. Its code is the places of its lines among the lines that all
    structures share: "0-30,45". */
const assemble = (lines, code) => {
  const text = code.split(",").map((run) => {
    const [first, last = first] = run.split("-").map(Number);
    return lines.slice(first, last + 1).join("\n");
  });
  return new Function(`return ${text.join("\n")}`)();
};

class Machine {
  constructor(structure, lines) {
    this.structure = structure;
    this.read = assemble(lines, structure.code);
    this.place = new Map(structure.leaves.map((path, index) => [path, index]));
    this.index = new Map(structure.instances.map((each, index) => [each.name, index]));
  }

  /** The first state with these parameters: paths below "parameters." and their values. */
  begin(parameters) {
    const state = this.structure.initial.map(decodeLeaf);
    for (const [name, value] of Object.entries(parameters)) {
      const place = this.place.get(`parameters.${name}`);
      if (place === undefined) throw new RangeError(`no parameter ${name}`);
      state[place] = decodeLeaf(value);
    }
    return state;
  }

  /** The parameters of a size ("small", "usual") under a column of faults. */
  parametersOf(size, column) {
    const parameters = { ...this.structure.sizes[size] };
    for (const path of this.structure.leaves) {
      if (path.startsWith("parameters.limits.")) parameters[path.slice(11)] = "0";
    }
    for (const [name, limit] of Object.entries(this.structure.columns[column])) {
      parameters[`limits.${name}`] = limit;
    }
    return parameters;
  }

  /** All that can be said of a state: of each instance why it is not enabled, its ranges if it is,
      and which claims do not hold. */
  look(state) {
    const read = this.read(state);
    const steps = this.structure.instances.map((each, index) => {
      const { conditions, ranges } = read.steps[index];
      const failed = each.conditions.filter((_, i) => !conditions[i]);
      if (failed.length) return { name: each.name, failed, ranges: [] };
      const named = each.arguments.map((name, i) => ({
        name, low: ranges[i][0], high: ranges[i][1],
      }));
      const empty = named.filter((range) => range.low > range.high);
      return {
        name: each.name, ranges: named,
        failed: empty.map((range) => `is_range_of_${range.name}_not_empty`),
      };
    });
    const fallen = this.structure.claims.filter((_, index) => !read.claims[index]);
    return { steps, fallen };
  }

  /** The state after a step, or the names of what refuses it. An argument that is not given has the
      lowest value of its range. */
  step(state, name, chosen) {
    const index = this.index.get(name);
    if (index === undefined) return { state, failed: ["is_known"] };
    const instance = this.structure.instances[index];
    const { conditions, ranges, effect } = this.read(state).steps[index];
    const failed = instance.conditions.filter((_, i) => !conditions[i]);
    if (failed.length) return { state, failed };
    const values = instance.arguments.map((argument, i) =>
      argument in chosen ? BigInt(chosen[argument]) : ranges[i][0]);
    const outside = instance.arguments.find((_, i) =>
      values[i] < ranges[i][0] || values[i] > ranges[i][1]);
    if (outside !== undefined) return { state, failed: [`is_${outside}_in_range`] };
    const after = state.slice();
    for (const [place, value] of effect(values)) after[place] = value;
    return { state: after, failed: [] };
  }
}
