import { fileURLToPath } from "node:url";

async function start(args: readonly string[]): Promise<void> {
  // It says its version with no more than it needs for that: scripts ask for it at every start.
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    await import("../main.js");
    return;
  }
  const [{ loadProgram }, { commandIn }] = await Promise.all([
    import("./load-program.js"),
    import("./command-names.js"),
  ]);
  const usesCache = !args.includes("--no-cache") && process.env.NODE_DISABLE_COMPILE_CACHE === undefined;
  loadProgram(fileURLToPath(new URL("./main.js", import.meta.url)), commandIn(args), { usesCache });
}

void start(process.argv.slice(2));
