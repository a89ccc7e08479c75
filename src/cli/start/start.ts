import { fileURLToPath } from "node:url";
import { VERSION } from "../../version.js";
import { commandIn } from "./command-names.js";
import { loadProgram } from "./load-program.js";

const args = process.argv.slice(2);
if (args.length === 1 && ["-V", "--version"].includes(args[0]!)) {
  // Scripts ask for it at every start, so it loads no command.
  process.stdout.write(`${VERSION}\n`);
} else {
  const isOff = args.includes("--no-cache") || process.env.NODE_DISABLE_COMPILE_CACHE !== undefined;
  loadProgram(fileURLToPath(new URL("./main.js", import.meta.url)), commandIn(args), { usesCache: !isOff });
}
