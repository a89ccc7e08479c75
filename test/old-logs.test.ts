import { describe, expect, it } from "vitest";
import { FunctionTable } from "../src/facts/function-table.ts";
import type { Profile } from "../src/profile/profile.ts";
import { withoutKernels } from "./helpers/kernels.ts";
import { leavesOf, logOf, NODE_26, profileOf } from "./helpers/logs.ts";

/** The rows of code of a program, in the layout of V8 1 and 2, and of V8 3. */
const CODE_1 = [
  'code-creation,Stub,0x10000,100,"CEntryStub"',
  'code-creation,Script,0x11000,100,"/srv/app.js"',
  'code-creation,LazyCompile,0x12000,100,"exp native math.js:41"',
  'code-creation,Function,0x13000,100,"parse /srv/node_modules/qs/lib/qs.js:7"',
  'code-creation,Function,0x14000,100,"a.b /srv/my app.js:12"',
  'code-creation,LazyCompile,0x15000,100,"host"',
];
const CODE_3 = CODE_1.map((row) =>
  row
    .replace(/^(code-creation,\w+),/, "$1,0,")
    .replace(/(Script|LazyCompile|Function)(.*)$/, "$1$2,0x99990,~"),
);

const LAYOUTS: readonly (readonly [string, readonly string[], (pc: string, frames: string) => string])[] = [
  ["V8 1.x", CODE_1, (pc, frames) => `tick,${pc},0xffdfe880,0${frames}`],
  ["V8 1.2, its own tests", CODE_1, (pc, frames) => `tick,${pc},0xffdfe880,0,0${frames}`],
  ["V8 3.0, its own tests", CODE_3, (pc, frames) => `tick,${pc},0xffdfe880,0,0,0${frames}`],
  ["V8 3.17, its own tests", CODE_3, (pc, frames) => `tick,${pc},0xffdfe880,7,0,0,0${frames}`],
  ["V8 3.2x, its own tests", CODE_3, (pc, frames) => `tick,${pc},7,0,0,0${frames}`],
];

/** What is known of each function, by its label. */
function placesOf(profile: Profile): Record<string, unknown> {
  const table = new FunctionTable(profile.frames);
  return Object.fromEntries(
    table.functions.map(({ title, file, line, column, origin }) => [
      title,
      [file, line, column, origin.name],
    ]),
  );
}

describe.each(LAYOUTS)("a log of %s", (_, code, tick) => {
  const addresses = ["0x10010", "0x11010", "0x12010", "0x13010", "0x14010", "0x15010"];
  const ticks = addresses.flatMap((pc) => [tick(pc, ""), tick(pc, ",0x14020,0x11020")]);
  const log = logOf('profiler,"begin",1', ...code, ...ticks, 'profiler,"end"');

  it("has all its ticks, none of them faulty, each in its function", async () => {
    for (const read of [() => profileOf(log), () => withoutKernels(() => profileOf(log))]) {
      const profile = await read();
      expect(profile.info).toMatchObject({ ticks: 12, diagnostics: [] });
      expect(Object.values(leavesOf(profile))).toEqual([2, 2, 2, 2, 2, 2]);
    }
  });

  it("has the files and lines of its functions, whose positions lack a column", async () => {
    for (const inlines of [false, true]) {
      expect(placesOf(await profileOf(log, { inlines }))).toEqual({
        "Stub: CEntryStub": [undefined, undefined, undefined, "v8"],
        "<anonymous>": ["/srv/app.js", 1, undefined, "app"],
        exp: ["native math.js", 41, undefined, "node"],
        parse: ["/srv/node_modules/qs/lib/qs.js", 7, undefined, "qs"],
        "a.b": ["/srv/my app.js", 12, undefined, "app"],
        host: [undefined, undefined, undefined, "v8"],
      });
    }
  });
});

it("a name of a newer log that only looks like a position without a column is none", async () => {
  const rows = [
    "code-creation,JS,10,1,0x10000,100,native array.js:12,0x99990,*",
    "tick,0x10010,2,0,0x0,0",
    "code-creation,JS,10,1,0x20000,100,sort native array.js:12:3,0x99991,*",
    "tick,0x20010,3,0,0x0,0",
  ];
  expect(placesOf(await profileOf(logOf(...NODE_26, ...rows)))).toEqual({
    "native array.js:12": [undefined, undefined, undefined, "v8"],
    "sort native": ["array.js", 12, 3, "node"],
  });
});
