import type { Cause, Diff } from "../../compare/diff-model.js";
import { amount, signed } from "./diff-report.js";

/** Returns a cause as a phrase. `show` makes names safe. */
export function causeText(cause: Cause, diff: Diff, show: (name: string) => string): string {
  switch (cause.kind) {
    case "source":
      return "its source changed";
    case "slow-tiers":
      return `${percent(cause.after)} of it in interpreted or baseline code, before ${percent(cause.before)}`;
    case "deopts": {
      const reason = cause.reason === "" ? "" : `, mostly: ${show(cause.reason)}`;
      return `deoptimized ${times(cause.after)} a run, before ${times(cause.before)}${reason}`;
    }
    case "inlining":
      return `${percent(cause.after)} of it inlined into callers, before ${percent(cause.before)}`;
    case "gc":
      return `garbage collection in it: ${amount(cause.before, diff)} to ${amount(cause.after, diff)}`;
    case "compile":
      return `compiling in it: ${amount(cause.before, diff)} to ${amount(cause.after, diff)}`;
    case "moved":
      return `${show(cause.other.title)} changed the other way: their caller ${show(cause.caller.title)} takes as long as before`;
    case "caller":
      return `its source is the same: ${points(cause.change, diff)} when called by ${show(cause.caller.title)}`;
    case "callee":
      return `through ${show(cause.callee.title)}: ${points(cause.change, diff)}`;
  }
}

function points(change: number, diff: Diff): string {
  return `${signed(change, diff)} ${diff.scale.unit === "percent" ? "points" : "ms"}`;
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 100)}%`;
}

function times(count: number): string {
  const text = Number.isInteger(count) ? String(count) : count.toFixed(1);
  return text === "1" ? "once" : `${text} times`;
}
