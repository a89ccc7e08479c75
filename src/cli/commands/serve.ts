import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badOption } from "../../base/errors.js";
import { printable } from "../../base/shown-text.js";
import { openInBrowser } from "../../io/child-program.js";
import { isFolder } from "../../io/find-logs.js";
import { keyOf, namesOf } from "../../reports/command-row.js";
import { commandNamed } from "../commands.js";
import { allOptions } from "../options.js";
import { warn } from "../terminal.js";
import { startServer } from "./serve/server.js";

/** The options of the command. */
interface ServeFlags {
  readonly port?: number;
  readonly open?: boolean;
}

/** Runs `ticks serve` until a signal ends it. Returns the exit status. */
export async function runServe([folder = "."]: readonly string[], flags: ServeFlags): Promise<number> {
  if (!existsSync(folder)) throw badOption(`${printable(folder)}: no such folder`);
  if (!isFolder(folder)) {
    const hint = "Name the folder that it is in, or see ticks flame --help for one page.";
    throw badOption(`${printable(folder)}: not a folder`, hint);
  }
  const { url, close } = await startServer({
    folder: resolve(folder),
    program: [process.execPath, process.argv[1]!],
    flagsOf: (view) => forwarded(view, flags),
    port: flags.port ?? 0,
  });
  process.stdout.write(`${url}\n`);
  warn("only this machine can open this address, and only who knows it. Ctrl-C ends it.");
  if (flags.open) await openInBrowser(url);
  await new Promise<void>((end) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end());
  });
  close();
  return 0;
}

/** Returns the options that were given and that the command of a page takes too. */
function forwarded(view: string, flags: ServeFlags): string[] {
  const given = flags as unknown as Readonly<Record<string, unknown>>;
  const taken = new Set(allOptions(commandNamed(view)!).map((row) => namesOf(row).long));
  return allOptions(commandNamed("serve")!).flatMap((row) => {
    const { long, value } = namesOf(row);
    const isNo = long.startsWith("--no-");
    const name = keyOf(long);
    if (!taken.has(long)) return [];
    if (value === undefined) return given[name] === !isNo ? [long] : [];
    return [given[name] ?? []].flat().map((one) => `${long}=${one}`);
  });
}
