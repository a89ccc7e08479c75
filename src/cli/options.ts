import { type Command, InvalidArgumentError, Option } from "commander";
import type { GroupBy } from "../views/lanes.js";
import { addFilterOptions, type FilterFlags } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import type { SourceRootFlags } from "./source-roots.js";
import type { ColorFlag } from "./terminal.js";

/** The options of every command that looks inside a profile. */
export interface ViewFlags extends LoadFlags, FilterFlags, SourceRootFlags {
  color: ColorFlag;
  sourceMaps: boolean;
}

/** Adds the options that these commands share, after those of their own. */
export function addViewOptions(command: Command): void {
  command
    .addOption(colorOption())
    .addOption(threadOption())
    .addOption(sourceMapsOption())
    .addOption(sourceRootOption());
  addFilterOptions(command);
  addSymbolOptions(command);
}

/** A form of a report. */
export type Format = "text" | "json" | "md";

/** The options that {@link addFormatOptions} adds. */
export interface FormatFlags {
  format: Format;
  pretty?: boolean;
}

/** Adds `--format` with these forms, the first by default, and `--pretty`. */
export function addFormatOptions(command: Command, formats: readonly Format[]): void {
  command
    .addOption(new Option("--format <name>", "output format").choices(formats).default(formats[0]))
    .option("--pretty", "indent JSON (default: only on a terminal)");
}

/** The flag that {@link groupOption} adds. */
export interface GroupFlags {
  by: GroupBy;
}

/** `--by`, of the commands that count ticks by what they were doing. */
export function groupOption(): Option {
  return new Option("--by <group>", "group ticks by what the code was doing, or by V8's own state")
    .choices(["category", "state"])
    .default("category");
}

/** `--thread`, of every command that reads several logs. */
export function threadOption(): Option {
  return new Option(
    "--thread <which>",
    "only these threads, by #, name, PID or isolate, or all that are main or worker; repeatable, commas",
  ).argParser((value: string, previous: string[] = []) => [...previous, value]);
}

export function sourceMapsOption(): Option {
  return new Option("--no-source-maps", "ignore source maps");
}

/** `--source-root`, of every command that shows sources or uses source maps. */
export function sourceRootOption(): Option {
  return new Option(
    "--source-root <[from=]dir>",
    "read source maps and sources that the log names from files in this folder (default: from no files); FROM is what the log calls it, where that is not its path; repeatable",
  ).argParser((value: string, previous: string[] = []) => [...previous, value]);
}

export function colorOption(): Option {
  return new Option("--color <when>", "use colours").choices(["auto", "always", "never"]).default("auto");
}

/** Adds the options that say where native names come from. */
export function addSymbolOptions(command: Command): void {
  command
    .optionsGroup("Native symbols:")
    .option(
      "--symbols <[lib=]file>",
      "symbols saved by ticks symbols (default: LOG.symbols, if it is there); for one library, by its path or name, also nm output or a Windows .map; repeatable",
      (value: string, previous: string[] = []) => [...previous, value],
    )
    .option("--nm <path>", "use this nm instead of the built-in reader")
    .option("--target <dir>", "folder to look for libraries in: a root file system, or just the files")
    .option("--force-symbols", "use symbols even if the binary does not match")
    .option("--no-cache", "read binaries anew, and do not keep what is learned from them")
    .option("--apk-embedded-library <path>", "the library to read for one that ends in .apk");
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It is not a whole number.");
  return Number(text);
}

/** A whole number from 1 up. */
export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  if (number === 0) throw new InvalidArgumentError("It is 0.");
  return number;
}

export function percentage(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0 && number <= 100))
    throw new InvalidArgumentError("It is not a percentage.");
  return number;
}
