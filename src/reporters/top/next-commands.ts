import type { FunctionNames } from "../../views/function-names.js";
import type { ProfiledFunction } from "../../views/function-table.js";
import { printable } from "../../views/label.js";
import type { NextStep } from "../../views/next-steps.js";
import { shellCommand } from "../layout/shell-word.js";
import { shortSymbol } from "../layout/short-symbol.js";
import { cutMiddle } from "../layout/width.js";
import { nameInStack, type TopReport } from "./top-report.js";

/** A command to run next. */
export interface NextCommand {
  readonly kind: NextStep["kind"];
  /** A command line for a shell. */
  readonly command: string;
  /** Why, in a few words. */
  readonly why: string;
}

/** Returns the commands to run next; none that could not be typed. */
export function nextCommands(report: TopReport): NextCommand[] {
  return report.top.steps.flatMap((step) => {
    const { program, operands } = commandOf(report, step);
    if (operands.some((word) => printable(word) !== word)) return [];
    return [{ kind: step.kind, command: shellCommand(program, operands), why: whyOf(report, step) }];
  });
}

interface CommandLine {
  /** What comes before the operands. */
  readonly program: string;
  readonly operands: readonly string[];
}

function commandOf({ top, logs }: TopReport, step: NextStep): CommandLine {
  const shorten = (file: string) => top.names.file(file);
  switch (step.kind) {
    case "function":
      return { program: "ticks function", operands: [...logs, nameToAskFor(step.function, top.names)] };
    case "lines":
      return { program: "ticks lines", operands: [...logs, shorten(step.file)] };
    case "no-sparkplug":
      return { program: "node --prof --no-sparkplug", operands: ["app.js"] };
    case "deopts":
      return { program: "ticks deopts", operands: logs };
    case "ics":
      return { program: "ticks ics", operands: logs };
    case "timeline":
      return { program: "ticks timeline", operands: logs };
    case "startup":
      return { program: "ticks startup", operands: logs };
    case "only-deps":
      return { program: "ticks top --only deps", operands: logs };
  }
}

function whyOf(report: TopReport, step: NextStep): string {
  if (step.kind === "function") {
    const name = nameInStack(
      report,
      { kind: "function", function: step.function },
      { columns: NAME_COLUMNS, isWhole: false },
    );
    return `callers, callees and lines of ${cutMiddle(name, NAME_COLUMNS)}`;
  }
  const percent = `${step.percent.toFixed(1)}%`;
  switch (step.kind) {
    case "lines":
      return `the source, with the line that has ${percent}`;
    case "no-sparkplug":
      return `record again: ${percent} have no line, which Sparkplug hides`;
    case "deopts":
      return `deoptimizations cost up to ${percent}`;
    case "ics":
      return `inline caches take ${percent}: property accesses that see many shapes of objects`;
    case "timeline":
      return `when ${step.cause === "gc" ? "garbage was collected" : "it was idle"}: ${percent}`;
    case "startup":
      return `loading packages and Node's modules took ${percent}`;
    case "only-deps":
      return `packages alone: ${percent} are theirs`;
  }
}

/** The width of a function's name in a sentence. */
const NAME_COLUMNS = 60;

/**
 * Returns a name that `ticks function` finds: the function's own, part of a C++ name, or a position for no
 * name.
 */
function nameToAskFor(next: ProfiledFunction, names: FunctionNames): string {
  const { name, title, kind, file, line } = next;
  if (name === "" || names.isAlike(next)) {
    return !file || line === undefined ? title : names.function(next).position;
  }
  const short = kind === "native" ? shortSymbol(name) : name;
  return name.includes(short) ? short : name;
}
