import { TIME_TITLES } from "../profile/categories.js";
import { mainCategory } from "./activity.js";
import type { Chart } from "./chart.js";
import { boxTitle, type Picture, ROW_HEIGHT } from "./chart-view.js";
import { LONG_TURN } from "./colors.js";
import { element } from "./elements.js";
import { type OverTime, turnLength } from "./strips.js";
import type { Viewport } from "./viewport.js";

/** Copies a text. Returns whether that worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page from a disk may not be allowed to use the clipboard, but a selection can be copied.
    const box = element("textarea", { value: text, className: "unseen" });
    document.body.append(box);
    box.select();
    const isCopied = document.execCommand("copy");
    box.remove();
    return isCopied;
  }
}

/** Saves a file of the browser's download folder. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inTable).join(" | ")} |`;
  const rule = `| ${head.map((_, i) => (i < head.length - 1 ? "--:" : "---")).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** What GitHub makes a link of, though it has no markup: `https://…`, `www.…` and addresses; and what readers of tables disagree on. */
const MUST_BE_CODE = /[:@\\]|www\./i;

/** Markdown reads neither markup, links nor columns in it. */
export function inTable(text: string): string {
  const line = text.replace(/\s+/g, " ");
  if (!MUST_BE_CODE.test(line)) return line.replace(/[\\`*_[\]<>|#&~]/g, "\\$&");
  const longest = Array.from(line.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  const pad = /^[ `]|[ `]$/.test(line) ? " " : "";
  return `${fence}${pad}${line.replaceAll("\\|", "\\x5c|").replaceAll("|", "\\|")}${pad}${fence}`;
}

/** Narrower boxes are left out of a drawing, in pixels. */
const LEAST_WIDTH = 0.4;
const LETTER = 7;
const HEADING = 26;

/** What a drawing shows. */
interface Drawing {
  readonly title: string;
  readonly picture: Picture;
  readonly view: Viewport;
  readonly width: number;
}

/** Returns the visible part of a chart as a drawing of its own, an SVG document. */
export function svgOf({ title, picture, view, width }: Drawing): string {
  const { chart, look, labels, isFlame } = picture;
  const { palette } = look;
  const fills = look.fillsOf(chart.graph);
  const [first, last] = rowsSeen(chart, view);
  const height = HEADING + (last - first + 1) * ROW_HEIGHT;
  const yOf = (row: number) =>
    isFlame ? height - (row - first + 1) * ROW_HEIGHT : HEADING + (row - first) * ROW_HEIGHT;
  const parts = picture.overTime === undefined ? [] : strips({ picture, view, width }, picture.overTime, yOf);
  for (let row = first; row <= last; row++) {
    for (const box of chart.rows[row] ?? []) {
      const x = ((chart.start[box]! - view.start) * width) / view.span;
      const right = Math.min(width, x + (chart.span[box]! * width) / view.span);
      const left = Math.max(0, x);
      if (right - left < LEAST_WIDTH) continue;
      const y = yOf(row);
      const name = boxTitle({ chart, labels }, box);
      const place = labels.places[chart.graph.function[chart.node[box]!]!] ?? "";
      const room = Math.floor((right - left - 6) / LETTER);
      const text = name.length <= room ? name : room < 3 ? "" : `${name.slice(0, room - 1)}…`;
      const size = `x="${left.toFixed(2)}" y="${y}" width="${Math.max(0.4, right - left - 0.5).toFixed(2)}" height="${ROW_HEIGHT - 1}"`;
      const label =
        text === "" ? "" : `<text x="${(left + 3).toFixed(2)}" y="${y + 14}">${inXml(text)}</text>`;
      const fill = hexOf(fills.plain[chart.node[box]!]!);
      parts.push(
        `<g><title>${inXml(`${name} ${place}`.trim())}</title><rect ${size} fill="${fill}"/>${label}</g>`,
      );
    }
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${palette.text}">`,
    `<rect width="100%" height="100%" fill="${palette.background}"/>`,
    `<text x="4" y="17" font-weight="600">${inXml(title)}</text>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** Columns of a drawing of what a thread did. */
const COLUMNS = 600;

/** Returns what threads did above their frames, and their turns. */
function strips(
  { picture: { chart, look }, view, width }: Omit<Drawing, "title">,
  { times, activity }: OverTime,
  yOf: (row: number) => number,
): string[] {
  const { palette } = look;
  const seen = { from: times.from + view.start, to: times.from + view.start + view.span };
  const size = (seen.to - seen.from) / COLUMNS;
  const xOf = (time: number) => Math.min(width, Math.max(0, ((time - seen.from) * width) / view.span));
  const rect = (from: number, to: number, row: number, fill: string, title: string) =>
    `<rect x="${xOf(from).toFixed(2)}" y="${yOf(row)}" width="${(xOf(to) - xOf(from)).toFixed(2)}" height="${ROW_HEIGHT - 1}" fill="${fill}"><title>${inXml(title)}</title></rect>`;
  return (chart.tracks ?? []).flatMap(({ thread, strip, turns }) => {
    const main = Array.from({ length: COLUMNS }, (_, column) => {
      const from = seen.from + column * size;
      return mainCategory(activity.of([thread], { from, to: from + size }, 1));
    });
    const begins = main.flatMap((category, i) => (i === 0 || category !== main[i - 1] ? [i] : []));
    const ran = begins.flatMap((begin, i) => {
      const category = main[begin];
      const [from, to] = [begin, begins[i + 1] ?? COLUMNS].map((column) => seen.from + column * size);
      if (category === undefined) return [];
      return [rect(from!, to!, strip, palette.categories[category], TIME_TITLES[category])];
    });
    const own = times.threads[thread]!.turns.filter(
      ({ start, length }) => start < seen.to && start + length > seen.from,
    );
    return [
      ...ran,
      ...own.map((turn) => {
        const fill = turn.length > LONG_TURN ? palette.longTurn : palette.turn;
        return rect(turn.start, turn.start + turn.length, turns, fill, `${turn.title}: ${turnLength(turn)}`);
      }),
    ];
  });
}

/** Returns the first and the last row with a box that is visible, or with what a thread did. */
function rowsSeen(chart: Chart, { start, span }: Viewport): readonly [number, number] {
  const isSeen = (box: number) =>
    chart.start[box]! < start + span && chart.start[box]! + chart.span[box]! > start;
  const seen = chart.rows.flatMap((boxes, row) => (boxes.some(isSeen) ? [row] : []));
  return [Math.min(seen[0] ?? 0, chart.tracks?.[0]?.strip ?? Number.POSITIVE_INFINITY), seen.at(-1) ?? 0];
}

function hexOf(packed: number): string {
  const bytes = [packed & 0xff, (packed >> 8) & 0xff, (packed >> 16) & 0xff];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What XML 1.0 cannot say is left out. */
function inXml(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 32 || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff) return "";
    return ESCAPES[character] ?? character;
  }).join("");
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
