import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll } from "vitest";
import { COMMAND_ENV, TICKS } from "./cli.ts";
import { writePrograms } from "./record-programs.ts";
import { expectValid } from "./schema.ts";
import { type Ended, WarmProgram } from "./warm-cli.ts";

/** Of a command that is run there. `onOutput` gets it as soon as it has written to standard output. */
interface RunOptions {
  /** Default: the folder. */
  readonly cwd?: string;
  readonly input?: string;
  readonly onOutput?: (child: ChildProcess, text: string) => void;
}

/** A folder of programs to record, which is removed after the tests of a file. */
export interface RecordFolder {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command in the folder. */
  run(words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Runs `ticks` there, in a process that has run others. */
  ticks(words: readonly string[], options?: Pick<RunOptions, "cwd">): Promise<Ended>;
  /** Runs `ticks record -o NAME` there, with these words behind it; in a process of its own if options are given. */
  record(name: string, words: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Returns what the file of a recording says. */
  // biome-ignore lint/suspicious/noExplicitAny: its schema says what is in it.
  recordedIn(name: string): any;
  logsOf(name: string): string[];
}

/** Makes the folder; call it once in a file of tests. */
export function recordFolder(): RecordFolder {
  const folder = mkdtempSync(join(tmpdir(), "ticks-record-"));
  const { NODE_OPTIONS: _, ...inherited } = COMMAND_ENV;
  const env = { ...inherited, PATH: [writePrograms(folder), inherited.PATH].join(delimiter) };
  const run = (
    words: readonly string[],
    { input = "", cwd = folder, onOutput = () => {} }: RunOptions = {},
  ) =>
    new Promise<Ended>((done, fail) => {
      const child = spawn(words[0]!, words.slice(1), { cwd, env, stdio: "pipe" });
      const texts = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        if (texts.stdout === "") onOutput(child, String(text));
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
  const program = new WarmProgram(env);
  const ticks: RecordFolder["ticks"] = (words, { cwd = folder } = {}) => program.run(words, { cwd });
  afterAll(() => {
    program.end();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    env,
    run,
    ticks,
    record: (name, words, options) => {
      const all = ["record", "-o", name, ...words];
      return options === undefined ? ticks(all) : run([process.execPath, TICKS, ...all], options);
    },
    recordedIn: (name) => {
      const document = JSON.parse(readFileSync(join(folder, name, "record.json"), "utf8"));
      expectValid("record", document);
      return document.recorded;
    },
    logsOf: (name) => readdirSync(join(folder, name)).filter((file) => file.endsWith(".log")),
  };
}
