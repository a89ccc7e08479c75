import { inPercent, joined, sized, text } from "../base/text.js";
import type { Count, Integer, Percent, Ticks } from "../base/units.js";
import type { Analysis } from "../facts/analysis.js";
import { FunctionNames } from "../facts/function-names.js";
import { type ProfiledFunction, rolesOf } from "../facts/function-table.js";
import { hotLines } from "../facts/hot-lines.js";
import { appFunctions } from "../facts/program-frames.js";
import { percentOf } from "../facts/shares.js";
import type { Profile } from "../profile/profile.js";
import { listedName } from "../render/names.js";
import { number, type Section, section } from "../render/page.js";
import { type FunctionData, jsonFunction, type MemoryData, shownFunction } from "./json.js";
import { counted } from "./words.js";

/** Who allocates, in the heap profiles beside the logs. Bytes are estimates, made from samples. */
export interface AllocationsData extends Pick<MemoryData, "is"> {
  /**
   * The heap profiles.
   * @minItems 1
   */
  readonly logs: readonly string[];
  readonly bytes: Count;
  /** Each allocation is in the innermost function of the program, whatever that called: most bytes first. */
  readonly functions: readonly AllocatorData[];
  /** In functions that the limit leaves out. */
  readonly otherBytes: Count;
  /** How many they are. */
  readonly otherRows: Integer;
  /** In stacks without a function of the program. */
  readonly bytesWithoutProgram: Count;
}

export interface AllocatorData extends FunctionData {
  readonly bytes: Count;
  readonly percent: Percent;
}

/**
 * Returns who allocates, with at most `limit` functions. The samples of a profile of memory are at no lines, and its functions without a
 * name have the roles of those in `time`, the profile on the same page.
 */
export function allocationsData(memory: Analysis, time: Profile, limit: number): AllocationsData {
  const roles = rolesOf(time.frames);
  const { lines, outside } = hotLines(memory, appFunctions(memory.table));
  const bytesOf = (ticks: Ticks) => Math.round(ticks * (memory.info.memory?.tick ?? 0));
  const rest = lines.slice(limit);
  return {
    logs: memory.info.logs,
    is: memory.info.memory?.is ?? "unknown",
    bytes: bytesOf(memory.ticks),
    functions: lines.slice(0, limit).map((row) => ({
      ...jsonFunction(row.function),
      ...roleOf(roles, row.function),
      bytes: bytesOf(row.ticks),
      percent: percentOf(row.ticks, memory.ticks),
    })),
    otherBytes: bytesOf(rest.reduce((sum, { ticks }) => sum + ticks, 0)),
    otherRows: rest.length,
    bytesWithoutProgram: bytesOf(outside),
  };
}

function roleOf(roles: ReadonlyMap<string, string>, { frame }: ProfiledFunction): Pick<FunctionData, "role"> {
  const role = frame.kind === "js" ? roles.get(frame.name) : undefined;
  return role === undefined ? {} : { role };
}

/** The rows on a page, and the least share of all but the first, in percent, if nobody asks for more rows than usual: it is about time. */
const ROWS = 5;
const LEAST = 2;
const USUAL_LIMIT = 10;

/** Returns the section of a page about time that tells who allocates. */
export function allocationsSection(of: AllocationsData, limit: number): Section {
  const names = new FunctionNames(of.functions.map(shownFunction));
  const isLong = limit > USUAL_LIMIT;
  const shown = of.functions.filter(
    ({ percent }, i) => i < limit && (isLong || i === 0 || (i < ROWS && percent >= LEAST)),
  );
  const hidden = of.functions.slice(shown.length);
  const others = hidden.reduce((sum, { bytes }) => sum + bytes, of.otherBytes);
  const rest = [
    ...(others > 0
      ? [text`${sized(others)} in ${counted(hidden.length + of.otherRows, "more function")}`]
      : []),
    ...(of.bytesWithoutProgram > 0 ? [text`${sized(of.bytesWithoutProgram)} outside your code`] : []),
  ];
  const what = of.is === "alive" ? " that were alive at the end" : "";
  return section(text`Who allocates, of ${sized(of.bytes)}${what}`, {
    kind: "table",
    columns: [number("size"), number("share"), { title: "function" }],
    rows: shown.map((row) => ({
      cells: [sized(row.bytes), inPercent(row.percent), listedName(names.function(shownFunction(row)))],
      isProgram: true,
    })),
    rest: rest.length === 0 ? undefined : text`… ${joined(rest, ", ")}`,
  });
}
