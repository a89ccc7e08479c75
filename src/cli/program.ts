import { existsSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { TicksError } from "../errors.js";
import { printableLines } from "../views/shown-text.js";
import { normalArguments } from "./usage/normal-arguments.js";

const FOOTER = `
LOG is a log, a folder of logs, or - for standard input. Several logs make one
report. Without LOG, ticks reads the only run in the current folder: one log, or
the logs of one PID.

Record a log with: node --prof app.js
Then: ticks process isolate-0x…-v8.log > processed.txt

Exit status: 0 done; 1 a check failed (--strict, check, doctor, redact --check,
or a name that was not found); 2 error: bad usage or unreadable input.`;

/** The file of a command. */
interface CommandFile {
  /** Adds the options and the action of the command. `completeAll` gives all commands theirs. */
  configure(command: Command, completeAll: () => Promise<readonly Command[]>): void;
}

/** A row of the table of commands. */
interface CommandRow {
  /** The name and the arguments, in the syntax of commander. */
  readonly name: string;
  /** What the command does: shown in its own help and in that of the program. */
  readonly summary: string;
  /** Loads the file that adds its options and its action. */
  readonly load: () => Promise<CommandFile>;
}

/** All commands, in the order of the help. The first one is the default. */
const COMMANDS: readonly CommandRow[] = [
  {
    name: "process [LOG...]",
    summary: "print the report of --prof-process, with correct names (default command)",
    load: () => import("./commands/process.js"),
  },
  {
    name: "record [COMMAND...]",
    summary: "run a command, record every Node process of it, and print the top page",
    load: () => import("./commands/record.js"),
  },
  {
    name: "top [LOG...]",
    summary: "print one page to start with: your hot lines, packages, heavy stacks, next steps",
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
    name: "ics [LOG...]",
    summary: "print what inline caches cost: property accesses that saw too many shapes of objects",
    load: () => import("./commands/ics.js"),
  },
  {
    name: "timeline [LOG...]",
    summary: "print what the ticks were spent on over time, and the hot functions of spikes",
    load: () => import("./commands/timeline.js"),
  },
  {
    name: "startup [LOG...]",
    summary: "print what loading each module and package cost before the program was ready",
    load: () => import("./commands/startup.js"),
  },
  {
    name: "threads [LOG...]",
    summary: "list the threads of the logs, with their ticks",
    load: () => import("./commands/threads.js"),
  },
  {
    name: "live [LOG...]",
    summary: "show a page on logs that are being written: hot functions, threads, deopts, every second",
    load: () => import("./commands/live.js"),
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
    name: "diff [LOG...]",
    summary: "compare logs before and after a change, and print what got slower or faster",
    load: () => import("./commands/diff.js"),
  },
  {
    name: "check [LOG...]",
    summary: "check logs against budgets, for CI: what may take how much, and how much it may grow",
    load: () => import("./commands/check.js"),
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
  {
    name: "completion <SHELL>",
    summary: "print a script that completes commands, options and logs in bash, zsh or fish",
    load: () => import("./commands/completion.js"),
  },
];

/**
 * Runs the command that a command line names; the command sets the exit status of the process. Returns false
 * if the command line asks for help on what is no command; throws what the command throws, and a
 * {@link TicksError} if the command line is wrong. Loads only the file of the command that runs, or whose help
 * is shown.
 */
export async function runProgram(args: readonly string[], version: string): Promise<boolean> {
  const normal = normalArguments(args);
  if (beforeDashes(normal).includes("-ni"))
    throw new TicksError("BAD_OPTION", "unknown option -ni: use --no-idle");
  const { program, rows } = programOf(version);
  await refuseUnknownCommand(normal, program);
  try {
    await program.parseAsync(normal, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw withCommandFirst(error, normal, program);
    if (error.exitCode === 0 || error.code === "commander.help") return error.exitCode === 0;
    const { usageError } = await import("./usage/usage-errors.js");
    const commands = await completeAll(rows);
    const command = commands.find((one) => one.name() === wordsOf(normal)[0]) ?? commands[0]!;
    throw usageError(error, { command, commands });
  }
  return true;
}

/** Returns a program whose commands all have their options, for a manual. */
export async function wholeProgram(version: string): Promise<Command> {
  const { program, rows } = programOf(version);
  await completeAll(rows);
  return program;
}

/** Throws a {@link TicksError} if the first word is no command and no file, but similar to a command. */
async function refuseUnknownCommand(args: readonly string[], { commands }: Command): Promise<void> {
  const [word] = wordsOf(args);
  const names = commands.map((command) => command.name());
  if (word === undefined || word.startsWith("-") || names.includes(word) || existsSync(word)) return;
  const { unknownCommand } = await import("./usage/usage-errors.js"); // Only needed for an error.
  const error = unknownCommand(word, { names });
  if (error !== undefined) throw error;
}

/** Returns an error for a log that does not exist with a hint, if the log is a command that comes too late. */
function withCommandFirst(error: unknown, args: readonly string[], { commands }: Command): unknown {
  if (!(error instanceof TicksError) || error.code !== "NOT_FOUND") return error;
  const name = commands.map((command) => command.name()).find((one) => error.message.startsWith(`${one}: `));
  if (name === undefined || !args.includes(name)) return error;
  return new TicksError(error.code, error.message, `A command comes first: ticks ${name} …`);
}

/** Returns the arguments before `--`: what follows may be of another program. */
function beforeDashes(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at < 0 ? args : args.slice(0, at);
}

/** Returns arguments without the options that may stand before the command. */
function wordsOf(args: readonly string[]): readonly string[] {
  return args.filter((arg) => arg !== "--no-pager");
}

function programOf(version: string): { readonly program: Command; readonly rows: Rows } {
  const program = new Command("ticks")
    .description("Show where a node --prof run spent its CPU time.")
    .version(version)
    .option("--no-pager", "print long reports without the pager (TICKS_PAGER, PAGER or less)")
    .addHelpText("after", FOOTER)
    .usage("[command] [options] [LOG...]")
    // Short terms, so that the summaries fit beside them in 80 columns.
    .configureHelp({
      subcommandTerm: (command) =>
        `${command.name()} ${command.usage().replace(/\[options\] ?/, "")}`.trimEnd(),
      showGlobalOptions: true,
      styleTitle: (title) => (title === "Global Options:" ? "All commands:" : title),
    })
    .exitOverride()
    .showSuggestionAfterError(false) // Errors have our own.
    .configureOutput({
      writeErr: (text) => process.stderr.write(printableLines(text)),
      outputError() {}, // It is thrown too.
    });
  const rows: Rows = new Map();
  for (const row of COMMANDS) {
    const isDefault = row === COMMANDS[0];
    const command = program.command(row.name, { isDefault }).description(row.summary);
    rows.set(command, row);
  }
  addHelpCommand(program, rows);
  program.hook("preSubcommand", (_, command) => complete(command, rows));
  // The option of all commands is among the flags of each.
  program.hook("preAction", async (_, command) => {
    command.setOptionValue("pager", program.opts().pager);
    // The arguments of a program that is recorded are its own.
    if (command.name() !== "record") command.processedArgs = await expanded(command.processedArgs);
  });
  return { program, rows };
}

/** Returns the arguments of a command, words and lists of words, with their patterns replaced by logs. */
async function expanded(args: readonly unknown[]): Promise<unknown[]> {
  const mayBePattern = (arg: unknown) => typeof arg === "string" && /[*?]/.test(arg);
  if (!args.flat().some(mayBePattern)) return Array.from(args);
  const { expandPatterns } = await import("../io/find-logs.js"); // Most shells replace patterns themselves.
  return args.map((arg) => {
    if (Array.isArray(arg)) return expandPatterns(arg);
    const found = mayBePattern(arg) ? expandPatterns([String(arg)]) : [];
    return found.length === 1 ? found[0] : arg;
  });
}

/** Commands with their rows. */
type Rows = Map<Command, CommandRow>;

/** The commands that have their options. */
const completed = new WeakSet<Command>();

/** Adds the options and the action of a command, once. */
async function complete(command: Command, rows: Rows): Promise<void> {
  const row = rows.get(command);
  if (row === undefined || completed.has(command)) return;
  completed.add(command);
  const file = await row.load();
  file.configure(command, () => completeAll(rows));
  if (row === COMMANDS[0]) command.addHelpText("after", FOOTER);
}

/** Adds the options and the actions of all commands, and returns these. */
async function completeAll(rows: Rows): Promise<readonly Command[]> {
  const commands = Array.from(rows.keys());
  for (const command of commands) await complete(command, rows);
  return commands;
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
      if (command === undefined) {
        const { unknownCommand } = await import("./usage/usage-errors.js"); // Only needed for an error.
        const names = program.commands.map((one) => one.name());
        throw unknownCommand(name, { names, before: "help " }) ?? program.help({ error: true });
      }
      await complete(command, rows);
      command.help();
    });
}
