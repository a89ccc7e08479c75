import { Command, CommanderError } from "commander";
import { TicksError } from "../errors.js";
import { printableLines } from "../views/shown-text.js";

const FOOTER = `
Record a log with: node --prof app.js
Then: ticks process isolate-0x…-v8.log > processed.txt

Exit status: 0 done; 1 a check failed (--strict, doctor, a name that is not
there); 2 error: bad usage or unreadable input.`;

/** A command of the program. */
interface CommandRow {
  /** With its arguments, as commander reads them. */
  readonly name: string;
  /** What it does, in the help of the program and its own. */
  readonly summary: string;
  /** Loads its file, which adds its options and its action. */
  readonly load: () => Promise<{ configure(command: Command): void }>;
}

/** Every command, in the order of the help; the first is the one that runs where none is named. */
const COMMANDS: readonly CommandRow[] = [
  {
    name: "process [LOG...]",
    summary: "print the report of one log, or of several or a folder of them together (the default command)",
    load: () => import("./commands/process.js"),
  },
  {
    name: "top [LOG...]",
    summary: "print one page of what to look at: where the ticks went, heavy stacks, hot functions and lines",
    load: () => import("./commands/top.js"),
  },
  {
    name: "tree [LOG...]",
    summary: "print who calls whom, with self and total ticks by function",
    load: () => import("./commands/tree.js"),
  },
  {
    name: "function [LOG...]",
    summary: "print what one function costs: tiers, callers, callees, its lines with ticks",
    load: () => import("./commands/function.js"),
  },
  {
    name: "lines [LOG] [FILE]",
    summary: "print the hot lines of all scripts, or a script with ticks beside its lines",
    load: () => import("./commands/lines.js"),
  },
  {
    name: "deopts [LOG...]",
    summary: "print which optimized code V8 threw away, why, and how many ticks that cost",
    load: () => import("./commands/deopts.js"),
  },
  {
    name: "timeline [LOG...]",
    summary: "print what V8 did over time, and the functions of its spikes",
    load: () => import("./commands/timeline.js"),
  },
  {
    name: "threads [LOG...]",
    summary: "list the threads of logs or of a folder of them, with the ticks of each",
    load: () => import("./commands/threads.js"),
  },
  {
    name: "flame [LOG...]",
    summary: "write a flame graph: one HTML file, to open in a browser, without a server or a network",
    load: () => import("./commands/flame.js"),
  },
  {
    name: "export [LOG...]",
    summary: "write a profile for another tool: flame graphs, DevTools, Firefox, speedscope, …",
    load: () => import("./commands/export.js"),
  },
  {
    name: "doctor [LOG...]",
    summary: "check log quality and symbol coverage, and advise",
    load: () => import("./commands/doctor.js"),
  },
  {
    name: "symbols <LOG>",
    summary: "save the C++ symbols that a log needs, so that it can be processed on any machine",
    load: () => import("./commands/symbols.js"),
  },
  {
    name: "redact <LOG|DIR> [REDACTED]",
    summary: "write a log without names and sources of the program, to send to others",
    load: () => import("./commands/redact.js"),
  },
];

/**
 * Runs the command of a command line, which sets the exit status of the process. False when commander has said what is
 * wrong with it; throws what the command throws. Only the file of the command that runs, or whose help is shown, is loaded.
 */
export async function runProgram(args: readonly string[], version: string): Promise<boolean> {
  const normalized = normalizeArguments(args);
  if (normalized.includes("-ni")) throw new TicksError("BAD_OPTION", "-ni is spelled --no-idle here");
  try {
    await programOf(version).parseAsync(normalized, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0;
    throw error;
  }
  return true;
}

function programOf(version: string): Command {
  const program = new Command("ticks")
    .description("Show where a node --prof run spent its CPU time.")
    .version(version)
    .addHelpText("after", FOOTER)
    .usage("[command] [options] [LOG...]")
    // Of a command whose file is not loaded commander knows no options.
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
    .exitOverride()
    .configureOutput({
      writeErr: (text) => process.stderr.write(printableLines(text.replace(/^error: /, "ticks: "))),
    });
  const loads: Loads = new Map();
  for (const row of COMMANDS) {
    const isDefault = row === COMMANDS[0];
    const command = program.command(row.name, { isDefault }).description(row.summary);
    if (isDefault) command.addHelpText("after", FOOTER);
    loads.set(command, row.load);
  }
  addHelpCommand(program, loads);
  return program.hook("preSubcommand", (_, command) => complete(command, loads));
}

/** What loads the file of each command. */
type Loads = Map<Command, CommandRow["load"]>;

/** Gives a command its options and its action. */
async function complete(command: Command, loads: Loads): Promise<void> {
  const file = await loads.get(command)?.();
  file?.configure(command);
}

/** Adds `ticks help`: that of commander would show a command without its options. */
function addHelpCommand(program: Command, loads: Loads): void {
  program
    .helpCommand(false)
    .command("help [command]")
    .description("display help for command")
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (name = "") => {
      if (name === "" || name.startsWith("-")) program.help();
      const command = Array.from(loads.keys()).find((one) => one.name() === name);
      if (command === undefined) program.help({ error: true });
      await complete(command, loads);
      command.help();
    });
}

const SEPARATE_FLAG = /^--(separate-(?:ic|bytecodes|builtins|stubs|sparkplug-handlers))(?:=(.*))?$/;

/**
 * Rewrites `--separate-ic=false` and `--separate-ic false` of `--prof-process` as `--no-separate-ic`: a flag with an
 * optional value would swallow the log after it.
 */
function normalizeArguments(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    const match = SEPARATE_FLAG.exec(arg);
    const following = args[i + 1];
    const isFollowed =
      match !== null && match[2] === undefined && /^(?:true|false|0|1)$/.test(following ?? "");
    const value = match?.[2] ?? (isFollowed ? following : undefined);
    if (match === null || value === undefined) out.push(arg);
    else out.push(value === "true" || value === "1" ? `--${match[1]}` : `--no-${match[1]}`);
    if (isFollowed) i++;
  }
  return out;
}
