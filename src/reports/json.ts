import { LONG_LINE } from "../base/limits.js";
import { jsonText } from "../base/shown-text.js";
import type { Text } from "../base/text.js";
import type { Count, FromOne, FromTwo, Integer, Microseconds, Percent, Ticks } from "../base/units.js";
import { VERSION } from "../base/version.js";
import {
  type InferredData,
  type LoggedFunction,
  loggedFunction,
  type NamedFunction,
} from "../facts/document-parts.js";
import type { FunctionNames, ShownName } from "../facts/function-names.js";
import type { Callable } from "../facts/function-stacks.js";
import { type ProfiledFunction, type ShownFunction, shownTitle } from "../facts/function-table.js";
import type { PlacesInLine } from "../facts/line-places.js";
import type { LineTicks } from "../facts/line-ticks.js";
import type { OriginKind } from "../facts/origin.js";
import { percentOf } from "../facts/shares.js";
import type { ScriptLines, SourceTexts } from "../facts/source-texts.js";
import { type ThreadTotals, threadTotals } from "../facts/thread-totals.js";
import type { TierName, TierNames } from "../facts/tier-names.js";
import type { TierTicks } from "../facts/tier-ticks.js";
import { CATEGORIES, type Category, type FunctionKind } from "../profile/categories.js";
import type { InputKind, Profile, ProfileInfo, WaitedTicks } from "../profile/profile.js";
import { versionText } from "../profile/v8-version.js";
import { IDLE_INFERRED, VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { plainly, type Unit } from "../render/spoken.js";
import { textAround } from "./words.js";

/**
 * A sentence of a document. Pages mark the names in it.
 * @asType string
 */
export interface Sentence {
  readonly kind: "sentence";
  readonly text: Text;
}

/** Makes a {@link Sentence}. */
export function sentence(text: Text): Sentence {
  return { kind: "sentence", text };
}

export interface JsonLayout {
  /** What its sentences count. Default: the ticks of a log. */
  readonly unit?: Unit | undefined;
  /** Whether to indent levels and put each value on its own line. Default: false. */
  readonly pretty?: boolean | undefined;
}

/** A list or an object that is being written. */
interface Open {
  readonly end: "]" | "}";
  /** The keys of the values; undefined for a list. */
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
}

/** Compact documents start a new line after this many characters. */
const LINE_LENGTH = 1 << 16;

/**
 * Yields the lines of a JSON document: pretty, like `JSON.stringify` with two spaces, or compact, in as few
 * lines as possible without keeping a large document in memory. Values are formatted by {@link jsonText}. The
 * document can have any size and depth.
 */
export function* jsonLines(
  document: unknown,
  { pretty = false, unit = {} }: JsonLayout = {},
): Iterable<string> {
  const textOf = texts(isOfProfile(document), unit);
  const levels: Open[] = [];
  let line = "";
  let value = document;
  for (;;) {
    const opened = open(value);
    if (opened === undefined) line += textOf(value);
    else if (opened.values.length === 0) line += opened.keys === undefined ? "[]" : "{}";
    else {
      line += opened.keys === undefined ? "[" : "{";
      levels.push(opened);
      if (pretty) {
        yield line;
        line = indent(levels.length);
      }
      line += keyOf(opened, pretty);
      value = opened.values[opened.next++];
      continue;
    }
    let level = levels.at(-1);
    while (level !== undefined && level.next === level.values.length) {
      levels.pop();
      if (pretty) {
        yield line;
        line = indent(levels.length);
      }
      line += level.end;
      level = levels.at(-1);
    }
    if (level === undefined) break;
    line += ",";
    if (pretty || line.length >= LINE_LENGTH) {
      yield line;
      line = pretty ? indent(levels.length) : "";
    }
    line += keyOf(level, pretty);
    value = level.values[level.next++];
  }
  yield line;
}

/** Returns a number of ticks with two decimals: where samples weigh their time it is a fraction. */
export function jsonTicks(ticks: Ticks): Ticks {
  return Math.round(ticks * 100) / 100;
}

/** Returns whether a document is of a profile that is no log: its numbers have two decimals, as ticks are fractions there. */
function isOfProfile(document: unknown): boolean {
  return typeof document === "object" && document !== null && "input" in document;
}

/** Returns what makes the texts of values. `isRounded`: whether numbers get two decimals. */
function texts(isRounded: boolean, unit: Unit): (value: unknown) => string {
  const longText = oncePerLongText();
  return (value) => {
    if (typeof value === "number" && isRounded) return jsonText(jsonTicks(value));
    if (typeof value === "string" && value.length > LONG) return longText(value);
    return jsonText(isSentence(value) ? plainly(value.text, unit) : value);
  };
}

/** Texts that are longer are escaped once, if all such are at most so long together: a log can have one long name in thousands of rows. */
const LONG = 1000;
const KEPT_LENGTH = 1 << 24;

function oncePerLongText(): (value: string) => string {
  const known = new Map<string, string>();
  let kept = 0;
  return (value) => {
    const text = known.get(value) ?? jsonText(value);
    if (known.has(value)) return text;
    kept += text.length;
    if (kept > KEPT_LENGTH) {
      known.clear();
      kept = text.length;
    }
    known.set(value, text);
    return text;
  };
}

function open(value: unknown): Open | undefined {
  if (typeof value !== "object" || value === null || isSentence(value)) return undefined;
  if (Array.isArray(value)) return { end: "]", keys: undefined, values: value, next: 0 };
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return { end: "}", keys: entries.map(([key]) => key), values: entries.map(([, part]) => part), next: 0 };
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && (value as Partial<Sentence> | null)?.kind === "sentence";
}

/** Returns the key of the next value; empty in a list. */
function keyOf({ keys, next }: Open, pretty: boolean): string {
  return keys === undefined ? "" : `${jsonText(keys[next])}:${pretty ? " " : ""}`;
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

// The types here and in the json.ts of each report are what the build makes the JSON schemas of: their docstrings are its
// descriptions, and the tags of a type its limits.

export type { Count, FromOne, FromTwo, Integer, Microseconds, Percent } from "../base/units.js";
export type { InferredData, LoggedFunction } from "../facts/document-parts.js";

/** The first keys of every JSON document. */
export interface JsonDocument<Command extends string> {
  readonly command: Command;
  /** The version of ticks that wrote this document. */
  readonly version: string;
  /** Increases when a key changes its meaning or is removed. */
  readonly schemaVersion: 1;
}

/** The first keys of every JSON document about a profile. */
export interface JsonHead<Command extends string> extends JsonDocument<Command> {
  /**
   * The logs that were read.
   * @minItems 1
   */
  readonly logs: readonly string[];
  /** What the logs are if they are none: ticks are samples then. */
  readonly input?: InputKind;
  /** What a tick is in a profile of memory. Missing for all others. */
  readonly memory?: MemoryData;
  /** The versions of V8 that wrote the logs. Empty if no log says. */
  readonly v8: readonly string[];
  /** The ticks that percentages refer to: all but the excluded ones. */
  readonly ticks: Ticks;
  /** Ticks removed by a filter, with those that waited. */
  readonly excludedTicks: Ticks;
  readonly waited?: WaitedData;
  /** One per isolate, by process, main threads first. Their ticks sum to ticks. */
  readonly threads: readonly ThreadData[];
}

/**
 * Those of the excluded ticks in which the thread waited: it was idle or in Atomics.wait. Missing if there are none, and if
 * such ticks count, as with --idle.
 */
export interface WaitedData {
  readonly ticks: Ticks;
  /** The same by VM state, without those that have none. */
  readonly states: WaitedStates;
}

export type WaitedStates = {
  readonly [State in "atomics-wait" | "idle" | "idle-external" | "idle-inferred"]?: Ticks;
};

/** What a tick is in a profile of memory. */
export interface MemoryData {
  readonly of: "bytes" | "objects";
  /**
   * How many a tick is.
   * @minimum 0
   */
  readonly tick: number;
  /** Whether they are all that was allocated, or what was alive at the end; some files do not tell. */
  readonly is: "allocated" | "alive" | "unknown";
}

/** A thread, in the same form in all documents. */
export interface ThreadData {
  /** Unique among the threads; --thread takes it. */
  readonly name: string;
  /** null if the log does not tell: several threads can share one file. */
  readonly kind: "main" | "worker" | null;
  /** From the log's file name. */
  readonly pid: Integer | null;
  /**
   * The address of the isolate, or the number of the thread of a worker's CPU profile, from the file name.
   * @pattern ^(?:0x[0-9a-f]+|[0-9]+)$
   */
  readonly isolate: string | null;
  /** The thread's log. */
  readonly log: string;
  /** The command of its process, as ticks record noted it. Absent without a recording. */
  readonly program?: string;
  /** The version of Node that ran it, as ticks record noted it. */
  readonly node?: string;
  /** The name that the program gave its worker, as ticks record noted it. */
  readonly workerName?: string;
  /** Without the excluded ones. */
  readonly ticks: Ticks;
  /** Removed by a filter, or because they waited. */
  readonly excludedTicks: Ticks;
  /** From the thread's first tick to its last. */
  readonly spanUs: Microseconds;
  /** Its ticks by what they were doing, as in `ticks top`. */
  readonly categories: CategoryTicks;
  /** Its ticks by VM state. */
  readonly states: StateTicks;
}

export type CategoryTicks = { readonly [Name in Category]: Ticks };

export interface StateTicks extends Readonly<Record<Exclude<VmStateName, "idle-inferred">, Ticks>> {
  /** Not a state of V8, which says external, but the thread most likely waited. Only if there are any. */
  readonly "idle-inferred"?: Ticks;
}

/** Whose code it is. */
export type OriginName = OriginKind;

/** null for code in no tier. V8 before 5.9 had only full-codegen and Crankshaft. */
export type TierOrNone = TierName | null;

/** Ticks by tier, the slowest first. */
export type TierShares = readonly TierShare[];

export interface TierShare {
  readonly tier: TierOrNone;
  readonly ticks: Ticks;
}

export interface FunctionData extends NamedFunction {
  /** js, native, library (code without a symbol), unknown, or V8's own code: builtin, bytecode-handler, regexp, stub, ... */
  readonly kind: string;
  readonly origin: OriginName;
  /** The npm package, app, node, v8, the library's file name, or unknown. */
  readonly package: string;
  /** V8's own name of the kind of its code, if `kind` does not tell it. */
  readonly codeType?: string;
}

/** What ticks took, exactly: only of profiles that are no logs, whose samples have times. */
export interface TimesData {
  /** In the code itself. */
  readonly selfUs?: Microseconds;
  /** In the code and what it called. */
  readonly totalUs?: Microseconds;
  /** The same of a profile of memory: bytes that the code allocated itself, and with what it called. */
  readonly selfBytes?: Count;
  readonly totalBytes?: Count;
  /** The same where objects are counted. */
  readonly selfObjects?: Count;
  readonly totalObjects?: Count;
}

/** Ticks of a function. */
export interface Weights extends TimesData {
  /** In the function itself. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  /** In the function and what it called. A recursive function counts once per stack. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
}

export interface FunctionWeights extends FunctionData, Weights {}

export interface ScriptsData {
  /** How many scripts of one name and text it stands for. Absent if it is one. */
  readonly scripts?: FromTwo;
}

/** A function or a VM state. Both are null if there is no caller. */
export interface CallableData {
  readonly function: FunctionData | null;
  /** The VM state that native code without a caller was in; null for a function. */
  readonly state: StateName | null;
}

/** A VM state. idle-inferred is none of V8's: it says external, but the thread most likely waited. */
export type StateName = VmStateName;

/**
 * The callers that stacks lack, because V8 did not log their functions, such as those of Node's startup snapshot. A function
 * shown as the caller may not be the direct one then.
 */
export interface MissingCallersData {
  /** All callers, each as often as ticks passed it. Inlined functions do not count. */
  readonly callers: Count;
  /** Those that are missing. */
  readonly missing: Count;
  /** Ticks whose stack lacks one. */
  readonly ticks: Ticks;
  /**
   * Those of them whose stack lacks one below a function of the program: only there does it change who calls whom in the
   * program.
   */
  readonly ticksBelowProgram: Ticks;
  /** Ticks of the interpreter in such a function. They count as the bytecode handler's. */
  readonly interpretedTicks: Ticks;
}

/** A position in a script. */
export interface PositionData {
  /** As logged. `unknown` for code without a file. */
  readonly file: string;
  readonly line: Integer;
  readonly column: Integer;
}

/** An error in the logs, by kind. */
export interface DiagnosticData {
  readonly code: string;
  readonly count: FromOne;
  /** The first line with it. */
  readonly line: FromOne;
  readonly message: string;
}

/** Where the text of the script is from. A file on disk may have changed since. */
export type TextFrom = "log" | "disk" | null;

export interface LineData extends ScriptsData, TimesData {
  /** The script as logged, or the library. Empty if there is none. */
  readonly file: string;
  /** From 1. null for ticks of a function whose line is unknown. */
  readonly line: Integer | null;
  /**
   * Where the function begins, from 1, if it begins in this line, or in that of the loop, and the line is a long one or has
   * several functions with ticks. Otherwise absent.
   */
  readonly column?: FromOne;
  /**
   * Where the loop begins that an unknown line is in. Maglev's code has lines for the first round of a loop only. Absent if
   * the line is known, or not known to be in a loop.
   */
  readonly loop?: FromOne;
  /** The function with the most ticks on the line. */
  readonly function: FunctionData;
  /** In the code of the line itself. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  /** In the line and what it called. Each stack counts once. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
  /** Of total, those whose line is not in the log, but the only one possible. Absent if there are none. */
  readonly inferred?: Ticks;
  /**
   * In ticks lines: where a line longer than 200 characters runs and calls. In ticks function: this, and where a line with
   * several calls does. At most the 20 places with the most ticks, in their order. Absent if there is one, or the log does not
   * tell.
   */
  readonly places?: readonly PlaceData[];
  /** The line; of a long one the 160 characters around the column, or its first ones. null if there is no text. */
  readonly text: string | null;
}

/** A place in a line. */
export interface PlaceData extends TimesData {
  /** From 1. null, in the last one, for ticks at unknown places. */
  readonly column: FromOne | null;
  readonly self: Ticks;
  readonly selfPercent: Percent;
  /** Each stack counts once, so places of one line can sum to more than the line. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
}

/** An object with null for what is undefined in `Of`. */
type OrNull<Of> = {
  readonly [Key in keyof Of]: undefined extends Of[Key] ? Exclude<Of[Key], undefined> | null : Of[Key];
};

/** Returns facts with null for those that are not known. */
export function orNull<Facts extends object>(facts: Facts): OrNull<Facts> {
  const entries = Object.entries(facts).map(([key, fact]) => [key, fact ?? null]);
  return Object.fromEntries(entries) as OrNull<Facts>;
}

/** Returns the first keys of every JSON document. */
export function jsonDocument<Command extends string>(command: Command): JsonDocument<Command> {
  return { command, version: VERSION, schemaVersion: 1 };
}

/** Returns the first keys of every JSON document about a profile. */
export function jsonHead<Command extends string>(
  command: Command,
  profile: Profile,
  threads: readonly ThreadTotals[] = threadTotals(profile),
): JsonHead<Command> {
  const { info } = profile;
  return {
    ...jsonDocument(command),
    logs: info.logs,
    ...(info.input && { input: info.input }),
    ...(info.memory && { memory: info.memory }),
    v8: info.v8.map(versionText),
    ticks: shownTicks(profile),
    excludedTicks: info.excluded,
    ...jsonWaited(info),
    threads: threads.map(jsonThread),
  };
}

/** Returns those of the excluded ticks that waited, by VM state; nothing if there are none, or if such ticks count. */
export function jsonWaited({ waited }: { readonly waited?: WaitedTicks | undefined }): {
  readonly waited?: WaitedData;
} {
  if (waited === undefined || waited.ticks === 0) return {};
  const states = waited.byState.flatMap((ticks, state) =>
    ticks > 0 ? [[VM_STATES[state]!, jsonTicks(ticks)] as const] : [],
  );
  return { waited: { ticks: jsonTicks(waited.ticks), states: Object.fromEntries(states) } };
}

export function jsonThread({
  name,
  kind,
  pid,
  isolate,
  log,
  program,
  workerName,
  ticks,
  excluded,
  span,
  ...groups
}: ThreadTotals): ThreadData {
  return {
    name,
    ...orNull({ kind, pid, isolate }),
    log,
    ...(program !== undefined && { program: program.command }),
    ...(program?.node !== undefined && { node: program.node }),
    ...(workerName !== undefined && { workerName }),
    ticks,
    excludedTicks: excluded,
    spanUs: span,
    categories: jsonCategories(groups.categories),
    states: jsonStates(groups.states),
  };
}

/** Returns ticks by category, indexed as `CATEGORIES`. */
export function jsonCategories(ticks: readonly Ticks[]): CategoryTicks {
  const rows = CATEGORIES.map(({ category }, i) => [category, ticks[i] ?? 0] as const);
  return Object.fromEntries(rows) as CategoryTicks;
}

/** Returns ticks by VM state, indexed as `VM_STATES`; inferred waits only if there are any. */
export function jsonStates(ticks: readonly Ticks[]): StateTicks {
  const states = VM_STATES.map((state, i) => [state, ticks[i] ?? 0] as const);
  return Object.fromEntries(states.filter(([, sum], i) => i !== IDLE_INFERRED || sum > 0)) as Record<
    VmStateName,
    Ticks
  >;
}

/** Returns the callers that the stacks of a profile lack. */
export function jsonMissingCallers({ info }: Pick<Profile, "info">): MissingCallersData {
  const {
    callers = 0,
    missing = 0,
    ticks = 0,
    belowProgram = 0,
    interpreted = 0,
  } = info.missingCallers ?? {};
  return { callers, missing, ticks, ticksBelowProgram: belowProgram, interpretedTicks: interpreted };
}

/** Returns the ticks that percentages are of: all but the excluded ones. */
export function shownTicks({ info }: Pick<Profile, "info">): Ticks {
  return info.ticks - info.excluded;
}

/** What numbers of ticks are told by: the ticks that they are shares of, and what a tick takes, if samples weigh their time. */
export interface Scale extends Sizes {
  readonly whole: Ticks;
}

/** What a tick takes or weighs. */
type Sizes = Pick<ProfileInfo, "tickTime" | "memory">;

/** Returns the scale of the ticks of a profile. */
export function scaleOf(profile: Pick<Profile, "info">): Scale {
  const { tickTime, memory } = profile.info;
  return { whole: shownTicks(profile), tickTime, memory };
}

interface SelfAndTotal {
  readonly self: Ticks;
  readonly total: Ticks;
}

/** Returns self and total ticks with their percentages. */
export function jsonWeights({ self, total }: SelfAndTotal, { whole, ...sizes }: Scale): Weights {
  return {
    self,
    selfPercent: percentOf(self, whole),
    total,
    totalPercent: percentOf(total, whole),
    ...jsonTimes({ self, total }, sizes),
  };
}

/** Returns the time of ticks, or their bytes; nothing if they have none. */
export function jsonTimes({ self, total }: SelfAndTotal, { tickTime, memory }: Sizes): TimesData {
  if (memory !== undefined) {
    const [own, all] = [Math.round(self * memory.tick), Math.round(total * memory.tick)];
    return memory.of === "bytes"
      ? { selfBytes: own, totalBytes: all }
      : { selfObjects: own, totalObjects: all };
  }
  if (tickTime === undefined) return {};
  return { selfUs: Math.round(self * tickTime), totalUs: Math.round(total * tickTime) };
}

/** Returns the ticks in which a function is inferred; nothing if there are none. */
export function jsonInferred(inferred: Ticks): InferredData {
  return inferred === 0 ? {} : { inferred };
}

/** Returns how many scripts a row stands for; nothing if it is one. */
export function jsonScripts(scripts: number): ScriptsData {
  return scripts > 1 ? { scripts } : {};
}

/** Returns a function. Names are as logged. */
export function jsonFunction({
  name,
  kind,
  origin,
  file,
  line,
  column,
  frame,
}: ProfiledFunction): FunctionData {
  const codeKind = frame.kind === "code" ? kindOfCode(frame.type) : undefined;
  return {
    name,
    kind: codeKind ?? kind,
    origin: origin.kind,
    package: origin.name,
    file: file ?? "",
    line: line ?? null,
    column: column ?? null,
    ...(frame.kind === "js" && frame.role !== undefined && { role: frame.role }),
    ...(frame.kind === "code" && typeOfCode(codeKind!) !== frame.type && { codeType: frame.type }),
  };
}

/** Returns what reports show of a function of a document. */
export function shownFunction(one: FunctionData): ShownFunction {
  const { name, role, kind, file, line, column } = one;
  const type = codeTypeOf(one);
  return {
    title: type !== undefined ? `${type}: ${name}` : kind === "js" ? shownTitle(name, role) : name,
    kind: type === undefined ? (kind as FunctionKind) : "js",
    file: file === "" && line === null ? undefined : file,
    line: line ?? undefined,
    column: column ?? undefined,
  };
}

/** Returns whether two functions of a document are the same one. */
export function isSameFunction(a: FunctionData, b: FunctionData): boolean {
  const keys = ["name", "file", "line", "column", "kind", "codeType", "role"] as const;
  return keys.every((key) => a[key] === b[key]);
}

/** Returns V8's name of the kind of a code of its own; undefined for other functions. */
export function codeTypeOf({ kind, codeType }: Pick<FunctionData, "kind" | "codeType">): string | undefined {
  return codeType ?? typeOfCode(kind);
}

/** Returns a function by its name in a log, with its position; null for none. */
export function jsonLogged(logged: string | undefined): LoggedFunction | null {
  return logged === undefined ? null : loggedFunction(logged);
}

/**
 * Returns V8's name for a kind of code in kebab case: `bytecode-handler` for `BytecodeHandler`, `regexp` for
 * `RegExp`.
 */
export function kindOfCode(type: string): string {
  return type === "RegExp" ? "regexp" : type.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}

/** Returns how pages name a function or a VM state of a document. */
export function callableName(names: FunctionNames, { function: one, state }: CallableData): ShownName {
  if (one !== null) return names.function(shownFunction(one));
  return state === null ? { title: "(no caller)", position: "" } : names.state(state);
}

/** Returns V8's name for a kind of code by that of {@link kindOfCode}, as most are; undefined for what is no code of V8. */
function typeOfCode(kind: string): string | undefined {
  if (NO_CODE.has(kind)) return undefined;
  if (kind === "regexp") return "RegExp";
  const words = kind
    .split("-")
    .map((word) => (word === "ic" ? "IC" : `${word.charAt(0).toUpperCase()}${word.slice(1)}`));
  return words.join("");
}

const NO_CODE: ReadonlySet<string> = new Set<FunctionKind>(["js", "native", "library", "unknown"]);

/** Returns a function or a VM state; both are null if there is no caller. */
export function jsonCallable(callable: Callable | undefined): CallableData {
  return {
    function: callable?.kind === "function" ? jsonFunction(callable.function) : null,
    state: callable?.kind === "state" ? callable.state : null,
  };
}

/** Returns a line with its ticks and its places. */
export function jsonLine(
  ticks: LineTicks,
  {
    sources,
    scale,
    places,
  }: { readonly sources: SourceTexts; readonly scale: Scale; readonly places: PlacesInLine },
): LineData {
  const { file, line, loop, self, total, inferred, ...owner } = ticks;
  const first = line === 0 ? loop : line;
  const source = first === undefined ? undefined : sources.lineOf(file, first);
  const text = line === 0 ? undefined : source;
  const column = owner.function.line === first ? owner.function.column : undefined;
  const isLong = source !== undefined && source.length > LONG_LINE;
  return {
    file: file ?? "",
    line: line === 0 ? null : line,
    ...(column !== undefined && (isLong || owner.isShared) && { column }),
    ...(loop !== undefined && { loop }),
    function: jsonFunction(owner.function),
    ...jsonWeights({ self, total }, scale),
    ...jsonInferred(inferred),
    ...jsonScripts(sources.scriptsOf(file)),
    text: text === undefined ? null : textAround(text, column ?? 1),
    ...jsonPlaces(places(ticks), scale),
  };
}

function jsonPlaces(places: ReturnType<PlacesInLine>, scale: Scale): Pick<LineData, "places"> {
  if (places.length === 0) return {};
  return {
    places: places.map(({ column, ...ticks }) => ({ column: column ?? null, ...jsonWeights(ticks, scale) })),
  };
}

export function jsonTiers(tiers: readonly TierTicks[], names: TierNames): TierShares {
  return tiers.map(({ tier, ticks }) => ({ tier: names[tier], ticks }));
}

/** Returns where the text of a script is from. A file on disk may have changed since. */
export function textFrom(origin: ScriptLines["origin"] | undefined): TextFrom {
  return origin === undefined ? null : origin === "log" ? "log" : "disk";
}
