import { TicksError } from "../errors.js";
import { describeLog, findLogs } from "../io/find-logs.js";
import { printable } from "../views/label.js";
import { warn } from "./terminal.js";

/** The one log of the current folder; throws a list where there are several. */
export async function theOnlyLog(): Promise<string> {
  const [log, ...others] = findLogs(".");
  if (log === undefined) {
    throw new TicksError(
      "NO_LOG",
      "no log given, and no isolate*.log or v8*.log here",
      "Record one with: node --prof app.js",
    );
  }
  if (others.length === 0) {
    warn(`processing ${printable(log)}`);
    return log;
  }
  const rows: string[][] = [];
  for (const found of [log, ...others]) {
    const { path, bytes, ticks } = await describeLog(found);
    rows.push([printable(path), `${(bytes / 1e6).toFixed(1)} MB`, String(ticks ?? "?")]);
  }
  const { table } = await import("../reporters/layout/table.js"); // Who names a log does without.
  const list = table(
    [{ title: "log" }, { title: "size", align: "right" }, { title: "ticks", align: "right" }],
    rows,
  );
  throw new TicksError(
    "SEVERAL_LOGS",
    `several logs are here, newest first:\n${list.map((line) => `  ${line}`).join("\n")}`,
    "Name one or several, or all of them: ticks .",
  );
}
