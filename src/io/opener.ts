import { spawn } from "node:child_process";
import { TicksError } from "../errors.js";
import { findProgram, viewerOptions } from "./child-program.js";

/**
 * Opens a page, an absolute path or an address, with the system's default program. It does not pass through a shell. Throws a {@link
 * TicksError} if that fails.
 */
export async function openInBrowser(page: string): Promise<void> {
  const [name, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  try {
    const program = findProgram(name!);
    if (program === undefined) throw new Error(`${name} is not on the PATH`);
    await start(program, [...args, page]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TicksError("NOT_FOUND", `--open: could not open ${page}: ${reason}`, "Open it in a browser.");
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Starts a program that outlives this process. */
function start(program: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...viewerOptions(), detached: true, stdio: "ignore" });
    child.on("error", fail);
    child.on("spawn", () => {
      child.unref();
      done();
    });
  });
}
