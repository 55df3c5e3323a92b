/* Addresses: what stands behind "#". A schedule is written as its steps, `put.0:size_bytes=1` for
   `put[0]` with one argument, with commas between them. */

const writeStep = (action) => {
  const name = action.name.replace("[", ".").replace("]", "").replaceAll(",", ".");
  const chosen = Object.entries(action.chosen).map(([key, value]) => `${key}=${value}`).join(";");
  return chosen ? `${name}:${chosen}` : name;
};

const readStep = (text) => {
  const [place, chosen] = text.split(":");
  const [name, ...indexes] = place.split(".");
  const pairs = chosen ? chosen.split(";").map((pair) => pair.split("=")) : [];
  return {
    name: indexes.length ? `${name}[${indexes.join(",")}]` : name,
    chosen: Object.fromEntries(pairs),
  };
};

const writeSchedule = (actions) => actions.map(writeStep).join(",");
const readSchedule = (text) => (text ? text.split(",").map(readStep) : []);

const SIZE_PREFIX = "size.";

/** The part of an address behind "#". */
const writeAddress = (setting, actions, at) => {
  const parts = [["structure", setting.structure], ["faults", setting.faults]];
  if (setting.sizes !== "small") parts.push(["sizes", setting.sizes]);
  for (const [name, value] of Object.entries(setting.others)) {
    parts.push([SIZE_PREFIX + name, value]);
  }
  if (actions.length) parts.push(["schedule", writeSchedule(actions)], ["at", `${at}`]);
  const encode = (text) => encodeURIComponent(text).replace(/%(2F|3A|3B|2C|3D)/g, decodeURIComponent);
  return parts.map(([name, value]) => `${name}=${encode(value)}`).join("&");
};

/** The entries of an address by name. */
const readEntries = (fragment) => Object.fromEntries(
  fragment.replace(/^#/, "").split("&").filter((part) => part.includes("=")).map((part) => {
    const cut = part.indexOf("=");
    return [part.slice(0, cut), decodeURIComponent(part.slice(cut + 1))];
  }));

/** A schedule of the book as what an address asks for; it begins before the first step. */
const fromOpened = (opened) => ({
  structure: opened.structure, faults: opened.faults, sizes: "small", others: opened.sizes,
  schedule: opened.schedule, at: 0, opened,
});

/** What an address asks for; null where it asks for nothing. A release stands for the first one
    with its rules. Throws a RangeError for names that nobody knows. */
const readAddress = (fragment, book) => {
  const entries = readEntries(fragment);
  for (const kind of ["counterexample", "issue"]) {
    if (kind in entries) {
      const found = book[`${kind}s`].find((each) => each.name === entries[kind]);
      if (!found) throw new RangeError(`There is no ${kind} ${entries[kind]}.`);
      const at = entries.at === undefined ? 0 : Number(entries.at);
      return { ...fromOpened(found), at, chosen: `${kind}=${found.name}` };
    }
  }
  if ("tour" in entries) return fromTour(Number(entries.tour) - 1, book);
  if (!("structure" in entries)) return null;
  const others = Object.fromEntries(Object.entries(entries)
    .filter(([name]) => name.startsWith(SIZE_PREFIX))
    .map(([name, value]) => [name.slice(SIZE_PREFIX.length), value]));
  const release = / at ([\d.]+(-\w+)?)$/.exec(entries.structure);
  const first = release && book.releases[release[1]];
  const structure = first ? entries.structure.replace(release[1], first) : entries.structure;
  return {
    structure, faults: entries.faults, sizes: entries.sizes ?? "small", others,
    schedule: entries.schedule ?? "", at: entries.at === undefined ? null : Number(entries.at),
  };
};

/** A stop of the tour, numbered from 0. */
const fromTour = (number, book) => {
  const stop = book.tour[number];
  if (!stop) throw new RangeError("The tour has no such stop.");
  const told = book.counterexamples.find((each) => each.name === stop.claim);
  return { ...fromOpened(told), tour: number, chosen: `tour=${number + 1}` };
};
