import { inPercent } from "../base/text.js";
import type { NextStep } from "../facts/next-steps.js";
import type { Top } from "../facts/top.js";
import type { Profile } from "../profile/profile.js";
import { plainly } from "../render/spoken.js";
import { cutMiddle } from "../render/width.js";
import { type FunctionData, jsonFunction, shownFunction } from "./json.js";
import { commandLine, nameToAskFor, type Reading } from "./next.js";
import { functionInStack } from "./stack-text.js";
import { type HolderData, longestPeriodicTurn } from "./turns.js";
import { READ_MEMORY, SOME_COMMAND } from "./words.js";

export interface NextCommand {
  readonly kind: NextStep["kind"];
  /** A command line for a shell. */
  readonly command: string;
  /** Why, in a few words. */
  readonly why: string;
  /** What the command line is made of beside the logs. Absent if it records, and reads none. */
  readonly reads?: StepWords;
}

export interface StepWords {
  /** Such as ticks lines. */
  readonly command: string;
  /** What follows the logs. */
  readonly operands: readonly string[];
  /** Its own options; empty for none. */
  readonly options: string;
}

/** What the commands to run next follow from. */
export interface StepSource {
  readonly profile: Profile;
  readonly top: Top;
  /** What its commands read. */
  readonly reading: Reading;
  /** The command that `ticks record` ran, if it made the logs. */
  readonly command?: readonly string[] | undefined;
  /** The heap profiles beside the logs; undefined if there are none. */
  readonly memory?: Profile | undefined;
}

/** Returns the commands to run next, the most telling first; none that could not be typed. */
export function topSteps(source: StepSource, held: { readonly holder?: HolderData }): NextCommand[] {
  const { profile, top, reading } = source;
  const turn = longestPeriodicTurn({ ...held, threads: profile.info.threads });
  const holder = turn?.functions[0];
  // Who asked for a part of the code has seen all of it.
  const isPart = reading.options.some(([name = ""]) => name.split("=", 1)[0] === "--only");
  const steps = top.steps.filter(({ kind }) => kind !== "only-deps" || !isPart);
  const commands = steps.flatMap((step): NextCommand[] => {
    const {
      isRecording = false,
      why,
      ...run
    } = step.kind === "function"
      ? functionStep(source, holder ?? jsonFunction(step.function))
      : commandOf(source, step);
    const command = commandLine(isRecording ? { logs: [], options: [] } : reading, run);
    if (command === undefined) return [];
    return [{ kind: step.kind, command, why, ...(!isRecording && { reads: run }) }];
  });
  const reads: StepWords = { command: "ticks timeline", operands: [], options: "" };
  const timeline = commandLine(reading, reads);
  if (commands.length === 0 || timeline === undefined || turn === undefined) return commands;
  const why = "when the event loop was held, and by what each time";
  const first: NextCommand = { kind: "timeline", command: timeline, why, reads };
  return [first, ...commands.filter(({ kind }) => kind !== "timeline")].slice(0, MOST_STEPS);
}

/** The most commands of the page. */
const MOST_STEPS = 3;

/** A command of {@link commandLine}. */
interface StepCommand extends StepWords {
  readonly why: string;
  /** Whether it runs the program again, and reads no logs. */
  readonly isRecording?: boolean;
}

/** Names in reasons are cut to this many columns. */
const REASON_COLUMNS = 60;

/** Returns the command about a function. */
function functionStep({ top }: StepSource, one: FunctionData): StepCommand {
  const name = functionInStack(top.names, one, { columns: REASON_COLUMNS, isWhole: false });
  const why = `callers, callees and lines of ${cutMiddle(name, REASON_COLUMNS)}`;
  const operands = [nameToAskFor({ ...shownFunction(one), name: one.name }, top.names)];
  return { command: "ticks function", operands, options: "", why };
}

function commandOf(
  { top, memory, command: recorded = SOME_COMMAND }: StepSource,
  step: Exclude<NextStep, { readonly kind: "function" }>,
): StepCommand {
  const line = (command: string, why: string, operands: readonly string[] = []): StepCommand => ({
    command,
    operands,
    options: "",
    why,
  });
  const percent = plainly(inPercent(step.percent), {});
  switch (step.kind) {
    case "lines": {
      const why = `the source, with the line that has ${percent}`;
      // Without a source root, the page would end in "No source text".
      const options = step.isWithoutSource ? "--source-root ." : "";
      return { ...line("ticks lines", why, [top.names.file(step.file)]), options };
    }
    case "no-sparkplug": {
      const why = `record again: ${percent} have no line, which Sparkplug hides`;
      return { ...line("ticks record --no-sparkplug --", why, recorded), isRecording: true };
    }
    case "record-deopts": {
      const why = `record again: why V8 optimizes so much, which takes ${percent}`;
      return { ...line("ticks record --deopts --", why, recorded), isRecording: true };
    }
    case "allocations": {
      if (memory !== undefined) {
        const why = `all of who allocates, as garbage collection takes ${percent}`;
        return { ...line("ticks top", why), options: READ_MEMORY };
      }
      const why = `record again: what allocates, as garbage collection takes ${percent}`;
      return { ...line("ticks record --allocations --", why, recorded), isRecording: true };
    }
    case "threads":
      return line("ticks threads", `what each thread did: one has ${percent}`);
    case "deopts":
      return line("ticks deopts", `deoptimizations cost up to ${percent}`);
    case "ics":
      return line("ticks ics", `inline caches take ${percent}: which property accesses are slow`);
    case "timeline":
      return line("ticks timeline", `when it was idle: ${percent}`);
    case "startup":
      return line(
        "ticks startup",
        step.isCompiling === true
          ? `which modules V8 compiles: its parser and bytecode compiler take ${percent}`
          : `which modules took ${percent} to load`,
      );
    case "only-deps":
      return line("ticks top --only deps", `packages alone: ${percent} are theirs`);
  }
}
