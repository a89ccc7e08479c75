import { fileURLToPath } from "node:url";
import { VERSION } from "../../version.js";

async function start(args: readonly string[]): Promise<void> {
  if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
    // Scripts ask for it at every start, so it loads nothing.
    process.stdout.write(`${VERSION}\n`);
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
