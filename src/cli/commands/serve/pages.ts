import { createHash } from "node:crypto";
import { printable, printableLines } from "../../../base/shown-text.js";
import { sized } from "../../../base/text.js";
import { plainly } from "../../../render/spoken.js";
import { REPORTS } from "../../../reports/reports.js";
import type { Entry } from "./entries.js";

/** What a page shows: a command, of one entry or of two. */
export interface PageQuery {
  /** The command that makes it. */
  readonly view: string;
  /** The function or file that it is about; undefined for all. */
  readonly name?: string | undefined;
  /** One entry, or before and after. */
  readonly entries: readonly Entry[];
}

/** The views of one entry, in the order of their links; the first is the one to start with. */
export const VIEWS: readonly string[] = [
  "top",
  "flame",
  ...Object.entries(REPORTS).flatMap(([name, { args }]) =>
    name === "top" || /\bNAME\b/.test(args) ? [] : [name],
  ),
];
/** The views of one thing in an entry: of a function, or of the lines of a file. */
export const NAMED_VIEWS: readonly string[] = ["function", "lines"];
/** The views of two. */
export const COMPARISONS: readonly string[] = ["diff", "flame"];

const STYLE = `
:root { color-scheme: light dark; --line: #d5dbe1; --quiet: #56606b; --accent: #0b57d0; --back: #fff; --text: #14181d; }
@media (prefers-color-scheme: dark) {
  :root { --line: #343c45; --quiet: #9aa5b1; --accent: #8ab4ff; --back: #14181d; --text: #e8edf2; }
}
body { margin: 0 auto; padding: 16px; max-width: 1200px; font: 14px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 18px; margin: 0 0 8px; overflow-wrap: anywhere; }
p, caption { color: var(--quiet); text-align: left; margin: 0 0 8px; }
a { color: var(--accent); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; vertical-align: top; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 160px; }
td small { color: var(--quiet); display: block; font-size: 12px; }
.number { text-align: right; }
.pick { text-align: center; }
nav { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0 0 12px; }
nav a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
button { font: inherit; padding: 4px 12px; margin: 12px 8px 12px 0; }
pre { font: 12px/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto; margin: 0 0 12px; tab-size: 4; }
pre .said { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.notes { color: var(--quiet); white-space: pre-wrap; border-top: 1px solid var(--line); padding-top: 8px; }
`;

/** The policy of the pages made here: nothing but their style, and forms that ask this server. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function listPage(folder: string, entries: readonly Entry[]): string {
  const title = `ticks: ${printable(folder)}`;
  if (entries.length === 0) {
    return page(title, "<p>No logs here yet. Record one with: <code>ticks record -- node app.js</code></p>");
  }
  const rows = entries.map((entry) => {
    const name = printable(entry.name);
    const pick = (side: string) =>
      `<td class="pick"><input type="radio" name="${side}" value="${escaped(entry.name)}" aria-label="${escaped(`${side}: ${name}`)}"></td>`;
    const about = [entry.title === entry.name ? "" : name, entry.size].filter((text) => text !== "");
    return [
      `<tr>${pick("before")}${pick("after")}`,
      `<td class="name"><a href="${linkTo(VIEWS[0]!, entry)}">${escaped(printable(entry.title))}</a>`,
      `<small>${escaped(about.join(", "))}</small></td>`,
      `<td>${timeOf(entry.time)}</td><td class="number">${plainly(sized(entry.bytes), {})}</td>`,
      `<td><a href="${linkTo("flame", entry)}">flame graph</a>${entry.before ? ` <a href="${linkTo("diff", entry.before, entry)}">what changed</a>` : ""}</td></tr>`,
    ].join("");
  });
  return page(
    title,
    `<form method="get"><div class="wide"><table>
<thead><tr><th class="pick">before</th><th class="pick">after</th><th>what ran</th><th>when</th><th class="number">size</th><th></th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>
${entries.length < 2 ? "" : '<button formaction="diff">Compare in numbers</button><button formaction="flame">Compare flame graphs</button>'}
</form>`,
  );
}

/** What a command printed. */
interface Printed {
  readonly text: string;
  /** Its warnings and errors. */
  readonly notes: string;
}

export function textPage(query: PageQuery, { text, notes }: Printed): string {
  const { view, entries } = query;
  const titles = entries.map(({ name, title }) => (title === name ? name : `${title} (${name})`));
  const title = printable(titles.join(" → "));
  const links = (entries.length > 1 ? COMPARISONS : VIEWS).map((name) => {
    const here = name === view ? ' aria-current="page"' : "";
    return `<a href="${linkTo(name, ...entries)}"${here}>${name}</a>`;
  });
  const parts = [
    `<nav><a href="./">all logs</a> ${links.join(" ")}</nav>`,
    text === "" ? "" : `<pre>${linkedText(text, query)}</pre>`,
    notes === "" ? "" : `<pre class="notes">${escaped(printableLines(notes.trimEnd()))}</pre>`,
  ];
  return page(title, parts.join("\n"));
}

/** Longer lines that are no rows of a table wrap. */
const LONG_LINE = 40;
/** `app.js:12`, `app.js:12:5`, with what a sentence puts after it. */
const POSITION = /^([^:(]{1,1000}\.[cm]?[jt]sx?):(\d{1,9})(?::\d{1,9})?\b/;

/** Returns the text of a report as HTML: sentences wrap, and positions and commands are links to their pages. */
function linkedText(text: string, { view, entries }: PageQuery): string {
  const [entry] = entries;
  let section = "";
  const lines = text.split("\n").map((line) => {
    if (line.startsWith(" [")) section = line;
    const isSentence = line.length > LONG_LINE && !/\S {2}|^ {2}ticks /.test(line);
    if (entry === undefined || entries.length > 1) return { html: escaped(line), isSentence };
    const isOfFunctions = view === "function" || view === "tree" || section.startsWith(" [Functions");
    const html = commandLink(line, entry) ?? linkedLine(line, entry, isOfFunctions);
    return { html, isSentence };
  });
  return lines
    .map(({ html, isSentence }) => (isSentence ? `<span class="said">${html}\n</span>` : `${html}\n`))
    .join("");
}

/** Returns a line whose positions are links: to the function that begins there, or to the lines of the file. */
function linkedLine(line: string, entry: Entry, isOfFunctions: boolean): string {
  return line
    .split(" ")
    .map((word) => {
      const [position, file = ""] = POSITION.exec(word) ?? [];
      if (position === undefined || file.startsWith("-")) return escaped(word);
      const address = isOfFunctions ? linkTo("function", entry) : linkTo("lines", entry);
      const name = encodeURIComponent(isOfFunctions ? position : file);
      return `<a href="${address}&amp;name=${name}">${escaped(position)}</a>${escaped(word.slice(position.length))}`;
    })
    .join(" ");
}

/** Returns a command of `[Next]` as a link to its page; undefined for other lines, and for what has none. */
function commandLink(line: string, entry: Entry): string | undefined {
  if (!line.startsWith("  ticks ")) return undefined;
  const words = Array.from(line.trim().matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!);
  const [, view = "", path, name, ...rest] = words;
  if (path !== entry.path || rest.length > 0) return undefined;
  const isNamed = name !== undefined;
  if (!(isNamed ? NAMED_VIEWS : VIEWS).includes(view) || name?.startsWith("-")) return undefined;
  const end = isNamed ? `&amp;name=${encodeURIComponent(name)}` : "";
  return `  <a href="${linkTo(view, entry)}${end}">${escaped(line.trim())}</a>`;
}

/** Returns a page that says why there is none. */
export function errorPage(message: string): string {
  return page("ticks", `<p>${escaped(message)}</p><p><a href="./">all logs</a></p>`);
}

/** Returns the address of a page, from the folder of all pages. */
function linkTo(view: string, ...entries: readonly Entry[]): string {
  const keys = entries.length > 1 ? ["before", "after"] : ["of"];
  return escaped(
    `${view}?${entries.map(({ name }, i) => `${keys[i]}=${encodeURIComponent(name)}`).join("&")}`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${body}
</main></body></html>
`;
}

/** Returns when something was written, in local time, to the minute. */
function timeOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
