import { type Command, InvalidArgumentError, Option } from "commander";
import type { GroupBy } from "../views/lanes.js";
import { addFilterOptions, addIdleOptions, type FilterFlags } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import type { SourceRootFlags } from "./source-roots.js";
import type { ColorFlag, PagerFlag } from "./terminal.js";

/** The options of every command that reads stacks. */
export interface ViewFlags extends LoadFlags, FilterFlags, SourceRootFlags {
  color: ColorFlag;
  sourceMaps: boolean;
  separateBytecodes?: boolean;
  inferred: boolean;
}

/** Adds the options that all these commands share, after their own. `countsIdle`: ticks that waited count, unless the user says so. */
export function addViewOptions(command: Command, { countsIdle = false } = {}): void {
  command
    .addOption(colorOption())
    .addOption(noColorOption())
    .addOption(threadOption())
    .addOption(sourceMapsOption())
    .addOption(sourceRootOption())
    .addOption(inferredOption())
    .option("--separate-bytecodes", "show bytecode handlers (default: credit the functions they interpret)")
    .addOption(new Option("--no-separate-bytecodes").hideHelp());
  addFilterOptions(command);
  addIdleOptions(command, { isCounted: countsIdle });
  addSymbolOptions(command);
  addSourceRootDetails(command);
}

/** Adds an example of `--source-root` below the options. */
export function addSourceRootDetails(command: Command): void {
  command.addHelpText("after", SOURCE_ROOT_DETAILS);
}

const SOURCE_ROOT_DETAILS = `
--source-root FROM=DIR is for a log from another machine, where DIR was called
FROM. With --source-root /srv/app=., ticks reads ./main.js for /srv/app/main.js.`;

const SYMBOLS_DETAILS = `
--symbols LIB=FILE gives the symbols of one library. LIB is its path or its file
name.`;

/** An output format of a report. */
export type Format = "text" | "json" | "md";

/** The options that {@link addFormatOptions} adds. */
export interface FormatFlags extends PagerFlag {
  format: Format;
  pretty?: boolean;
}

/**
 * Adds `--pretty`, and `--format` with these formats; the first is the default. The others are also options of
 * their own: `--json` is short for `--format json`.
 */
export function addFormatOptions(command: Command, formats: readonly Format[]): void {
  const [first, ...others] = formats;
  const short = others.map((format) => `--${format}`).join(", ");
  command
    .addOption(
      new Option("--format <name>", `output format; short: ${short}`).choices(formats).default(first),
    )
    .option("--pretty", "indent JSON (default: only on a terminal)");
  for (const format of others) {
    command.addOption(new Option(`--${format}`).implies({ format }).hideHelp());
  }
}

/** The flags that {@link addListOptions} adds. */
export interface ListFlags extends ViewFlags, FormatFlags {
  limit?: number;
}

/** Adds the options of a view that is a list, as text, JSON or Markdown: `--limit` (default: `rows`), and those of all views. */
export function addListOptions(
  command: Command,
  rows: number,
  defaults?: { readonly countsIdle: boolean },
): void {
  command.option("-n, --limit <n>", `number of rows per list (default: ${rows}; JSON: all)`, positiveNumber);
  addFormatOptions(command, ["text", "json", "md"]);
  addViewOptions(command, defaults);
}

/** Returns how many rows a list has; JSON has all. */
export function rowLimit({ limit, format }: ListFlags, rows: number): number {
  return limit ?? (format === "json" ? Number.POSITIVE_INFINITY : rows);
}

/** The flag that {@link groupOption} adds. */
export interface GroupFlags {
  by: GroupBy;
}

/** Makes `--by`, an option of the commands that group ticks. */
export function groupOption(): Option {
  return new Option("--by <group>", "group ticks by what the code was doing, or by V8's own state")
    .choices(["category", "state"])
    .default("category");
}

/** Makes `--thread`, an option of every command that reads several logs. */
export function threadOption(): Option {
  return new Option(
    "--thread <which>",
    "keep only these threads: #, name, PID, isolate, main or worker; repeatable, or separated by commas",
  ).argParser((value: string, previous: string[] = []) => [...previous, value]);
}

/** Makes `--no-source-maps`. */
export function sourceMapsOption(): Option {
  return new Option("--no-source-maps", "ignore source maps");
}

/** Makes `--no-inferred`. */
export function inferredOption(): Option {
  return new Option(
    "--no-inferred",
    "leave out callers and lines that are not in the log but inferred (marked ≈)",
  );
}

/** Makes `--source-root`, an option of every command that shows sources or uses source maps. */
export function sourceRootOption(): Option {
  return new Option(
    "--source-root <[from=]dir>",
    "allow reading the source maps and sources that the log names, if they are in this folder (default: for your own recordings, where the program was started; else read no such file); repeatable",
  ).argParser((value: string, previous: string[] = []) => [...previous, value]);
}

/** Makes `--color`. */
export function colorOption(): Option {
  return new Option("--color <when>", "use colours").choices(["auto", "always", "never"]).default("auto");
}

/** Makes `--no-color`, for people who know it from other programs. Comes after `--color`. */
export function noColorOption(): Option {
  return new Option("--no-color").preset("never").hideHelp();
}

/** Adds the options for native symbols. */
export function addSymbolOptions(command: Command): void {
  command
    .optionsGroup("Native symbols:")
    .option(
      "--symbols <[lib=]file>",
      "use symbols saved by ticks symbols (default: LOG.symbols, if it exists) or, for one library, its binary, nm output or a Windows .map; repeatable",
      (value: string, previous: string[] = []) => [...previous, value],
    )
    .option("--nm <path>", "use this nm instead of the built-in reader")
    .option("--target <dir>", "look for libraries in this folder: a root file system, or just the files")
    .option("--force-symbols", "use symbols even if the binary does not match")
    .option("--no-cache", "do not read or write caches: of symbols, and of the compiled code of ticks")
    .option("--apk-embedded-library <path>", "read this library for paths that end in .apk")
    .addHelpText("after", SYMBOLS_DETAILS);
}

/** Reads a whole number, 0 or more. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

/** Reads a whole number, 1 or more. */
export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError("Expected 1 or more.");
  return number;
}

/** Reads a number from 0 to 100. */
export function percentage(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number <= 100))
    throw new InvalidArgumentError("Expected a number from 0 to 100.");
  return number;
}
