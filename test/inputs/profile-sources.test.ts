import { expect, it } from "vitest";
import { analyze } from "../../src/load/analyze.ts";
import { mapOf } from "../helpers/source-map.ts";
import { stackLines, timesOf } from "./stacks-of.ts";

const SCRIPT =
  '"use strict";\nfunction a() {\n  work();\n}\nconst s = "é\\\\,";\n//# sourceMappingURL=app.js.map\n';
const MAP = mapOf(
  [
    [[0, 0, 0, 0]],
    [
      [0, 0, 3, 0],
      [9, 0, 3, 9, 0],
      [10, 0, 3, 10],
    ],
    [[2, 0, 4, 4]],
    [],
    [],
  ],
  { names: ["alpha"], sources: ["app.ts"], sourcesContent: ["\n\n\nfunction alpha() {\n    work();\n}\n"] },
);
const FILES: Readonly<Record<string, string>> = { "/srv/app.js": SCRIPT, "/srv/app.js.map": MAP };

const PROFILE = {
  nodes: [
    {
      id: 1,
      callFrame: { functionName: "a", url: "/srv/app.js", lineNumber: 1, columnNumber: 10 },
      hitCount: 2,
      positionTicks: [{ line: 3, ticks: 2 }],
    },
    { id: 2, callFrame: { functionName: "b", url: "/srv/other.js", lineNumber: 1, columnNumber: 1 } },
  ],
  startTime: 0,
  endTime: 3000,
  samples: [1, 1, 2],
  timeDeltas: [0, 1000, 1000],
};

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(PROFILE));
}

it("a profile has the functions, lines and texts of original sources that may be read", async () => {
  const asked: string[] = [];
  const profile = await analyze(bytes(), {
    name: "a.cpuprofile",
    async readSourceMap(path) {
      asked.push(path);
      return FILES[path] ?? null;
    },
  });
  expect(stackLines(profile)).toEqual(["js: alpha /srv/app.ts:4:11 @5 2", "js: b /srv/other.js:2:2 1"]);
  expect(profile.sources.map(({ file, text }) => [file, text.split("\n")[3]])).toEqual([
    ["/srv/app.ts", "function alpha() {"],
  ]);
  expect(timesOf(profile)).toEqual([2000, 1000]);
  expect(asked).toEqual(["/srv/app.js", "/srv/other.js", "/srv/app.js.map"]);
});

it("lines of a minified script are known where the profile has columns", async () => {
  // One long line: a function at column 10 of the script, and what it runs at column 21 and 31.
  const script = `function a(){first();second();}${" ".repeat(200)}\n//# sourceMappingURL=m.js.map\n`;
  const map = mapOf(
    [
      [
        [0, 0, 0, 0],
        [9, 0, 0, 9],
        [13, 0, 1, 2],
        [21, 0, 2, 2],
      ],
    ],
    { names: [], sources: ["m.ts"], sourcesContent: ["function a() {\n  first();\n  second();\n}\n"] },
  );
  const files: Readonly<Record<string, string>> = { "/srv/m.js": script, "/srv/m.js.map": map };
  const event = (name: string, data: object) => ({
    args: { data },
    cat: "p",
    id: "1",
    name,
    ph: "P",
    pid: 1,
    tid: 1,
  });
  const callFrame = { functionName: "a", url: "/srv/m.js", lineNumber: 0, columnNumber: 10 };
  const trace = [
    event("Profile", { startTime: 0 }),
    event("ProfileChunk", {
      cpuProfile: { nodes: [{ id: 1, callFrame }], samples: [1, 1, 1] },
      ...{ timeDeltas: [1, 1, 1], lines: [1, 1, 1], columns: [14, 22, 0], endTime: 9 },
    }),
  ];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(trace));
  }
  const name = "trace.json";
  const mapped = await analyze(chunks(), { name, readSourceMap: async (path) => files[path] ?? null });
  expect(stackLines(mapped)).toEqual([
    "js: a /srv/m.ts:1:10 1",
    "js: a /srv/m.ts:1:10 @2 1",
    "js: a /srv/m.ts:1:10 @3 1",
  ]);
  const [plain, withColumns] = await Promise.all([
    analyze(chunks(), { name }),
    analyze(chunks(), { name, columns: true }),
  ]);
  expect(stackLines(plain)).toEqual(["js: a /srv/m.js:1:11 @1 3"]);
  const columns = withColumns.frames.flatMap((frame) => (frame.kind === "js" ? [frame.column] : []));
  expect(columns.filter((column) => column !== undefined)).toEqual([14, 22]);
});
