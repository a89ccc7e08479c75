import { mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { COMMAND_LINES } from "../../helpers/command-lines.mjs";
import { GOOD_ROWS, name, writeLog } from "../log-rows.ts";
import { EDGES } from "../mutation.ts";
import { runCommand, workFolder, writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly command: string;
  /** Options by number, each with what stands behind it. */
  readonly options: readonly {
    readonly number: number;
    readonly value: string;
    readonly isJoined: boolean;
  }[];
  readonly words: readonly string[];
}

/** All commands but the one that runs a program: any words could be one. */
const COMMANDS: readonly string[] = Array.from(new Set(COMMAND_LINES.map(({ args }) => args[0]!))).filter(
  (command) => command !== "record",
);

/** Files of every kind in the working folder, and names of none. */
const file = fc.constantFrom(
  ...[
    "good.log",
    "good.log.gz",
    "empty.log",
    "text.log",
    "json.log",
    "cut.log.gz",
    "none.log",
    "folder",
    "empty-folder",
  ],
  ...[
    "",
    ".",
    "-",
    "good.log/x",
    "a".repeat(5000),
    "\u001b[31m",
    "good.symbols",
    "nm.txt",
    "lib=nm.txt",
    "=",
    "x=",
  ],
);

const value: Arbitrary<string> = fc.oneof(
  file,
  fc.constantFrom(
    "json",
    "md",
    "text",
    "collapsed",
    "pprof",
    "parquet",
    "preprocess",
    "speedscope",
    "always",
    "never",
    "main",
    "worker",
    "1",
    "js",
    "gc",
    "js,gc",
    "node",
    "self",
    "total",
    "auto",
    "10,20",
    "auto,5",
    "(",
    "/f/i",
    "(a+)+$",
    "out.json",
    "out.svg.gz",
  ),
  fc.constantFrom(...EDGES, "0.5", "100", "101", "-5", "1e3", "1001", "100001"),
  name,
);

/** Command lines of any words. Nothing is opened in a browser, and no program is run. */
export const commands: Target<Input> = {
  name: "commands",
  about: "any options and names: exit status 0 to 2, no bug",
  arbitrary: fc.record({
    command: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...COMMANDS) },
      { weight: 1, arbitrary: value },
    ),
    options: fc.array(fc.record({ number: fc.nat(200), value, isJoined: fc.boolean() }), { maxLength: 4 }),
    words: fc.oneof(fc.constant(["good.log"]), fc.array(fc.oneof(file, name), { maxLength: 3 })),
  }),
  async check(input) {
    prepare();
    const args = argsOf(input, await optionsOf(input.command));
    const { status, stdout, stderr } = await runCommand(args);
    const isJson = args[args.lastIndexOf("--format") + 1] === "json" && args.lastIndexOf("--format") > 0;
    if (status < 2 && isJson && stdout.length > 0) JSON.parse(stdout.toString("utf8"));
    if (/\bat .*\(?(?:file|node):/.test(stderr))
      broken("no error shows a stack of calls", stderr.slice(0, 300));
  },
  file: (input) => ({
    extension: "json",
    bytes: JSON.stringify(argsOf(input, options.get(input.command) ?? []), null, 2),
  }),
};

interface Option {
  readonly flag: string;
  readonly takesValue: boolean;
}

const options = new Map<string, readonly Option[]>();
/** What is not fuzzed: it starts other programs, or prints what is no report. */
const NOT = new Set(["--open", "--nm", "--help", "--version"]);

/** The options that the help of a command lists. */
async function optionsOf(command: string): Promise<readonly Option[]> {
  const known = options.get(command);
  if (known !== undefined) return known;
  if (!COMMANDS.includes(command)) return [];
  const { stdout } = await runCommand([command, "--help-all"]);
  const found = Array.from(
    stdout.toString("utf8").matchAll(/^ {2}(?:-\w, )?(--[\w-]+)( [<[])?/gm),
    ([, flag, argument]) => ({ flag: flag!, takesValue: argument !== undefined }),
  ).filter(({ flag }) => !NOT.has(flag));
  if (found.length === 0) broken("the help lists options", command);
  options.set(command, found);
  return found;
}

function argsOf({ command, options: wanted, words }: Input, all: readonly Option[]): string[] {
  const args = [command];
  for (const { number, value: given, isJoined } of wanted) {
    const option = all[number % Math.max(1, all.length)];
    if (option === undefined) continue;
    // Files are written into the working folder only.
    const text = option.flag === "--output" ? `out-${given.replace(/[^\w.]/g, "_").slice(0, 40)}` : given;
    if (!option.takesValue) args.push(option.flag);
    else if (isJoined) args.push(`${option.flag}=${text}`);
    else args.push(option.flag, text);
  }
  // A log may never end.
  if (command === "live") args.push("--duration", "0");
  // It would serve until a signal comes.
  if (command === "serve") args.push("--help");
  return [...args, ...words.filter((word) => !/^-(?!$)/.test(word))];
}

let isPrepared = false;

function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  const { code, tick } = GOOD_ROWS;
  const log = writeLog("v20", [code, ...[0x10004, 0x10010, 0x20000].map((pc) => ({ ...tick, pc }))]);
  for (const folder of ["folder", "empty-folder"]) mkdirSync(`${workFolder()}/${folder}`);
  const files: Record<string, Uint8Array | string> = {
    "good.log": log,
    "good.log.gz": gzipSync(log),
    "folder/isolate-0x1000-7-v8.log": log,
    "folder/isolate-0x2000-7-v8.log": log,
    "empty.log": "",
    "text.log": "no log\n",
    "json.log": "{}",
    "cut.log.gz": gzipSync(log).subarray(0, 40),
    "good.symbols": "ticks-symbols 1\nlibrary /x\nsegment 0 0 1000\n10 20 f\n",
    "nm.txt": "0000000000001000 0000000000000042 T main\n",
  };
  for (const [path, bytes] of Object.entries(files)) writeWork(path, bytes);
}
