/* The lists beside the state: steps, the schedule, claims, the tour. */

const link = (section, text) => (BOOK_PLACE && section
  ? `<a href="${escapeText(BOOK_PLACE + section)}">${text}</a>` : "");

const ruleOf = (session, name) =>
  BOOK.rules[session.structure.instances[session.machine.index.get(name)].rule];

const matches = (session, name, wanted) => {
  const rule = ruleOf(session, name);
  return `${name} ${rule.who} ${rule.text[0]}`.toLowerCase().includes(wanted.toLowerCase());
};

const CHOICES_MAX = 8n;
const USUALLY_ONE = ["waits_for_store", "is_followed"];

const sayChoice = (argument, value) =>
  (argument === "status" ? `${value} ${BOOK.statuses[Number(value)]}` : `${value}`);

/** A list of the values of a short range. */
const drawSelect = (name, argument, low, high) => {
  const values = Array.from({ length: Number(high - low) + 1 }, (_, i) => low + BigInt(i));
  const usual = USUALLY_ONE.includes(argument) ? high : low;
  const options = values.map((value) =>
    `<option value="${value}" ${value === usual ? "selected" : ""}>${sayChoice(argument, value)}</option>`);
  return `<select name="${argument}" data-key="${name}/${argument}">${options.join("")}</select>`;
};

/** The input of an argument; where the range is long, it stands beside it. */
const drawInput = (name, { name: argument, low, high }) => {
  const isShort = high - low < CHOICES_MAX;
  const known = isShort ? "" : `<span class="muted">${low} to ${high}</span>`;
  const field = low === high
    ? `<input type="hidden" name="${argument}" value="${low}"><b>${sayChoice(argument, low)}</b>`
    : isShort ? drawSelect(name, argument, low, high)
    : `<input name="${argument}" value="${low}" inputmode="numeric" pattern="-?[0-9]+" required
         data-low="${low}" data-high="${high}" data-key="${name}/${argument}">`;
  return `<label class="argument"><code>${argument}</code> ${field} ${known}</label>`;
};

const drawEnabled = (session, step) => {
  const rule = ruleOf(session, step.name);
  return `<form class="step" data-step="${step.name}">
    <div class="head"><button type="submit" data-key="${step.name}"><code>${step.name}</code></button>
    ${link(rule.section, "section")}</div>
    <p>${asProse(rule.text[0])}</p>
    ${step.ranges.map((range) => drawInput(step.name, range)).join("")}
    <p class="wrong" role="alert" hidden></p>
  </form>`;
};

/** Enabled steps by who acts; faults come last. */
const drawSteps = (session, wanted) => {
  const groups = new Map();
  for (const step of session.look().steps) {
    if (step.failed.length || !matches(session, step.name, wanted)) continue;
    const { who } = ruleOf(session, step.name);
    groups.set(who, [...(groups.get(who) ?? []), step]);
  }
  const order = [...groups.keys()].sort((one, other) => (one === "fault") - (other === "fault"));
  return order.map((who) => `<h3 class="who">${who}</h3>
    ${groups.get(who).map((step) => drawEnabled(session, step)).join("")}`).join("")
    || '<p class="muted">No step is enabled that fits the filter.</p>';
};

const sayCondition = (rule, name) => {
  const range = /^is_range_of_(\w+)_not_empty$/.exec(name);
  if (range) return `there is a value for \`${range[1]}\``;
  return rule.conditions[name] ?? name.replaceAll("_", " ");
};

/** A condition with whether it holds, and the leaves that it reads. */
const drawCondition = (session, rule, step, name, reads) => {
  const holds = !step.failed.includes(name);
  const { leaves } = session.structure;
  const values = reads.map((place) =>
    `<code>${leaves[place]}</code> = ${sayLeaf(leaves[place], session.state[place])}`);
  return `<li class="${holds ? "holds" : "fails"}"><span class="mark">${holds ? "✓" : "✗"}</span>
    <code>${name}</code>: ${asProse(sayCondition(rule, name))}
    ${values.length ? `<br><span class="muted">${values.join(", ")}</span>` : ""}</li>`;
};

const drawDisabled = (session, step) => {
  const rule = ruleOf(session, step.name);
  const instance = session.structure.instances[session.machine.index.get(step.name)];
  const first = step.failed[0];
  const all = instance.conditions.map((name, i) =>
    drawCondition(session, rule, step, name, instance.reads[i]));
  const ranges = step.failed.filter((name) => !instance.conditions.includes(name))
    .map((name) => drawCondition(session, rule, step, name, []));
  return `<details class="step" data-why="${step.name}"><summary data-key="why ${step.name}">
      <code>${step.name}</code><br>
      <span class="fails">✗ <code>${first}</code></span>: ${asProse(sayCondition(rule, first))}</summary>
    <p>${rule.text.map(asProse).join("</p><p>")}</p>
    <ul class="conditions">${[...all, ...ranges].join("")}</ul>
    <p class="muted">${escapeText(rule.source)} ${link(rule.section, "its section in the book")}</p>
  </details>`;
};

const listDisabled = (session) => session.look().steps.filter((step) => step.failed.length);

const drawDisabledSteps = (session, wanted) => listDisabled(session)
  .filter((step) => matches(session, step.name, wanted))
  .map((step) => drawDisabled(session, step)).join("");

const sayChosen = (chosen) => {
  const pairs = Object.entries(chosen).map(([name, value]) => `${name}=${value}`);
  return pairs.length ? `(${pairs.join(", ")})` : "";
};

/** A rule's sentence up to a semicolon, without what it cites. */
const sayShort = (text) => text.replace(/ \([A-Z]+-[^)]*\)/g, "").split(";")[0]
  .replace(/\.$/, "").replaceAll("`", "");

/** The schedule: each step with the claims that it breaks. */
const drawHistory = (session) => {
  const texts = new Map(session.claims.map((claim) => [claim.name, claim]));
  const badges = (at) => session.listFalls(at).filter((name) => texts.has(name)).map((name) => {
    const isSeen = texts.get(name).kind === "seen";
    return `<span class="badge ${isSeen ? "seen" : "fell"}">${isSeen ? "seen: " : "✗ "}${name}</span>`;
  }).join(" ");
  const item = (at, told, title) => `<li>
    <button type="button" data-at="${at}" data-key="at ${at}" title="${escapeText(title)}"
      ${at === session.at ? 'aria-current="step"' : ""}
      class="${session.isFault(at) ? "fault" : ""}${at > session.at ? " later" : ""}">${told}</button>
    ${badges(at)}</li>`;
  return item(0, "the beginning", "") + session.actions.map(({ name, chosen }, i) => item(
    i + 1, `${escapeText(sayShort(ruleOf(session, name).text[0]))}
      <span class="muted"><code>${name}</code>${sayChosen(chosen)}</span>`,
    ruleOf(session, name).text[0])).join("");
};

const HEADINGS = {
  guarantee: "State by state",
  rest: "At rest",
  seen: "Shown by the issue",
};

const drawClaim = (session, claim) => {
  const at = session.findFall(claim.name), isNow = session.look().fallen.includes(claim.name);
  const isSeen = claim.kind === "seen";
  const mark = at < 0 ? (isSeen ? "·" : "✓") : isSeen ? "●" : "✗";
  const when = at < 0 ? "" : `<button type="button" class="plain" data-at="${at}">${
    isSeen ? "seen" : "broken"} ${at ? `at step ${at}` : "at the beginning"}${
    isNow || isSeen ? "" : ", holds again"}</button>`;
  const told = at < 0 ? "" : `<p class="told">${asProse(claim.text)}</p>`;
  return `${told && "<div>"}<details class="claim ${at < 0 ? "holds" : isSeen ? "seen" : "fails"}">
    <summary data-key="claim ${claim.name}"><span class="mark">${mark}</span>
      <code>${claim.name}</code> ${when}</summary>
    ${told ? "" : `<p>${asProse(claim.text)}</p>`}${claim.why ? `<p class="muted">${asProse(claim.why)}</p>` : ""}
    ${link(claim.section, "its section in the book")}</details>${told}${told && "</div>"}`;
};

const drawClaims = (session) => Object.entries(HEADINGS).map(([kind, heading]) => {
  const claims = session.claims.filter((claim) => claim.kind === kind);
  const fallen = claims.filter((claim) => session.findFall(claim.name) >= 0);
  const standing = claims.filter((claim) => !fallen.includes(claim));
  return claims.length ? `<h3>${heading}</h3>
    ${[...fallen, ...standing].map((claim) => drawClaim(session, claim)).join("")}` : "";
}).join("");

/** The words of the tour for where the reader is. */
const drawTour = (session, number) => {
  const stop = BOOK.tour[number], last = session.actions.length;
  const done = session.actions[session.at - 1];
  const isFirst = done && session.actions.findIndex(({ name }) =>
    name.split("[")[0] === done.name.split("[")[0]) === session.at - 1;
  const note = isFirst && stop.note.find((each) => each.rule === done.name.split("[")[0]);
  const told = session.at === 0 ? stop.begin
    : session.at === last ? stop.end
      : note ? note.text : ruleOf(session, done.name).text[0];
  const isEnd = session.at === last, next = (number + 1) % BOOK.tour.length;
  return `<p class="muted">Tour, ${number + 1} of ${BOOK.tour.length}: step ${session.at} of ${last}</p>
    <h2>${asProse(stop.title)}</h2><p>${asProse(told)}</p>
    <div class="bar"><button type="button" data-move="back" ${session.at ? "" : "disabled"}>◀ back</button>
    ${isEnd ? `<button type="button" class="main" data-tour="${next}" data-key="tour">${
      next ? "The next surprise ▶" : "Again from the first ▶"}</button>`
    : '<button type="button" class="main" data-move="forward" data-key="tour">Next step ▶</button>'}
    <button type="button" data-tour="end">End the tour</button></div>`;
};
