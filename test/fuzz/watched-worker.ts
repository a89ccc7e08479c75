import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaseMemory, FromWorker, WorkerTask } from "./messages.ts";

/** No case may take longer, in milliseconds. */
const LONGEST = 10_000;
/** Nor may it need more memory, in MB. */
const MOST_MEMORY = 1024;
/** Between two looks at a worker, in milliseconds. */
const LOOK = 100;

/** Why a worker is no more: it has done its work, or a case of it was too much. */
export type WorkerEnd =
  | { readonly kind: "done"; readonly next: number; readonly time: number; readonly greatest: CaseMemory }
  | { readonly kind: "hang" | "memory" | "crash"; readonly number: number; readonly message: string };

/**
 * Runs a worker to its end. A case that takes too long or too much memory ends it; so does one that makes the process
 * crash. `onMessage` gets what it says meanwhile.
 */
export function runWorker(
  task: Omit<WorkerTask, "progressFile">,
  onMessage: (message: FromWorker) => void,
): Promise<WorkerEnd> {
  const folder = mkdtempSync(join(tmpdir(), "ticks-fuzz-progress-"));
  const progressFile = join(folder, "case");
  writeFileSync(progressFile, Buffer.from(new Float64Array([task.from, 0]).buffer));
  const progress = openSync(progressFile, "r");
  const worker = fork(
    fileURLToPath(import.meta.resolve("./worker.js")),
    [JSON.stringify({ ...task, progressFile })],
    {
      execArgv: [
        "--enable-source-maps",
        `--max-old-space-size=${MOST_MEMORY}`,
        "--unhandled-rejections=warn",
      ],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    },
  );
  let said = "";
  worker.stderr?.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(-2000);
  });
  return new Promise((resolve) => {
    let end: WorkerEnd | undefined;
    const watch = watchCases(progress, worker, (found) => {
      end ??= found;
      worker.kill("SIGKILL");
    });
    worker.on("message", (message: FromWorker) => {
      if (message.type === "done")
        end ??= { kind: "done", next: message.next, time: message.time, greatest: message.greatest };
      else onMessage(message);
    });
    worker.on("close", (status, signal) => {
      clearInterval(watch);
      const [number] = readProgress(progress);
      closeSync(progress);
      rmSync(folder, { recursive: true, force: true });
      const isMemory = said.includes("heap out of memory");
      const message = `exit status ${status ?? signal}\n${said}`;
      resolve(end ?? { kind: isMemory ? "memory" : "crash", number, message });
    });
  });
}

/** The number of the case that is tried, and how many were tried. */
function readProgress(file: number): [number: number, tried: number] {
  const numbers = new Float64Array(2);
  readSync(file, numbers, 0, 16, 0);
  return [numbers[0]!, numbers[1]!];
}

function watchCases(progress: number, worker: ChildProcess, onEnd: (end: WorkerEnd) => void): NodeJS.Timeout {
  let before = -1;
  let since = Date.now();
  return setInterval(() => {
    const [number, tried] = readProgress(progress);
    if (tried !== before) {
      before = tried;
      since = Date.now();
    }
    const seconds = LONGEST / 1000;
    // Of the time before the first case most goes into loading.
    if (tried > 0 && Date.now() - since > LONGEST) {
      onEnd({ kind: "hang", number, message: `more than ${seconds} s` });
    }
    const memory = memoryOf(worker.pid);
    if (memory > MOST_MEMORY) onEnd({ kind: "memory", number, message: `${memory} MB` });
  }, LOOK);
}

/** The memory of a process in MB, as far as the system tells: 0 where it does not. */
function memoryOf(pid: number | undefined): number {
  if (process.platform !== "linux" || pid === undefined) return 0;
  try {
    const [, kilobytes = "0"] =
      /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0; // It has just ended.
  }
}
