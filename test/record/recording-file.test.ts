import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  isRecording,
  markOf,
  readRecordFile,
  runFoldersIn,
  sourceRootOf,
} from "../../src/record/recording-file.ts";

const folder = mkdtempSync(join(tmpdir(), "ticks-record-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function recording(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "record.json"), text);
  return path;
}

describe("record.json", () => {
  it("is read with values of the right type, and without the others", () => {
    const text = JSON.stringify({
      recorded: {
        command: ["node", 7, "app.js"],
        cwd: "/srv",
        start: 1000,
        interval: "fast",
        flags: null,
        machine: { name: "one", cpus: "many" },
        commit: 5,
        labels: { env: "prod", deploy: 3 },
        outcome: { status: null, signal: "SIGTERM", seconds: 2 },
        processes: [{ pid: 4, command: ["node"], node: "v20.1.0" }, { command: [] }, "process"],
      },
    });
    expect(readRecordFile(recording("good", text))).toMatchObject({
      command: ["node", "app.js"],
      cwd: "/srv",
      start: 1000,
      interval: 0,
      flags: [],
      machine: { name: "one", cpus: 0 },
      commit: undefined,
      labels: { env: "prod" },
      outcome: { status: undefined, signal: "SIGTERM", stoppedBy: undefined, seconds: 2 },
      processes: [{ pid: 4, ppid: 0, command: ["node"], node: "v20.1.0", problem: undefined }],
    });
  });

  it("of something else counts as none", () => {
    for (const [name, text] of Object.entries({
      cut: '{"recorded":{"comm',
      list: "[]",
      other: '{"name":"x"}',
    })) {
      expect(readRecordFile(recording(name, text))).toBeUndefined();
    }
    expect(readRecordFile(join(folder, "missing"))).toBeUndefined();
    mkdirSync(join(folder, "odd", "record.json"), { recursive: true });
    expect(readRecordFile(join(folder, "odd"))).toBeUndefined();
    expect(isRecording(join(folder, "odd"))).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("the folder with the sources of a recording", () => {
  /** A folder of a recording that says what the recorder would say, and what tells it from others. */
  const made = (name: string, path = folder) => {
    const at = recording(name, "");
    const file = join(at, "record.json");
    writeFileSync(file, JSON.stringify({ recorded: { command: [], root: { path, mark: markOf(at) } } }));
    chmodSync(file, 0o600);
    return { at, file };
  };

  it("is the one that the recorder noted, also after the recording was moved", () => {
    const { at } = made("own");
    expect(sourceRootOf(at)).toBe(folder);
    renameSync(at, join(folder, "moved"));
    expect(sourceRootOf(join(folder, "moved"))).toBe(folder);
  });

  it("is none if others can write there or read the file, if it is another folder, or a path that leads elsewhere", () => {
    const [shared, readable, linked] = [made("shared"), made("readable"), made("linked")];
    chmodSync(shared.at, 0o775);
    chmodSync(readable.file, 0o644);
    renameSync(linked.file, join(folder, "noted.json"));
    symlinkSync(join(folder, "noted.json"), linked.file);
    const copied = recording("copy", "");
    renameSync(made("original").file, join(copied, "record.json"));
    const elsewhere = made("relative", ".").at;
    const missing = made("to-nothing", join(folder, "nothing")).at;
    const toFile = made("to-file", join(elsewhere, "record.json")).at;
    for (const at of [shared.at, readable.at, linked.at, copied, elsewhere, missing, toFile])
      expect(sourceRootOf(at), at).toBeUndefined();
  });
});

describe("the folders of runs", () => {
  it("are those of this name with a record.json of their own, in the order of their numbers", () => {
    const series = recording("series", "{}");
    for (const run of ["run-10", "run-2", "run-1"]) recording(`series/${run}`, "{}");
    recording("series/other", "{}");
    mkdirSync(join(series, "run-3"));
    symlinkSync(recording("elsewhere", "{}"), join(series, "run-4"));
    expect(runFoldersIn(series)).toEqual(["run-1", "run-2", "run-10"].map((run) => join(series, run)));
  });

  it("are none in a folder that is no recording", () => {
    recording("plain/run-1", "{}");
    expect(runFoldersIn(join(folder, "plain"))).toEqual([]);
  });
});

it.skipIf(process.platform === "win32")("a link to itself is no file of a recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "ticks-recording-"));
  symlinkSync("record.json", join(folder, "record.json"));
  expect(isRecording(folder)).toBe(false);
  rmSync(folder, { recursive: true });
});
