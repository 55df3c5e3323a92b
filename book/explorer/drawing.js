/* States drawn: a card for each node, whatever world it is of. */

const escapeText = (text) => `${text}`.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const asProse = (text) => escapeText(text).replace(/`([^`]*)`/g, "<code>$1</code>");

const CELLS_MAX = 64n;
const LIVES = "abcdefgh";

/** Leaves below a prefix, by the rest of their paths. */
const below = (session, prefix) => (name) => session.get(prefix + name);

const drawCard = (title, isUp, lines, note = "") => `
  <article class="card node${isUp === false ? " down" : ""}">
    <h3>${escapeText(title)}${isUp === false ? ' <span class="tag">down</span>' : ""}
      ${note ? `<span class="tag">${escapeText(note)}</span>` : ""}</h3>
    ${lines.filter(Boolean).map((line) => `<div class="line">${line}</div>`).join("")}
  </article>`;

const drawFacts = (facts) => `<dl class="facts">${facts.filter(([, value]) => value !== undefined)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeText(say(value))}</dd></div>`).join("")}</dl>`;

const say = (value) => (value === true ? "yes" : value === false ? "no" : `${value}`);
/** The value of a leaf, by its name where it is one of a few. */
const sayLeaf = (path, value) => {
  const names = /messages\.\d+\.phase$/.test(path) ? BOOK.phases
    : /messages\.\d+\.status$/.test(path) ? BOOK.statuses : null;
  return names ? `${value} ${names[Number(value)]}` : say(value);
};
const sayOffset = (value) => (value < 0n ? "-" : `${value}`);

/** The life that wrote a byte. */
const findLife = (log, offset) => {
  let life = 0;
  while (log(`ends.${life}`) <= offset) life += 1;
  return life;
};

const findEnd = (log) => {
  let life = 0;
  while (log(`ends.${life + 1}`) !== undefined) life += 1;
  return log(`ends.${life}`);
};

const isWithin = (offset, messages) => messages.some(([start, end]) => start <= offset && offset < end);

/** One byte: by whom it was written, deleted, unknown, or not there yet. */
const drawCell = (log, offset, end, messages) => {
  const mark = isWithin(offset, messages) ? " followed" : "";
  if (offset >= end) return '<span class="byte free"></span>';
  if (offset < log("start_offset")) return '<span class="byte gone">·</span>';
  if (offset < log("ghost_unknown_below_offset")) return `<span class="byte unknown${mark}">?</span>`;
  const life = findLife(log, offset);
  return `<span class="byte life${life}${mark}">${LIVES[life]}</span>`;
};

/** A small log byte by byte, in boxes for its files. */
const drawCells = (log, end, size, messages) => {
  const last = log("has_file") ? log("last_file_offset") + size : 0n;
  const files = [];
  for (let base = 0n; base < last || base < end; base += size) {
    let cells = "";
    for (let at = base; at < base + size; at += 1n) cells += drawCell(log, at, end, messages);
    files.push(`<span class="file">${cells}</span>`);
  }
  return files.join("");
};

/** A large log as runs of bytes of one life. */
const drawRuns = (log, end) => {
  const runs = [];
  let begin = log("start_offset");
  if (begin > 0n) runs.push(`<span class="byte run gone">·${begin}</span>`);
  if (log("ghost_unknown_below_offset") > begin) {
    begin = log("ghost_unknown_below_offset");
    runs.push(`<span class="byte run unknown">? to ${begin}</span>`);
  }
  for (let life = 0; log(`ends.${life}`) !== undefined; life += 1) {
    const to = log(`ends.${life}`);
    if (to > begin) {
      runs.push(`<span class="byte run life${life}">${LIVES[life]} ${to - begin} B</span>`);
      begin = to;
    }
  }
  return runs.join("");
};

const drawLog = (session, prefix, messages) => {
  const log = below(session, prefix);
  const end = findEnd(log), size = session.get("parameters.mapped_file_size_bytes");
  const isSmall = size <= CELLS_MAX / 2n && end <= CELLS_MAX && log("last_file_offset") + size <= CELLS_MAX;
  const bytes = isSmall ? drawCells(log, end, size, messages) : drawRuns(log, end);
  const facts = drawFacts([
    ["end", end], ["first file", log("start_offset")], ["last file", log("last_file_offset")],
    ["flushed", log("flushed_offset")], ["on disk", log("ghost_durable_offset")],
    ["dispatched", log("dispatched_offset")],
  ]);
  const drawn = log("has_file") || end > 0n ? bytes : '<span class="muted">no file</span>';
  return `<div class="log" role="img" aria-label="log of ${end} bytes">${drawn}</div>${facts}`;
};

const listMessages = (session, at) => {
  const found = [];
  for (let i = 0; session.get(`${at}messages.${i}.phase`) !== undefined; i += 1) found.push(i);
  return found;
};

const drawMessage = (session, at, number) => {
  const message = below(session, `${at}messages.${number}.`);
  const phase = BOOK.phases[Number(message("phase"))];
  const status = BOOK.statuses[Number(message("status"))];
  const isOver = ["ANSWERED", "REFUSED"].includes(phase);
  const answer = isOver ? `<strong class="answer">${status}</strong>` : `<span>${phase}</span>`;
  const where = phase === "NOT_SENT" || phase === "REFUSED" ? ""
    : ` bytes ${message("start_offset")} to ${message("end_offset")}`;
  const notes = [
    message("has_producer_given_up") && "its producer has given up",
    !message("waits_for_store") && "its producer does not wait",
    message("ghost_copies") > 0n && `sent again ${message("ghost_copies")} times`,
    message("ghost_is_received") && "a slave has had all of it",
    message("ghost_is_readable") && "was readable on the master",
    message("ghost_is_expired") && "deleted by retention",
  ].filter(Boolean);
  return `m${number + 1}: ${answer}${where}${notes.length ? `<br><span class="muted">${notes.join("; ")}</span>` : ""}`;
};

const drawLink = (session, at, number) => {
  const link = below(session, `${at}links.${number}.`);
  if (!link("is_open")) return '<span class="muted">no connection to the master</span>';
  const sent = link("next_transfer_offset"), arrived = link("arrived_offset");
  const flight = sent > arrived ? `bytes ${arrived} to ${sent} in flight` : "nothing in flight";
  const report = !link("has_reported") ? "has not reported"
    : link("slave_ack_offset") < link("reported_offset")
      ? `report ${link("reported_offset")} sent, master read ${sayOffset(link("slave_ack_offset"))}`
      : `reported ${link("reported_offset")}`;
  const position = sent < 0n ? "no position yet" : `master sends from ${sent}`;
  return `<span class="wire">connected</span> ${report}; ${position}; ${flight}`;
};

const drawGroup = (session, at) => {
  const numbers = listMessages(session, at);
  const spans = numbers.filter((i) => session.get(`${at}messages.${i}.phase`) > 1n).map((i) =>
    [session.get(`${at}messages.${i}.start_offset`), session.get(`${at}messages.${i}.end_offset`)]);
  const master = below(session, `${at}master.`);
  const cards = [
    drawCard("producer", true, numbers.map((i) => drawMessage(session, at, i))),
    drawCard("master", master("is_up"), [
      drawLog(session, `${at}master.log.`, spans),
      drawFacts([["push2", master("push2_slave_max_offset")], ["connections", master("connection_count")],
        ["log epoch", LIVES[Number(master("ghost_life"))]], ["waits for slaves", master("is_sync")],
        ["committed", session.get(`${at}committed_offset.0`)]]),
    ], master("is_stopping") ? "stopping" : ""),
  ];
  for (let i = 0; session.get(`${at}slaves.${i}.is_up`) !== undefined; i += 1) {
    const slave = below(session, `${at}slaves.${i}.`);
    cards.push(drawCard(`slave ${i + 1}`, slave("is_up"), [
      drawLog(session, `${at}slaves.${i}.log.`, spans), drawLink(session, at, i),
      session.get(`${at}in_sync_state_set.${i + 1}`) ? "in the SyncStateSet" : "",
    ], slave("is_stopping") ? "stopping" : ""));
  }
  return cards;
};

const drawReaders = (session, at) => {
  const consumer = below(session, `${at}consumer.`), routes = below(session, `${at}routes.`);
  const message = below(session, `${at}message.`);
  const name = (isMaster, isSlave) =>
    [isMaster && "master", isSlave && "slave"].filter(Boolean).join(", ") || "nobody";
  const cached = consumer("cache_first") < 0n ? "nothing"
    : `${consumer("cache_first")} to ${consumer("cache_end") - 1n}`;
  const queues = ["master", "slave"].map((title, i) => {
    const broker = below(session, `${at}brokers.${i}.`);
    const isHeld = message(i ? "is_on_slave" : "is_on_master");
    return drawCard(`queue on the ${title}`, broker("is_up"), [drawFacts([
      ["queue", `[${broker("queue_min")}, ${broker("queue_max")})`],
      ["progress", sayOffset(broker("progress"))], ["on disk", sayOffset(broker("progress_on_disk"))],
      ["entries lead to messages from", broker("first_kept")],
      ["followed message", isHeld ? `index ${message(i ? "slave_offset" : "offset")}` : "not here"],
    ])]);
  });
  return [
    drawCard("consumer", consumer("is_running"), [drawFacts([
      ["pulls next", consumer("next_offset") < 0n ? "no queue" : consumer("next_offset")],
      ["is sent to", consumer("suggested_id") === 0n ? "master" : `broker ${consumer("suggested_id")}`],
      ["cached", cached], ["progress", sayOffset(consumer("progress"))],
      ["followed message", message("ghost_is_done") ? "consumed" : message("is_consuming") ? "being consumed"
        : message("is_cached") ? "cached" : "not consumed"],
    ])]),
    ...queues,
    drawCard("name server", true, [drawFacts([
      ["lists", name(routes("is_master_listed"), routes("is_slave_listed"))],
      ["consumer sees", name(routes("is_master_seen"), routes("is_slave_seen"))],
      ["slave knows its master", routes("is_master_known")],
    ])]),
  ];
};

const drawTable = (table) =>
  `version ${table("stamp")}.${table("counter")}, content ${table("content")}${table("has_entry") ? ", with the entry" : ""}`;

const drawTables = (session) => [0, 1].map((i) => {
  const broker = below(session, `brokers.${i}.`);
  const table = (name) => drawTable(below(session, `brokers.${i}.${name}.`));
  return drawCard(`broker ${i}`, broker("is_up"), [drawFacts([
    ["memory", broker("is_up") ? table("table") : "-"], ["file", table("file")],
    ["backup", table("backup")], ["change", broker("is_changing") ? "begun" : "none"],
  ])], broker("is_master") ? "master" : "slave");
}).concat(drawCard("name server", true, [drawFacts([
  ["lists as master", session.get("listed_master") < 0n ? "nobody" : `broker ${session.get("listed_master")}`],
])]));

const drawDelays = (session) => ["master", "slave"].map((title, i) => {
  const broker = below(session, `brokers.${i}.`);
  return drawCard(title, broker("is_up"), [drawFacts([
    ["delayed messages", broker("queue_max")], ["copy of the followed one", broker("has_copy")],
    ["delivery stands at", broker("position")], ["progress", broker("offset")],
    ["in the file", broker("file")],
  ])]);
});

/** All cards of a state; those that the last step has changed are marked. */
const drawState = (session) => {
  const cards = drawCards(session), { at } = session;
  if (at === 0) return cards.join("");
  session.move(at - 1);
  const before = drawCards(session);
  session.move(at);
  return cards.map((card, i) => (card === before[i] ? card
    : card.replace('class="card node', 'class="card node touched'))).join("");
};

const drawCards = (session) => {
  const has = (path) => session.get(path) !== undefined;
  const cards = [];
  for (const at of ["", "cluster."]) {
    if (has(`${at}master.is_up`)) cards.push(...drawGroup(session, at));
  }
  for (const at of ["", "reading."]) {
    if (has(`${at}consumer.is_running`)) cards.push(...drawReaders(session, at));
  }
  if (has("brokers.0.table.stamp")) cards.push(...drawTables(session));
  if (has("brokers.0.position")) cards.push(...drawDelays(session));
  return cards;
};

/** Every leaf with its meaning; those that the last step has changed are marked. */
const drawLeaves = (session) => {
  const changed = new Set(session.listChanges(session.at));
  const before = session.states[session.at - 1];
  const rows = session.structure.leaves.map((path, place) => {
    const told = BOOK.leaves[path.replace(/\.\d+(?=\.|$)/g, ".*")] ?? "";
    const was = changed.has(place) ? ` <span class="muted">was ${sayLeaf(path, before[place])}</span>` : "";
    return `<tr class="${changed.has(place) ? "changed" : ""}"><th scope="row"><code>${path}</code>
      <div class="muted">${asProse(told)}</div></th>
      <td>${sayLeaf(path, session.state[place])}${was}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Leaf</th><th scope="col">Value</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
};
