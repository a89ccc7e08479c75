import { shellWord } from "../layout/shell-word.js";

/** What the file of a recording says, as far as reports show it. */
export interface ShownRecording {
  /** The folder, as reports call it. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly commit: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined if the recording was cut off. */
  readonly outcome:
    | {
        readonly status: number | undefined;
        readonly signal: string | undefined;
        readonly stoppedBy: string | undefined;
        readonly seconds: number;
      }
    | undefined;
  readonly processes: readonly {
    readonly pid: number;
    readonly ppid: number;
    readonly command: readonly string[];
    readonly node: string;
    readonly problem: string | undefined;
  }[];
}

/** More processes than this are counted, not listed. */
const LISTED_LIMIT = 50;

/** Returns the line above the processes of a recording. */
export function recordingTitle(
  { folder, command, commit, labels, outcome, processes }: ShownRecording,
  show: (text: string) => string,
): string {
  const versions = Array.from(new Set(processes.map(({ node }) => node))).filter((version) => version !== "");
  const facts = [
    `${processes.length} Node ${processes.length === 1 ? "process" : "processes"}`,
    outcomeOf(outcome),
    versions.length > 0 ? `Node ${show(versions.slice(0, 3).join(", "))}` : undefined,
    commit && `commit ${show(commit.slice(0, 12))}`,
    ...Object.entries(labels).map(([key, value]) => show(`${key}=${value}`)),
  ];
  const text = facts.filter((fact) => fact !== undefined).join(", ");
  return `${show(folder)} is a recording of ${show(commandLine(command))}: ${text}`;
}

function outcomeOf(outcome: ShownRecording["outcome"]): string {
  if (outcome === undefined) return "cut off";
  const { status, signal, stoppedBy, seconds } = outcome;
  const end =
    stoppedBy !== undefined
      ? "stopped"
      : signal !== undefined
        ? "ended by a signal"
        : `exit status ${status ?? "?"}`;
  return `${end} after ${seconds.toFixed(1)} s`;
}

/** Returns a row for each process: its PID, its command, and why it has no log. */
export function processRows(
  { processes }: ShownRecording,
  show: (text: string) => string,
): readonly (readonly string[])[] {
  const rows = processes
    .slice(0, LISTED_LIMIT)
    .map(({ pid, ppid, command, problem }) => [
      String(pid),
      String(ppid),
      show(commandLine(command)) + (problem === undefined ? "" : ` (${show(problem)})`),
    ]);
  const more = processes.length - rows.length;
  return more > 0 ? [...rows, ["", "", `and ${more} more`]] : rows;
}

/** The columns of {@link processRows}. */
export const PROCESS_COLUMNS = [
  { title: "pid", align: "right" },
  { title: "parent", align: "right" },
  { title: "command" },
] as const;

/** The program by its name: paths of Node are long and all alike. */
function commandLine([program = "", ...args]: readonly string[]): string {
  const name = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  return [name, ...args].map((word) => shellWord(word)).join(" ");
}
