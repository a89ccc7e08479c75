import { expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { mapOf } from "../helpers/source-map.ts";
import { stackLines } from "./stacks-of.ts";

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
  expect(Array.from(profile.samples.time!)).toEqual([2000, 1000]);
  expect(asked).toEqual(["/srv/app.js", "/srv/other.js", "/srv/app.js.map"]);
});
