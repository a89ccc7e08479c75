import { Command, CommanderError } from "commander";
import { TicksError } from "../errors.js";
import { printableLines } from "../views/shown-text.js";

const FOOTER = `
LOG is a log, a folder of logs, or - for standard input. Several logs make one
report. Without LOG, ticks reads the only log in the current folder.

Record a log with: node --prof app.js
Then: ticks process isolate-0x…-v8.log > processed.txt

Exit status: 0 done; 1 a check failed (--strict, doctor, redact --check, or a
name that was not found); 2 error: bad usage or unreadable input.`;

/** A row of the table of commands. */
interface CommandRow {
  /** The name and the arguments, in the syntax of commander. */
  readonly name: string;
  /** What the command does: shown in its own help and in that of the program. */
  readonly summary: string;
  /** Loads the file that adds its options and its action. */
  readonly load: () => Promise<{ configure(command: Command): void }>;
}

/** All commands, in the order of the help. The first one is the default. */
const COMMANDS: readonly CommandRow[] = [
  {
    name: "process [LOG...]",
    summary: "print the report of --prof-process, with correct names (default command)",
    load: () => import("./commands/process.js"),
  },
  {
    name: "top [LOG...]",
    summary: "print one page to start with: heavy stacks, hot functions and lines",
    load: () => import("./commands/top.js"),
  },
  {
    name: "tree [LOG...]",
    summary: "print who calls whom, with self and total ticks",
    load: () => import("./commands/tree.js"),
  },
  {
    name: "function [LOG...]",
    summary: "print one function: its tiers, callers, callees and lines with ticks",
    load: () => import("./commands/function.js"),
  },
  {
    name: "lines [LOG] [FILE]",
    summary: "print the hot lines, or a script with ticks beside its lines",
    load: () => import("./commands/lines.js"),
  },
  {
    name: "deopts [LOG...]",
    summary: "print which optimized code V8 threw away, why, and what it cost",
    load: () => import("./commands/deopts.js"),
  },
  {
    name: "timeline [LOG...]",
    summary: "print what V8 did over time, and the hot functions of each spike",
    load: () => import("./commands/timeline.js"),
  },
  {
    name: "threads [LOG...]",
    summary: "list the threads of the logs, with their ticks",
    load: () => import("./commands/threads.js"),
  },
  {
    name: "flame [LOG...]",
    summary: "write a flame graph: one HTML file that opens in a browser, without a server or a network",
    load: () => import("./commands/flame.js"),
  },
  {
    name: "export [LOG...]",
    summary: "write a file for another tool: flame graphs, DevTools, Firefox, pprof, speedscope, …",
    load: () => import("./commands/export.js"),
  },
  {
    name: "doctor [LOG...]",
    summary: "check log quality and symbol coverage, and advise",
    load: () => import("./commands/doctor.js"),
  },
  {
    name: "symbols <LOG>",
    summary: "save the C++ symbols that a log needs, to process it on any machine",
    load: () => import("./commands/symbols.js"),
  },
  {
    name: "redact <LOG|DIR> [REDACTED]",
    summary: "write a copy of a log without private names and sources, to send to others",
    load: () => import("./commands/redact.js"),
  },
  {
    name: "guide",
    summary: "print one page on how to read the reports, for people and coding agents",
    load: () => import("./commands/guide.js"),
  },
];

/**
 * Runs the command that a command line names; the command sets the exit status of the process. Returns false
 * if the command line is wrong and commander has printed why; throws what the command throws. Loads only the
 * file of the command that runs, or whose help is shown.
 */
export async function runProgram(args: readonly string[], version: string): Promise<boolean> {
  const normalized = normalizeArguments(args);
  if (normalized.includes("-ni")) throw new TicksError("BAD_OPTION", "unknown option -ni: use --no-idle");
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
    // Short terms, so that the summaries fit beside them in 80 columns.
    .configureHelp({
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace(/\[options\] ?/, "")}`.trimEnd(),
    })
    .exitOverride()
    .configureOutput({
      writeErr: (text) => process.stderr.write(printableLines(text.replace(/^error: /, "ticks: "))),
    });
  const rows: Rows = new Map();
  for (const row of COMMANDS) {
    const isDefault = row === COMMANDS[0];
    const command = program.command(row.name, { isDefault }).description(row.summary);
    rows.set(command, row);
  }
  addHelpCommand(program, rows);
  return program.hook("preSubcommand", (_, command) => complete(command, rows));
}

/** Commands with their rows. */
type Rows = Map<Command, CommandRow>;

/** Adds the options and the action of a command. */
async function complete(command: Command, rows: Rows): Promise<void> {
  const row = rows.get(command);
  const file = await row?.load();
  file?.configure(command);
  if (row === COMMANDS[0]) command.addHelpText("after", FOOTER);
}

/** Adds `ticks help`. The one of commander would show a command without its options. */
function addHelpCommand(program: Command, rows: Rows): void {
  program
    .helpCommand(false)
    .command("help [command]")
    .description("display help for command")
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (name = "") => {
      if (name === "" || name.startsWith("-")) program.help();
      const command = Array.from(rows.keys()).find((one) => one.name() === name);
      if (command === undefined) program.help({ error: true });
      await complete(command, rows);
      command.help();
    });
}

const SEPARATE_FLAG = /^--(separate-(?:ic|bytecodes|builtins|stubs|sparkplug-handlers))(?:=(.*))?$/;

/**
 * Rewrites `--separate-ic=false` and `--separate-ic false` as `--no-separate-ic`, because `--prof-process`
 * accepts them. An option with an optional value would take the log after it for its value.
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
