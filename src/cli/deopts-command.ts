import { type Command, Option } from "commander";
import type { DeoptsFlags } from "./commands/deopts.js";
import { positiveNumber } from "./options.js";
import { addViewOptions } from "./view-options.js";

/** Adds `ticks deopts`. */
export function addDeoptsCommand(program: Command): void {
  const command = program
    .command("deopts [LOG...]")
    .description("print which optimized code V8 threw away, why, and how many ticks that cost")
    .option("-n, --limit <n>", "how many rows of each list (default: 20; json: all)", positiveNumber)
    .addOption(new Option("--format <name>", "output format").choices(["text", "json", "md"]).default("text"))
    .addHelpText("after", PRICE);
  addViewOptions(command);
  command.action(async (logs: string[], flags: DeoptsFlags) => {
    const { runDeopts } = await import("./commands/deopts.js");
    process.exitCode = await runDeopts(logs, flags);
  });
}

const PRICE = `
From Node 16 on, deoptimizations are logged only when asked for:
node --prof --log-deopt app.js

The price of a deoptimization: ticks in the function's code of lower tiers than
the one it was thrown out of, from then until it was optimized again (until new
code of that tier or a higher one is logged for it, or a tick is in such code).
Bytecode handlers, builtins and inline caches that work for the function count,
and so does what is inlined into its code; C++ and functions it calls do not. Of
several deoptimizations of a function the latest gets the tick: no tick is in
two prices. Functions are told apart by name and place. What a filter leaves out
costs nothing. The work had to be done anyway: less than the price can be won.`;
