import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";
import { COMMAND_LINES } from "../helpers/command-lines.mjs";
import { testFolder } from "../helpers/folder.ts";
import { type CommandOfLog, type CommandResult, runCommands } from "../helpers/run-commands.ts";

/** What must come of a log. */
interface Expected {
  readonly ticks: number;
  /** Whether more ticks are right too: how far a damaged file can be read is its reader's affair. */
  readonly orMore?: boolean;
  /** The kinds of faults that it may be said to have. */
  readonly diagnostics: readonly string[];
  /** Only these commands, for logs that are large, or whose reader is what counts. Default: all. */
  readonly commands?: readonly string[];
}

const FOLDER = fileURLToPath(new URL("../../fixtures/hostile", import.meta.url));
const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(join(FOLDER, "expected.json"), "utf8"),
);
const LOGS = Object.keys(EXPECTED);

/** What a command may take: milliseconds of the processor, and MB of memory in a process that ran others before. */
const LONGEST = 5000;
const MOST_MEMORY = 500;
/** Commands whose exit status is an answer: 1 where a budget is exceeded, too many ticks have no function, or nothing is found. */
const ANSWERS = new Set(["check", "doctor", "function", "lines"]);
/** What `check` says of a log without functions, with exit status 2. */
const NOTHING_SELECTED = "no log has /./, which a budget limits";

const cwd = testFolder();

/** The command lines for a log, by number. */
function linesFor(log: string): number[] {
  const { commands } = EXPECTED[log]!;
  const all = Array.from(COMMAND_LINES.keys());
  return all.filter((number) => commands?.includes(COMMAND_LINES[number]!.args[0]!) ?? true);
}

/** Without kernels logs are read more slowly, but the views are the same: these commands want different parts of a log. */
const READS: readonly string[] = [
  ...["process LOG --format json --inlines", "process LOG --preprocess", "top LOG --format json"],
  ...["timeline LOG --format json", "ics LOG --format json", "startup LOG --format json"],
];

const withKernels = new Map<string, CommandResult[]>();
const without = new Map<string, CommandResult[]>();

beforeAll(async () => {
  const all = LOGS.flatMap((log) => linesFor(log).map((number): CommandOfLog => [join(FOLDER, log), number]));
  const fewer = all.filter(([, number]) => READS.includes(COMMAND_LINES[number]!.args.join(" ")));
  const half = all.length >> 1;
  const [first, second, slow] = await Promise.all([
    runCommands(all.slice(0, half), { cwd }),
    runCommands(all.slice(half), { cwd }),
    runCommands(fewer, { cwd, nodeOptions: ["--jitless"] }),
  ]);
  for (const [results, byLog] of [
    [[...first, ...second], withKernels],
    [slow, without],
  ] as const) {
    for (const result of results) {
      const log = result.log.slice(FOLDER.length + 1);
      byLog.set(log, [...(byLog.get(log) ?? []), result]);
    }
  }
}, 900_000);

const words = ({ number }: CommandResult) => COMMAND_LINES[number]!.args.join(" ");
const resultOf = (results: readonly CommandResult[], line: string) =>
  results.find((result) => words(result) === line);

/** The ticks that a command found, of those that say it. */
function ticksOf(result: CommandResult): number | undefined {
  if (result.status !== 0 || result.stdout === "") return undefined;
  const line = words(result);
  if (line === "export LOG --format collapsed -o -") {
    return result.stdout
      .trimEnd()
      .split("\n")
      .reduce((sum, row) => sum + Number(/ (\d+)$/.exec(row)?.[1]), 0);
  }
  if (COMMAND_LINES[result.number]!.form !== "json") return undefined;
  const document = JSON.parse(result.stdout);
  if (line === "process LOG --preprocess" || line === "export LOG --format preprocess -o -")
    return document.ticks.length;
  // Every document about a profile has them; filters of some command lines exclude ticks.
  return document.ticks === undefined ? undefined : document.ticks + document.excludedTicks;
}

describe.each(LOGS)("%s", (log) => {
  const { ticks, orMore = false, diagnostics } = EXPECTED[log]!;

  it.each([
    ["with kernels", withKernels],
    ["without", without],
  ] as const)("is opened safely by every command, %s", (_, all) => {
    const results = all.get(log)!;
    const failures = results.flatMap((result) => {
      const { status, bug, fault, milliseconds, megabytes } = result;
      const command = COMMAND_LINES[result.number]!.args[0]!;
      const isNothing = command === "check" && result.stderr.includes(NOTHING_SELECTED);
      const most = isNothing ? 2 : ANSWERS.has(command) ? 1 : 0;
      const found = ticksOf(result);
      const isRight = found === undefined || found === ticks || (orMore && found > ticks);
      return [
        bug && `bug: ${bug.slice(0, 400)}`,
        bug === undefined &&
          !(status !== undefined && status <= most) &&
          `status ${status}: ${result.stderr}`,
        fault,
        milliseconds > LONGEST && `${Math.round(milliseconds)} ms`,
        megabytes > MOST_MEMORY && `${Math.round(megabytes)} MB`,
        !isRight && `${found} ticks of ${ticks}`,
      ]
        .filter((failure) => failure)
        .map((failure) => `${words(result)}: ${failure}`);
    });
    expect(failures).toEqual([]);
  });

  it("has no other faults than those it was given", () => {
    const report = resultOf(withKernels.get(log)!, "process LOG --format json --inlines");
    const found = JSON.parse(report?.stdout || '{"diagnostics":[]}').diagnostics;
    const codes = found.map(({ code }: { code: string }) => code);
    expect(codes.filter((code: string) => !diagnostics.includes(code))).toEqual([]);
  });

  it("is the same without kernels", () => {
    const fast = new Map(withKernels.get(log)!.map((result) => [result.number, result]));
    const differ = without.get(log)!.filter((slow) => {
      const { status, hash } = fast.get(slow.number)!;
      return slow.status !== status || slow.hash !== hash;
    });
    expect(differ.map(words)).toEqual([]);
  });
});

it("every log of the folder is expected", () => {
  const logs = readdirSync(FOLDER).filter((name) => /\.log(?:\.gz)?$/.test(name));
  expect(LOGS.toSorted()).toEqual(logs.toSorted());
});

/** Runs the program as a shell does that limits its addresses, as on a small machine. */
function limited(
  args: readonly string[],
  kilobytes: number,
): Promise<{ status: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const script = `ulimit -v ${kilobytes} && exec "$0" "$@"`;
    const child = spawn("/bin/sh", ["-c", script, process.execPath, TICKS, ...args], {
      cwd,
      env: { ...process.env, XDG_CACHE_HOME: cwd },
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    let stderr = "";
    child.stderr.on("data", (text: Buffer) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stderr }));
  });
}

describe.runIf(process.platform === "linux")("a process of its own, short of memory", () => {
  it.each([
    ["05-map-section-line.log", "top"],
    ["10-time-infinity.log", "timeline"],
    ["14-lost-at-end.log", "doctor"],
    ["17-backticks.log.gz", "top"],
    ["22-deep-stack.log.gz", "tree"],
    ["28-map-deep.log.gz", "lines"],
    ["36-row-of-70-mb.log.gz", "process"],
  ])(
    "%s: %s",
    async (log, command) => {
      const { status, stderr } = await limited([command, join(FOLDER, log)], 2_500_000);
      expect(stderr).not.toMatch(/bug in ticks|out of memory|UnhandledPromise/);
      expect(status).toBe(0);
    },
    90_000,
  );
});
