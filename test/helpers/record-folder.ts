import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll } from "vitest";
import { TICKS } from "./cli.ts";
import { writePrograms } from "./record-programs.ts";
import { expectValid } from "./schema.ts";

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Of a command that is run there. `onOutput` gets it as soon as it has written to standard output. */
interface RunOptions {
  /** Default: the folder. */
  readonly cwd?: string;
  readonly input?: string;
  readonly onOutput?: (child: ChildProcess) => void;
}

/** A folder of programs to record, which is removed after the tests of a file. */
export interface RecordFolder {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command in the folder. */
  run(words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Runs `ticks record -o NAME` there, with these words behind it. */
  record(name: string, words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Returns what the file of a recording says. */
  // biome-ignore lint/suspicious/noExplicitAny: its schema says what is in it.
  recordedIn(name: string): any;
  logsOf(name: string): string[];
}

/** Makes the folder; call it once in a file of tests. */
export function recordFolder(): RecordFolder {
  const folder = mkdtempSync(join(tmpdir(), "ticks-record-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { NODE_OPTIONS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: [writePrograms(folder), inherited.PATH].join(delimiter),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const run = (
    words: readonly string[],
    { input = "", cwd = folder, onOutput = () => {} }: RunOptions = {},
  ) =>
    new Promise<Ended>((done, fail) => {
      const child = spawn(words[0]!, words.slice(1), { cwd, env, stdio: "pipe" });
      const texts = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (texts.stdout === "") onOutput(child);
        texts.stdout += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        texts.stderr += text;
      });
      child.stdin.on("error", () => {}); // Some programs read no input.
      child.stdin.end(input);
      child.on("error", fail);
      child.on("close", (status, signal) => done({ ...texts, status, signal }));
    });
  return {
    folder,
    env,
    run,
    record: (name, words, options) => run([process.execPath, TICKS, "record", "-o", name, ...words], options),
    recordedIn: (name) => {
      const document = JSON.parse(readFileSync(join(folder, name, "record.json"), "utf8"));
      expectValid("record", document);
      return document.recorded;
    },
    logsOf: (name) => readdirSync(join(folder, name)).filter((file) => file.endsWith(".log")),
  };
}
