import { addTo, valueAt } from "../../base/maps.js";
import type { Ticks } from "../../base/units.js";
import { ROOT } from "../../profile/call-tree.js";
import { isEvaluated } from "../../profile/logged-name.js";
import { GC } from "../../profile/vm-state.js";
import type { Analysis } from "../analysis.js";
import type { DeoptRow } from "../deopts.js";
import type { ProfiledFunction } from "../function-table.js";
import type { HotLine } from "../hot-lines.js";
import { codeMadeAt, deletedAt, type MadeAt, programTexts, regexpMadeAt } from "../made-at.js";
import { SourceTexts } from "../source-texts.js";
import type { TicksAt } from "./counts.js";
import type { Finding, FindingKind, FindingPlace } from "./finding.js";
import type { NodeMarks } from "./marks.js";
import { MEGAMORPHIC } from "./rules.js";
import { type Evidence, mostRegexp, REGEXP } from "./words.js";

/** Where the ticks of a finding are. */
export interface Where {
  readonly places: readonly FindingPlace[];
  readonly caller?: FindingPlace | undefined;
}

/** What has so much of a line's ticks is the line, with what it does to call it: a part of 0 to 1. */
const OF_LINE = 0.8;

/** The frames at one line of a function; frames differ in tiers and inlining too. */
interface LineOfFrames {
  /** The frame with most ticks. */
  frame: number;
  most: Ticks;
  ticks: Ticks;
}

/** Returns what is the same for frames of one function that are at one line. */
export function lineOfFrame({ frames, table }: Analysis, frame: number): string {
  const one = frames[frame]!;
  return `${table.ofFrame[frame]} ${one.kind === "js" ? `${one.line} ${one.loop ?? ""}` : 0}`;
}

/** Returns lines of places, most ticks first. */
function linesOfFrames(of: Analysis, places: ReadonlyMap<number, Ticks>): LineOfFrames[] {
  const lines = new Map<string, LineOfFrames>();
  for (const [frame, ticks] of places) {
    const line = valueAt(lines, lineOfFrame(of, frame), () => ({ frame, most: 0, ticks: 0 }));
    line.ticks += ticks;
    if (ticks > line.most) {
      line.frame = frame;
      line.most = ticks;
    }
  }
  return Array.from(lines.values()).sort((a, b) => b.ticks - a.ticks || a.frame - b.frame);
}

/** The rows of the page, by function and {@link lineKey}. */
export type RowsByLine = ReadonlyMap<ProfiledFunction, ReadonlyMap<string, HotLine>>;

function lineKey(line: number, loop: number | undefined): string {
  return line > 0 ? String(line) : `${loop ?? ""}+`;
}

/** Returns rows by their lines; of several rows of one, the first. */
export function rowsByLine(rows: readonly HotLine[]): RowsByLine {
  const found = new Map<ProfiledFunction, Map<string, HotLine>>();
  for (const row of rows) {
    const lines = valueAt(found, row.function, () => new Map<string, HotLine>());
    const key = lineKey(row.line, row.loop);
    if (!lines.has(key)) lines.set(key, row);
  }
  return found;
}

/** Returns the places of frames, most ticks first, with the ticks of their rows where these are nearly the same. */
export function placesOf(
  of: Analysis,
  places: ReadonlyMap<number, Ticks>,
  rows?: RowsByLine,
): FindingPlace[] {
  const { frames, table } = of;
  const lines = linesOfFrames(of, places);
  return lines
    .flatMap(({ frame: index, ticks }): FindingPlace[] => {
      const frame = frames[index]!;
      const owner = table.functions[table.ofFrame[index]!]!;
      if (frame.kind !== "js") return [];
      const { column, loop } = frame;
      const line = frame.line > 0 ? frame.line : (loop ?? owner.line);
      if (line === undefined || owner.file === undefined || owner.file === "") return [];
      const row = rows?.get(owner)?.get(lineKey(frame.line, loop));
      const ofRow = rowTicks(row, ticks, lines.length === 1);
      return [
        {
          function: owner,
          line,
          ticks: ofRow ?? ticks,
          column,
          isLineKnown: frame.line > 0 || loop !== undefined,
          isRow: ofRow !== undefined,
        },
      ];
    })
    .sort((a, b) => b.ticks - a.ticks);
}

/**
 * Returns the ticks of a row that are of a finding, but for the little that its line does beside; undefined if there are none. Callbacks
 * are in the total of a row alone, and rows have that in common.
 */
function rowTicks(row: HotLine | undefined, ticks: Ticks, isAlone: boolean): Ticks | undefined {
  if (row === undefined) return undefined;
  const all = ticks <= row.ticks ? row.ticks : isAlone ? row.total : 0;
  return ticks <= all && ticks >= OF_LINE * all ? all : undefined;
}

/** Returns places with the ticks of rows that are nearly all theirs, as long as they have together no more than `most`. */
export function withRows(places: readonly FindingPlace[], rows: RowsByLine, most: Ticks): FindingPlace[] {
  let rest = most - places.reduce((sum, { ticks }) => sum + ticks, 0);
  return places.map((one) => {
    const row = one.isLineKnown ? rows.get(one.function)?.get(lineKey(one.line, undefined)) : undefined;
    const more = (row?.ticks ?? 0) - one.ticks;
    if (row === undefined || more < 0 || more > rest || one.ticks < OF_LINE * row.ticks) return one;
    rest -= more;
    return { ...one, ticks: row.ticks, isRow: true };
  });
}

/**
 * Returns the hottest line of the program's optimized code that is called by what calls inline caches without a known caller: the sampler
 * skips the function that has the cache, so that its caller is on the stack in its place.
 */
export function likelyPlace(of: Analysis, { rule, inner }: NodeMarks): FindingPlace | undefined {
  const { tree, samples, frames, origins } = of;
  const isCaller = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (rule[node] === MEGAMORPHIC + 1) isCaller[tree.parent[node]!] = 1;
  }
  const isBelow = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const parent = tree.parent[node]!;
    isBelow[node] = isBelow[parent]! | isCaller[parent]!;
  }
  const own = new Map<number, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const frame = frames[tree.frame[node]!]!;
    if (isBelow[node] !== 1 || inner[node] !== tree.frame[node] || frame.kind !== "js") continue;
    const isOptimized = frame.tier === "*" || frame.tier === "+";
    if (isOptimized && origins[tree.frame[node]!]!.kind !== "node")
      addTo(own, tree.frame[node]!, samples.ticks[i]!);
  }
  const texts = new SourceTexts(of.sources, () => undefined);
  return placesOf(of, own).find(({ function: { file }, line }) =>
    ACCESSES.test(texts.lineOf(file, line) ?? "a.b"),
  );
}

/** What loads a property of an object. */
const ACCESSES = /[\w)\]]\.[A-Za-z_$#]|\w\[|\} =/;

/** Returns where ticks are, and what calls the first of these places most. */
export function whereOf(of: Analysis, { places, calls = new Map() }: TicksAt, rows?: RowsByLine): Where {
  const found = placesOf(of, places, rows);
  const [best] = found;
  const { frames, table } = of;
  const callers = new Map<number, Ticks>();
  for (const [place, from] of calls) {
    const frame = frames[place]!;
    const owner = table.functions[table.ofFrame[place]!]!;
    const line = frame.kind === "js" && frame.line > 0 ? frame.line : owner.line;
    if (owner !== best?.function || line !== best.line) continue;
    for (const [caller, ticks] of from) addTo(callers, caller, ticks);
  }
  const calling = placesOf(of, callers);
  const isOfMost = (one: FindingPlace) => one.isLineKnown && one.function === calling[0]!.function;
  return { places: found, caller: calling.find(isOfMost) ?? calling[0] };
}

/** The kinds with the regular expression that does most. */
const TELLS_REGEXP = new Set<FindingKind>(["regexp", "regexp-compile", "text-replace"]);

/** Returns where the regular expression of a finding is made, or the code that it is in. */
export function madeOf(
  { sources, table }: Analysis,
  kind: FindingKind,
  { place, names }: { readonly place: FindingPlace | undefined; readonly names: Evidence["names"] },
): MadeAt | undefined {
  if (place === undefined) return undefined;
  const { file = "" } = place.function;
  const regexp = TELLS_REGEXP.has(kind) ? mostRegexp(names) : undefined;
  if (regexp === undefined && !isEvaluated(file)) return undefined;
  const texts = programTexts(sources, table);
  const made = regexp === undefined ? codeMadeAt(texts) : regexpMadeAt(texts, regexp.slice(REGEXP.length));
  return made?.file === file && made.line === place.line ? undefined : made;
}

/** Returns the line of the makers with most ticks, unless it is the place. */
export function makerOf(
  of: Analysis,
  { kind, place }: Pick<Finding, "kind" | "place">,
  makers: ReadonlyMap<number, Ticks>,
): MadeAt | undefined {
  const [most] = makers.size === 0 ? [] : placesOf(of, makers);
  if (most === undefined && kind === "slow-properties") return deletedAt(programTexts(of.sources, of.table));
  if (most === undefined || (most.function === place?.function && most.line === place.line)) return undefined;
  return { file: most.function.file ?? "", line: most.line, column: most.column ?? 1 };
}

/** Whether ticks of a kind are beside those of its places: it follows them, or is made for them. */
export function isPartOfPlace(kind: FindingKind): boolean {
  return kind === "gc" || kind === "loading" || kind === "optimizing" || kind === "package";
}

/** Returns the ticks in which V8 did something, with the places that they came from. */
export function ticksInState(of: Analysis, marks: NodeMarks, state: number): TicksAt {
  const { ticks, vmState } = of.samples;
  return ticksWith(of, marks, (sample) => (vmState[sample] === state ? ticks[sample]! : 0));
}

/** Returns ticks by sample with the places that they came from. */
export function ticksWith(
  { samples }: Analysis,
  { place }: NodeMarks,
  ofSample: (sample: number) => Ticks,
): TicksAt {
  const places = new Map<number, Ticks>();
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const ticks = ofSample(i);
    if (ticks === 0) continue;
    sum += ticks;
    const at = place[samples.node[i]!]!;
    if (at >= 0) addTo(places, at, ticks);
  }
  return { ticks: sum, places };
}

/** Returns where a function begins that was deoptimized. */
export function placeOfDeopt({ table }: Analysis, { position, cost }: DeoptRow): FindingPlace[] {
  const owner = table.functions.find(
    ({ file, line, column }) =>
      file === position?.file && line === position?.line && column === position?.column,
  );
  if (owner?.line === undefined) return [];
  return [
    { function: owner, line: owner.line, ticks: cost, column: owner.column, isLineKnown: true, isRow: true },
  ];
}

/** Returns where garbage was made: V8 collects when memory is asked for, so it is what ran just before, more often than not. */
export function placesOfGarbage(of: Analysis, { place }: NodeMarks): FindingPlace[] {
  const before = new Map<number, Ticks>();
  const { samples, timeline } = of;
  /** By thread: the place of its last tick that collected nothing. */
  const last = new Int32Array(of.info.threads.length).fill(-1);
  for (let i = 0; i < (timeline?.length ?? 0); i++) {
    const sample = timeline!.sample[i]!;
    const thread = samples.thread[sample]!;
    if (samples.vmState[sample] !== GC) last[thread] = place[samples.node[sample]!]!;
    else if (last[thread]! >= 0) addTo(before, last[thread]!, timeline!.ticks?.[i] ?? 1);
  }
  return placesOf(of, before);
}
