/* The page: what the reader chooses, and what is drawn then. */

const find = (id) => document.getElementById(id);
const byKey = new Map(STRUCTURES.map((structure) => [structure.key, structure]));
let session, tour = null;

const tell = (text) => { find("told").textContent = text; };

const fillSelect = (select, groups, chosen) => {
  select.innerHTML = groups.map(([heading, options]) => {
    const drawn = options.map(([value, label]) =>
      `<option value="${escapeText(value)}" ${value === chosen ? "selected" : ""}>${escapeText(label)}</option>`);
    return heading ? `<optgroup label="${escapeText(heading)}">${drawn.join("")}</optgroup>` : drawn.join("");
  }).join("");
};

const fillDeployments = (chosen) => {
  const shelves = new Map();
  for (const { key, label, shelf } of STRUCTURES) {
    shelves.set(shelf, [...(shelves.get(shelf) ?? []), [key, label]]);
  }
  fillSelect(find("structure"), [...shelves], chosen);
};

const fillFaults = (key, chosen) => {
  const columns = Object.keys(byKey.get(key).columns);
  const kept = columns.includes(chosen) ? chosen : "none";
  fillSelect(find("faults"), [["", columns.map((name) => [name, name])]], kept);
};

const fillOpened = (key) => {
  const short = (list, kind) => list.map(({ name, title }) => [`${kind}=${name}`, title]);
  const cells = BOOK.cells[key].map(([claim, fault], i) => [`cell=${i}`, `${claim}, ${fault}`]);
  fillSelect(find("opened"), [
    ["Tour: three surprises", BOOK.tour.map((stop, i) => [`tour=${i + 1}`, stop.title])],
    ["Counterexamples", short(BOOK.counterexamples, "counterexample")],
    ["Known issues", short(BOOK.issues, "issue")],
    ["Refuted in this deployment", cells],
  ]);
};

/** Put the focus back where it was before all was drawn anew. */
const keepFocus = (draw) => {
  const active = document.activeElement;
  const key = active?.dataset?.key, isInside = active && active !== document.body;
  const panel = active?.closest?.("main > section, #tour")?.id;
  draw();
  if (!isInside || document.contains(active)) return;
  const same = key && [...document.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
  (same ?? find(`${panel}-heading`) ?? find("steps-heading")).focus({ preventScroll: !same });
};

const openDetails = () => new Set([...document.querySelectorAll("details[open] > summary[data-key]")]
  .map((summary) => summary.dataset.key));

const render = () => keepFocus(() => {
  const open = openDetails(), wanted = find("filter").value;
  find("nodes").innerHTML = drawState(session);
  find("leaf-table").innerHTML = find("leaves").open ? drawLeaves(session) : "";
  find("enabled").innerHTML = drawSteps(session, wanted);
  const count = listDisabled(session).length;
  find("disabled-count").textContent = `${count} steps are not enabled: why?`;
  find("disabled").innerHTML = find("disabled-part").open ? drawDisabledSteps(session, wanted) : "";
  find("history").innerHTML = drawHistory(session);
  find("claim-list").innerHTML = drawClaims(session);
  find("tour").hidden = tour === null;
  find("tour").innerHTML = tour === null ? "" : drawTour(session, tour);
  for (const summary of document.querySelectorAll("summary[data-key]")) {
    summary.parentElement.open = open.has(summary.dataset.key);
  }
  for (const button of document.querySelectorAll("[data-move]")) {
    const isBack = ["first", "back"].includes(button.dataset.move);
    button.disabled = isBack ? session.at === 0 : session.at === session.actions.length;
  }
  showCurrent();
  remember();
});

/** Bring the current step of the schedule into view, inside its list only. */
const showCurrent = () => {
  const list = find("history"), current = list.querySelector("[aria-current]");
  const item = current?.closest("li");
  if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
};

const remember = () => {
  const address = `#${session.address}`;
  if (location.hash === address) return;
  try { history.replaceState(null, "", address); } catch { /* a viewer without addresses */ }
};

const sayRefused = ({ index, name, failed }) => (failed[0] === "is_known"
  ? `The schedule is followed up to step ${index}: this deployment has no step ${name}.`
  : `The schedule is followed up to step ${index}: ${name} is refused, for not ${failed.join(", ")}.`);

/** Begin what an address asks for; says where a schedule does not fit the rules. */
const begin = (asked) => {
  const structure = byKey.get(asked.structure);
  if (!structure) throw new RangeError(`The explorer does not have "${asked.structure}".`);
  const faults = asked.faults ?? "none";
  const { structure: key, sizes, others } = asked;
  const made = new Session(structure, { structure: key, faults, sizes, others });
  const refused = made.follow(readSchedule(asked.schedule));
  if (asked.at !== null && asked.at !== undefined) made.move(asked.at);
  made.shows = asked.opened?.shows ?? null;
  session = made;
  tour = asked.tour ?? null;
  fillDeployments(key);
  fillFaults(key, faults);
  fillOpened(key);
  if (asked.chosen) find("opened").value = asked.chosen;
  find("sizes").value = sizes;
  const named = sizes === "small" ? "a few bytes" : "sizes as installed";
  find("chosen").textContent = `${key} · ${faults === "none" ? "nothing strikes" : faults} · ${named}`;
  tell(refused ? sayRefused(refused)
    : asked.opened ? `${asked.opened.title}. ${session.actions.length} steps: go forward.` : "");
  render();
};

/** Whatever the address says now; the stock pair where it says nothing. */
const beginFromAddress = () => {
  const plain = { structure: STRUCTURES[0].key, faults: "none", sizes: "small", others: {}, schedule: "" };
  try {
    const asked = readAddress(location.hash, BOOK);
    begin(asked ?? plain);
    if (!asked) tell("Take a step, or open a schedule: the tour shows three surprises.");
  } catch (problem) {
    if (!session) begin(plain);
    tell(problem.message);
  }
};

const openChosen = (value) => {
  const [kind, name] = value.split("=");
  if (kind !== "cell") return begin(readAddress(`#${value}`, BOOK));
  const [claim, fault, place] = BOOK.cells[session.setting.structure][Number(name)];
  const { structure } = session.setting;
  const opened = { title: `${claim} breaks, ${fault}` };
  const schedule = BOOK.schedules[place];
  return begin({
    structure, faults: fault, sizes: "small", others: {}, schedule, at: 0, opened, chosen: value,
  });
};

const announce = (before) => {
  const told = session.claims.filter(({ kind }) => kind !== "seen").map(({ name }) => name);
  const fell = session.at > before ? session.listFalls(session.at).filter((n) => told.includes(n)) : [];
  const last = session.actions[session.at - 1];
  tell(`Step ${session.at}${last ? `: ${last.name}${sayChosen(last.chosen)}` : ""}.${
    fell.length ? ` Broken: ${fell.join(", ")}.` : ""}`);
};

const moveTo = (at) => {
  const before = session.at;
  session.move(at);
  announce(before);
  render();
};

const move = (where) => moveTo({
  first: 0, back: session.at - 1, forward: session.at + 1, last: session.actions.length,
}[where]);

/** Take the step of a form; a wrong argument is told beside it. */
const takeStep = (form) => {
  const chosen = {};
  for (const input of form.querySelectorAll("input, select")) {
    const text = input.value.trim(), { low, high } = input.dataset;
    const isNumber = /^-?\d+$/.test(text);
    if (low !== undefined && (!isNumber || BigInt(text) < BigInt(low) || BigInt(text) > BigInt(high))) {
      const wrong = form.querySelector(".wrong");
      wrong.textContent = `${input.name} is a whole number from ${low} to ${high}.`;
      wrong.hidden = false;
      return input.focus();
    }
    chosen[input.name] = text;
  }
  const before = session.at;
  const failed = session.take(form.dataset.step, chosen);
  if (failed.length) return tell(`Refused: ${failed.join(", ")}.`);
  announce(before);
  return render();
};

const share = async () => {
  remember();
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is in the clipboard: it has the deployment and the schedule.");
  } catch {
    tell(`The address of this page has the deployment and the schedule: ${location.href}`);
  }
};

const endTour = () => { tour = null; render(); find("steps-heading").focus(); };

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move], [data-at], [data-tour], [data-go]");
  if (!button) return;
  const { move: where, at, tour: stop, go } = button.dataset;
  if (where) move(where);
  else if (at) { event.preventDefault(); moveTo(Number(at)); }
  else if (stop === "end") endTour();
  else if (stop) begin(fromTour(Number(stop), BOOK));
  else { event.preventDefault(); find(go).focus(); find(go).scrollIntoView(); }
});

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.dataset.step) return takeStep(form);
  if (form.id === "opening") return openChosen(find("opened").value);
  return begin({
    structure: find("structure").value, faults: find("faults").value, sizes: find("sizes").value,
    others: {}, schedule: "",
  });
});

const KEYS = { "[": () => move("back"), "]": () => move("forward"), s: "steps-heading", "/": "filter",
  g: "claims-heading", h: "schedule-heading" };

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && event.target.id === "filter") { event.target.value = ""; render(); }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  const meant = KEYS[event.key];
  if (typeof meant === "function") meant();
  else { find(meant).focus(); find(meant).scrollIntoView({ block: "nearest" }); }
});

find("structure").addEventListener("change", () => fillFaults(find("structure").value, find("faults").value));
find("filter").addEventListener("input", render);
find("leaves").addEventListener("toggle", render);
find("disabled-part").addEventListener("toggle", render);
find("share").addEventListener("click", share);
window.addEventListener("hashchange", () => {
  if (location.hash !== `#${session.address}`) beginFromAddress();
});
if (matchMedia("(max-width: 700px)").matches) find("choice").open = false;
if (BOOK_PLACE) { find("book").href = `${BOOK_PLACE}index.html`; find("book").hidden = false; }
beginFromAddress();
