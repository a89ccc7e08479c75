import { fileURLToPath } from "node:url";
import { commandIn } from "./command-names.js";

async function start(args: readonly string[]): Promise<void> {
  // It says its version with no more than it needs for that: scripts ask for it at every start.
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    await import("../main.js");
    return;
  }
  const { loadProgram } = await import("./load-program.js");
  const usesCache = !args.includes("--no-cache") && process.env.NODE_DISABLE_COMPILE_CACHE === undefined;
  loadProgram(fileURLToPath(new URL("./main.js", import.meta.url)), commandIn(args), { usesCache });
}

void start(process.argv.slice(2));
