import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { TicksError } from "../errors.js";
import { addDeoptsCommand } from "./deopts-command.js";
import type { DoctorFlags } from "./doctor.js";
import { addExportCommand } from "./export-command.js";
import { addFlameCommand } from "./flame-command.js";
import { addFunctionCommand } from "./function-command.js";
import { addLinesCommand } from "./lines-command.js";
import {
  addProcessOptions,
  addSymbolOptions,
  colorOption,
  normalizeArguments,
  type ProcessFlags,
  percentage,
  threadOption,
} from "./options.js";
import type { SymbolsFlags } from "./symbols.js";
import { addThreadsCommand } from "./threads-command.js";
import { addTimelineCommand } from "./timeline-command.js";
import { addTopCommand } from "./top-command.js";
import { addTreeCommand } from "./tree-command.js";

const TROUBLE = 2;

const FOOTER = `
Record a log with: node --prof app.js
Then: ticks process isolate-0x…-v8.log > processed.txt

Exit status: 0 done; 1 the answer is no (--strict found a fault, doctor too many
ticks without a function); 2 trouble (usage, unreadable input).`;

async function main(): Promise<void> {
  const program = new Command("ticks")
    .description("Says where the CPU time of a node --prof run went, every tick to the right function.")
    .version(packageVersion())
    .addHelpText("after", FOOTER)
    .usage("[command] [options] [LOG...]")
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text.replace(/^error: /, "ticks: ")) });
  const command = program
    .command("process [LOG...]", { isDefault: true })
    .description(
      "print the report of one log, or of several or a folder of them together (the default command)",
    )
    .addHelpText("after", FOOTER);
  addProcessOptions(command, ["text", "json"]);
  command.action(async (logs: string[], flags: ProcessFlags) => {
    const { runProcess } = await import("./process.js");
    process.exitCode = await runProcess(logs, flags);
  });
  addExportCommand(program);
  const symbols = program
    .command("symbols <LOG>")
    .description("save the C++ symbols that a log needs, so that it can be processed on any machine")
    .option("-o, --output <file>", "where to write them, - for standard output (default: LOG.symbols)")
    .option("--all", "save all symbols, not only those that the log's ticks touch");
  addSymbolOptions(symbols);
  symbols.action(async (log: string, flags: SymbolsFlags) => {
    const { runSymbols } = await import("./symbols.js");
    process.exitCode = await runSymbols(log, flags);
  });
  const doctor = program
    .command("doctor [LOG...]")
    .description("say whether the report of a log is to be trusted, and what to do about it")
    .addOption(new Option("--format <name>", "form of the answer").choices(["text", "json"]).default("text"))
    .addOption(colorOption())
    .addOption(
      new Option("--max-unknown <percent>", "exit with 1 when more of the ticks have no function")
        .argParser(percentage)
        .default(5),
    )
    .addOption(threadOption());
  addSymbolOptions(doctor);
  doctor.action(async (logs: string[], flags: DoctorFlags) => {
    const { runDoctor } = await import("./doctor.js");
    process.exitCode = await runDoctor(logs, flags);
  });
  addThreadsCommand(program);
  addDeoptsCommand(program);
  addTimelineCommand(program);
  addTopCommand(program);
  addFlameCommand(program);
  addTreeCommand(program);
  addFunctionCommand(program);
  addLinesCommand(program);
  const args = normalizeArguments(process.argv.slice(2));
  if (args.includes("-ni")) throw new TicksError("BAD_OPTION", "-ni is spelled --no-idle here");
  await program.parseAsync(args, { from: "user" });
}

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

// A reader that has had enough (`| head`) ends the command, and that is success. What else can go wrong with the output
// is told by what writes it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") process.exitCode = TROUBLE;
  });
}

try {
  await main();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : TROUBLE;
  } else {
    process.exitCode = TROUBLE;
    if (error instanceof TicksError) {
      process.stderr.write(`ticks: ${error.message}\n${error.hint === undefined ? "" : `${error.hint}\n`}`);
    } else {
      process.stderr.write(
        `ticks: this is a bug in ticks:\n${error instanceof Error ? error.stack : error}\n`,
      );
    }
  }
}
