import { describe, expect, it } from "vitest";
import type { ThreadInfo, ThreadProgram } from "../../src/profile/profile.ts";
import { reportTitle, whatRan } from "../../src/profile/titles.ts";
import type { V8Version } from "../../src/profile/v8-version.ts";

const NODE_20 = { major: 11, minor: 3, build: 244, patch: 8, embedder: "-node.38" };
const CHROME = { major: 12, minor: 0, build: 1, patch: 2, embedder: "" };

function threads(...programs: readonly (Partial<ThreadProgram> & { readonly pid: number })[]): ThreadInfo[] {
  return programs.map(({ pid, ...program }) => ({
    ...{ name: "", log: "", pid, isolate: undefined, kind: undefined, ticks: 1, span: 0 },
    program: {
      ...{ command: "node app.js", recorded: "npm test", folder: "rec", node: "20.20.2" },
      ...program,
    },
  }));
}

function titleOf(some: readonly ThreadInfo[], v8: readonly V8Version[] = [NODE_20]): string {
  return reportTitle({ title: whatRan(some) ?? "rec (2 logs)", threads: some, v8 });
}

describe("the title of a report", () => {
  it("says what ran, and with which Node", () => {
    expect(titleOf(threads({ pid: 7 }, { pid: 7 }))).toBe("node app.js, pid 7, Node 20.20.2");
  });

  it("counts the processes of a program", () => {
    expect(titleOf(threads({ pid: 7 }, { pid: 8 }))).toBe("2 processes of node app.js, Node 20.20.2");
  });

  it("names the recorded command if the processes are of several programs", () => {
    const some = threads({ pid: 7 }, { pid: 8, command: "node other.js", node: "22.1.0" });
    expect(titleOf(some)).toBe("2 processes of npm test, Node 20.20.2 and 22.1.0");
  });

  it("counts runs", () => {
    const some = threads({ pid: 7, folder: "rec/run-1" }, { pid: 8, folder: "rec/run-2" });
    expect(titleOf(some)).toBe("2 runs of npm test, Node 20.20.2");
  });

  it("is the name of the logs without a recording, and what they prove of Node", () => {
    const known = threads({ pid: 7 });
    const unknown = known.map((thread) => ({ ...thread, program: undefined }));
    expect(titleOf([...known, ...unknown])).toBe("rec (2 logs), Node 20");
    expect(titleOf(unknown, [NODE_20, CHROME])).toBe("rec (2 logs)");
  });
});
