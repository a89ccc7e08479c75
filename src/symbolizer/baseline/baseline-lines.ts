import { PARSED_SCRIPT_LENGTH } from "../../limits.js";
import type { LoggedFunction } from "../../recorder/logged-functions.js";
import type { OffsetFrame } from "../../recorder/recorded-frame.js";
import type { Recording } from "../../recorder/recording.js";
import type { FunctionSources } from "../function-sources.js";
import { alignedLines } from "./aligned-lines.js";
import { callSites } from "./call-sites.js";
import { calleesOf, framesByCode } from "./callees.js";
import { FunctionSlots } from "./function-slots.js";

/**
 * Returns the lines of those frames that `isWanted`, in code of Sparkplug that has no positions, by frame number, where
 * only one line is possible. All frames of a function's code are wanted or none.
 *
 * Sparkplug compiles a function's bytecode one after the other, so the addresses in its code are in the order
 * of the bytecode, whose positions are in the log. A return address belongs to a call, and stacks tell which
 * function was called there.
 *
 * Source: V8, src/baseline/baseline-compiler.cc, `BaselineCompiler::GenerateCode`.
 */
export function baselineLines(
  recording: Recording,
  sources: FunctionSources,
  isWanted: (frame: OffsetFrame) => boolean,
): Map<number, number> {
  const { frames, scripts } = recording;
  const byCode = framesByCode(frames, isWanted);
  const lines = new Map<number, number>();
  if (byCode.size === 0) return lines;
  const functions = new Map<LoggedFunction, FunctionSlots>();
  for (const { function: logged } of byCode.keys()) {
    if (logged !== undefined) functions.set(logged, new FunctionSlots(logged, sources.of(logged), scripts));
  }
  const callees = calleesOf(recording, (frame) => frame.isReturn && isWanted(frame));
  for (const [code, numbers] of byCode) {
    const slots = functions.get(code.function!)!;
    for (const number of numbers) slots.expect(callees.get(number)?.framed, callees.get(number)?.ended);
  }
  findSites(functions, (script) => scripts.get(script)?.source);
  for (const [code, numbers] of byCode) {
    const slots = functions.get(code.function!)!;
    const called = numbers.map((number) => callees.get(number));
    // What ticks ended in may have had another caller, which does not fit the rest.
    const found =
      alignedLines(
        called.map((all) => slots.pointOf(all?.framed, all?.ended)),
        slots.lines,
      ) ??
      alignedLines(
        called.map((all) => slots.pointOf(all?.framed)),
        slots.lines,
      );
    for (const [i, line] of (found ?? []).entries()) if (line > 0) lines.set(numbers[i]!, line);
  }
  return lines;
}

/** Names that are searched for in the text of a script. Searching for more takes longer than parsing it. */
const MOST_SEARCHED = 64;

/** Finds the calls in the functions' texts. */
function findSites(
  functions: ReadonlyMap<LoggedFunction, FunctionSlots>,
  textOf: (script: number) => string | undefined,
): void {
  const byScript = new Map<number, FunctionSlots[]>();
  for (const [{ script }, slots] of functions) {
    const known = byScript.get(script);
    if (known === undefined) byScript.set(script, [slots]);
    else known.push(slots);
  }
  for (const [script, all] of byScript) {
    // The texts of one-line functions are not needed, nor those that say nothing of what was called.
    const calling = all.filter(({ isOneLine, expectsCalls }) => expectsCalls && !isOneLine);
    const text = calling.length > 0 ? textOf(script) : undefined;
    if (text === undefined || text.length > PARSED_SCRIPT_LENGTH) continue;
    const found = new Map<string, boolean>();
    const hasName = (name: string) => {
      const has = found.get(name) ?? (found.size === MOST_SEARCHED || text.includes(name));
      if (found.size < MOST_SEARCHED) found.set(name, has);
      return has;
    };
    const asked = calling.filter((slots) => slots.mayTell(hasName));
    if (asked.length === 0) continue;
    const wanted = new Set(asked.flatMap(({ offsets }) => Array.from(offsets)));
    const sites = callSites(text, wanted);
    if (sites !== undefined) for (const slots of asked) slots.use(sites);
  }
}
