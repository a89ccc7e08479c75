import { valueAt } from "../base/maps.js";
import { printable } from "../base/shown-text.js";
import { categories } from "../facts/breakdown.js";
import { type OriginKind, packageTitle } from "../facts/origin.js";
import { packageTicks } from "../facts/package-ticks.js";
import { SourceTexts } from "../facts/source-texts.js";
import { type StableKeys, stableKeys } from "../facts/stable-key.js";
import { CATEGORIES } from "../profile/categories.js";
import type { Profile } from "../profile/profile.js";

/** What the rows of a comparison are. */
export const RUN_GROUPS = ["function", "file", "package", "line", "category"] as const;

export type RunGroup = (typeof RUN_GROUPS)[number];

/** What a row is called in every run, and what people call it. */
export interface RowName {
  /** Unique in the run. */
  readonly key: string;
  /** The key without the number of the function among those of its name: which of them it is may be unclear. */
  readonly family: string;
  /** From 1: which of its family it is. */
  readonly ordinal: number;
  /** Undefined if its source text is unknown, and for what is no function. */
  readonly sourceHash: string | undefined;
  /** What to show: `handle`, `express`, `garbage collection`. */
  readonly title: string;
  /** What a function without a name is for; it is no part of its key. */
  readonly role?: string | undefined;
  /** The stable name of its file, or of its library; undefined if it has none. */
  readonly file: string | undefined;
  /** From 1; undefined if it has none. */
  readonly line: number | undefined;
  /** From 1; undefined if it has none. */
  readonly column: number | undefined;
  /** Undefined for a category. */
  readonly origin: OriginKind | undefined;
  readonly package: string | undefined;
}

/** The frames and samples of a profile in groups. */
export interface Grouped {
  readonly names: readonly RowName[];
  /** By sample: its group. */
  readonly ofSample: Int32Array;
  /** By frame: its group, -1 for none; undefined for groups that do not contain each other. */
  readonly ofFrame: Int32Array | undefined;
  /** Returns the group of a function by the name of its frames; undefined if it has no ticks. */
  readonly rowOfFunction: (name: string) => number | undefined;
}

/** Groups a profile. All ticks are in a group. */
export function groupFrames(profile: Profile, by: RunGroup): Grouped {
  switch (by) {
    case "function":
      return byFrame(profile, functionNames(profile));
    case "file":
      return byFrame(profile, fileNames(profile));
    case "line":
      return byFrame(profile, lineNames(profile));
    case "package":
      return byPackage(profile);
    case "category":
      return byCategory(profile);
  }
}

function byFrame({ frames, tree, samples }: Profile, nameOf: (frame: number) => RowName): Grouped {
  const ids = new Map<string, number>();
  const names: RowName[] = [];
  const ofName = new Map<string, number>();
  const ofFrame = Int32Array.from(frames, (frame, number) => {
    const name = nameOf(number);
    const id = valueAt(ids, name.key, () => names.push(name) - 1);
    if (frame.kind === "js" && !ofName.has(frame.name)) ofName.set(frame.name, id);
    return id;
  });
  const ofSample = Int32Array.from(
    { length: samples.length },
    (_, i) => ofFrame[tree.frame[samples.node[i]!]!]!,
  );
  return { names, ofFrame, ofSample, rowOfFunction: (name) => ofName.get(name) };
}

function functionNames(profile: Profile): (frame: number) => RowName {
  const { table, keys } = stableKeys(profile);
  const names = keys.map((_, id) => functionName({ table, keys }, id));
  return (frame) => names[table.ofFrame[frame]!]!;
}

function functionName({ table, keys }: StableKeys, id: number): RowName {
  const { key: whole, file, name, ordinal, sourceHash } = keys[id]!;
  const { origin, line, column, frame } = table.functions[id]!;
  const number = ordinal > 1 ? `#${ordinal}` : "";
  // As in exported tables.
  const key = printable(whole);
  return {
    key,
    family: key.slice(0, key.length - number.length),
    ordinal,
    sourceHash,
    title: printable(frame.kind === "native" ? (frame.symbol ?? name) : name),
    role: frame.kind === "js" && frame.role !== undefined ? printable(frame.role) : undefined,
    file: file === undefined ? undefined : printable(file),
    line,
    column,
    origin: origin.kind,
    package: printable(origin.name),
  };
}

/** A row that is no function. */
function plainName(key: string, rest: Partial<RowName>): RowName {
  return {
    key,
    family: key,
    ordinal: 1,
    sourceHash: undefined,
    title: key,
    file: undefined,
    line: undefined,
    column: undefined,
    origin: undefined,
    package: undefined,
    ...rest,
  };
}

function fileNames(profile: Profile): (frame: number) => RowName {
  const { table, keys } = stableKeys(profile);
  const names = keys.map(({ file: path }, id) => {
    const { origin, frame } = table.functions[id]!;
    const file = path === undefined ? undefined : printable(path);
    const title = file ?? (frame.kind === "js" ? "(code without a file)" : NO_FILE[frame.kind]);
    return plainName(title, { file, origin: origin.kind, package: origin.name });
  });
  return (frame) => names[table.ofFrame[frame]!]!;
}

const NO_FILE = { code: "(V8's own code)", native: "(native code)", unknown: "(unknown code)" } as const;

/** The longest text of a line that tells it from others. */
const LINE_LENGTH = 200;

/** Lines are named after their text, so that moved lines are the same; JavaScript alone has lines. */
function lineNames(profile: Profile): (frame: number) => RowName {
  const { table, keys } = stableKeys(profile);
  const texts = new SourceTexts(profile.sources, () => undefined);
  const names = new Map<string, RowName>();
  return (number) => {
    const frame = profile.frames[number]!;
    const id = table.ofFrame[number]!;
    const whole = functionName({ table, keys }, id);
    if (frame.kind !== "js" || frame.line <= 0) return whole;
    const known = names.get(`${id} ${frame.line}`);
    if (known !== undefined) return known;
    const { file, line: first } = table.functions[id]!;
    const text = texts.lineOf(file, frame.line)?.trim().slice(0, LINE_LENGTH);
    const name = text === undefined ? `+${frame.line - (first ?? 0)}` : text;
    const row = plainName(`${whole.key}\n${name}`, {
      title: text === undefined || text === "" ? whole.title : text,
      file: whole.file,
      line: frame.line,
      origin: whole.origin,
      package: whole.package,
    });
    names.set(`${id} ${frame.line}`, row);
    return row;
  };
}

function byPackage(profile: Profile): Grouped {
  const { rows, ofSample, ofFrame } = packageTicks(profile);
  const names = rows.map(({ origin }) =>
    origin === undefined
      ? plainName(`(${packageTitle({ origin: null, name: "" })})`, {})
      : plainName(packageTitle({ origin: origin.kind, name: origin.name }), {
          origin: origin.kind,
          package: origin.name,
        }),
  );
  return { names, ofSample, ofFrame, rowOfFunction: () => undefined };
}

function byCategory(profile: Profile): Grouped {
  const names = CATEGORIES.map(({ category, title }) => plainName(category, { title }));
  const ofSample = Int32Array.from(categories(profile));
  return { names, ofSample, ofFrame: undefined, rowOfFunction: () => undefined };
}
