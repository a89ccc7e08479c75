import type { Frame, JsFrame, Tier } from "../../profile/frame.js";
import { type FrameKey, frameKeys } from "../../profile/frame-keys.js";
import type { FunctionIdentity } from "../../profile/function-identity.js";
import { soundPosition } from "../../profile/sound-numbers.js";
import type { TableGroup } from "./table-file.js";

/** The columns that say what a frame is. */
export const FRAME_COLUMNS = [
  "key",
  "source_hash",
  "function",
  "file",
  "line",
  "function_line",
  "function_column",
  "tier",
  "library_path",
  "origin",
  "inlined",
  "inferred",
] as const;

/** The tiers by their names in the table. */
const TIERS: ReadonlyMap<string, Tier> = new Map([
  ["ignition", "~"],
  ["sparkplug", "^"],
  ["turboprop", "-"],
  ["maglev", "+"],
  ["turbofan", "*"],
]);
/** Those of V8 before 5.9. */
const OLD_TIERS: ReadonlyMap<string, Tier> = new Map([
  ["full-codegen", "~"],
  ["crankshaft", "*"],
]);

/** What the table has for functions without a name. */
const ANONYMOUS = "<anonymous>";

/** A row of the table, as far as it tells of its frame. */
type FrameRow = Readonly<Record<(typeof FRAME_COLUMNS)[number], string | number | undefined>>;

/** The frames of a table, each once. */
export class FrameRows {
  readonly frames: Frame[] = [];
  /** What the functions are called in every log: the table has their keys. */
  readonly identities = new Map<string, FunctionIdentity>();
  readonly #numbers = new Map<FrameKey, number>();
  readonly #keyOf = frameKeys();

  /** Returns a function that returns the number of a row's frame. */
  reader({ columns }: TableGroup): (row: number) => number {
    const read = FRAME_COLUMNS.map((name) => columns.get(name));
    const known = new Map<string, number>();
    return (row) => {
      let key = "";
      for (const column of read) key += `${column?.numbers[row] ?? ""},`;
      let number = known.get(key);
      if (number === undefined) {
        const values = read.map((column) => {
          const at = column?.numbers[row];
          if (at === undefined || column?.values === undefined) return at;
          return at < 0 ? undefined : column.values[at];
        });
        number = this.#add(Object.fromEntries(FRAME_COLUMNS.map((name, i) => [name, values[i]])) as FrameRow);
        known.set(key, number);
      }
      return number;
    };
  }

  #add(row: FrameRow): number {
    const frame = frameOf(row);
    const key = this.#keyOf(frame);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.frames.push(frame) - 1;
      this.#numbers.set(key, number);
    }
    if (frame.kind === "js" && !this.identities.has(frame.name))
      this.identities.set(frame.name, identityOf(row));
    return number;
  }
}

function frameOf(row: FrameRow): Frame {
  const { origin, library_path: library, key, function: title = "" } = row;
  if (origin === "unknown") return { kind: "unknown", reason: "unmapped" };
  if (library !== undefined) {
    const symbol = title === library ? undefined : String(title);
    return { kind: "native", library: String(library), symbol };
  }
  if (row.file === undefined && key === `v8 ${title}`) {
    // Builtin: ArrayMap
    const [type = "", ...name] = String(title).split(": ");
    return { kind: "code", type, name: name.join(": "), duplicate: 0 };
  }
  return scriptFrame(row);
}

function scriptFrame({ function: title, file, line, ...row }: FrameRow): JsFrame {
  const name = title === ANONYMOUS ? "" : String(title ?? "");
  const [first, column] = [row.function_line, row.function_column];
  const hasPosition = file !== undefined && first !== undefined;
  const position = column === undefined ? `${first}` : `${first}:${column}`;
  const old = OLD_TIERS.get(String(row.tier));
  return {
    kind: "js",
    type: "JS",
    tier: old ?? TIERS.get(String(row.tier)) ?? "",
    name: hasPosition ? `${name} ${file}:${position}` : name,
    ...(hasPosition && column === undefined && { lacksColumn: true as const }),
    ...(hasPosition && { scriptAt: name.length + 1 }),
    line: soundPosition(Number(line ?? 0)),
    inlined: row.inlined === 1,
    ...(row.inferred === 1 && { inferred: true as const }),
    ...(old !== undefined && { byOldCompilers: true as const }),
  };
}

/** Takes a function's key apart: its file, its name and its number. */
function identityOf({ key, function: title = "", source_hash: hash }: FrameRow): FunctionIdentity {
  const whole = String(key);
  const sourceHash = hash === undefined ? undefined : String(hash);
  const number = /#(\d{1,9})$/.exec(whole);
  const named = [
    { head: whole, ordinal: 1 },
    ...(number === null ? [] : [{ head: whole.slice(0, number.index), ordinal: Number(number[1]) }]),
  ].find(({ head }) => head === title || head.endsWith(` ${title}`));
  if (named === undefined) return { file: "", name: whole, ordinal: 1, sourceHash };
  const { head, ordinal } = named;
  const file = head.slice(0, Math.max(0, head.length - String(title).length - 1));
  return { file, name: title === ANONYMOUS ? "" : String(title), ordinal, sourceHash };
}
