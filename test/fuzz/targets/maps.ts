import fc, { type Arbitrary } from "fast-check";
import { analyze } from "../../../src/load/analyze.ts";
import { COMMAND_LINES, LOG } from "../../helpers/command-lines.mjs";
import { chunksOf, logOf, NODE_26 } from "../../helpers/logs.ts";
import { mapOf } from "../../helpers/source-map.ts";
import { type Mutation, mutate, mutation } from "../mutation.ts";
import { runReport, writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";
import { checkSums } from "./rows.ts";

interface Input {
  /** The text of the map. */
  readonly map: string;
  /** How the script names it; `DATA` stands for a URL that holds it. */
  readonly comment: string;
  readonly url: string;
  readonly script: string;
  readonly line: string;
  /** Which of the commands that show sources, by number. */
  readonly command: number;
}

const SHOWN = COMMAND_LINES.filter(({ args }) =>
  ["top", "lines", "flame", "function", "deopts"].includes(args[0]!),
);

/** Values of every type, and numbers on the edges. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, true, "", "x", [], {}, [[]], [[null]]),
  fc.jsonValue({ maxDepth: 2 }),
);

const source = fc.oneof(
  fc.constantFrom(
    "a.ts",
    "../a.ts",
    "/proc/self/environ",
    "file:///etc/passwd",
    "file://[",
    "",
    "%",
    "webpack://x/./y.js",
  ),
  fc.constantFrom(
    "__proto__",
    "\\\\server\\share",
    "http://h/%zz",
    "../".repeat(300),
    "a\nb",
    "\ud800",
    "data:,x",
  ),
  fc.string({ maxLength: 10, unit: "binary" }),
);

const index = fc.oneof(fc.nat(3), fc.constantFrom(-1, 2 ** 20, 2 ** 30, -(2 ** 30)));
const segment = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(fc.nat(40)) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(40), index, fc.oneof(fc.nat(5), index), fc.oneof(fc.nat(20), index)),
  },
  { weight: 2, arbitrary: fc.tuple(fc.nat(40), index, fc.nat(5), fc.nat(20), index) },
);

const mappings: Arbitrary<unknown> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(fc.array(segment, { maxLength: 6 }), { maxLength: 4 })
      .map((lines) => (JSON.parse(mapOf(lines as never, {})) as { mappings: string }).mappings),
  },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(..."AACgB;,/+9z!"), maxLength: 60 }) },
  { weight: 1, arbitrary: fc.array(fc.array(odd, { maxLength: 3 }), { maxLength: 3 }) },
  { weight: 1, arbitrary: odd },
);

const plainMap = fc.record(
  {
    version: fc.oneof({ weight: 8, arbitrary: fc.constant<unknown>(3) }, { weight: 1, arbitrary: odd }),
    sources: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array<unknown>(
          fc.oneof({ weight: 8, arbitrary: source }, { weight: 1, arbitrary: odd }),
          { maxLength: 4 },
        ),
      },
      { weight: 1, arbitrary: odd },
    ),
    names: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.array<unknown>(fc.oneof(fc.string({ maxLength: 8 }), odd), { maxLength: 4 }),
      },
      { weight: 1, arbitrary: odd },
    ),
    mappings,
    sourcesContent: fc.oneof(
      fc.array<unknown>(
        fc.oneof(fc.string({ maxLength: 30 }), fc.constantFrom("a\n".repeat(200), "\u2028\u0085"), odd),
        { maxLength: 4 },
      ),
      odd,
    ),
    sourceRoot: fc.oneof(source, odd),
    file: fc.oneof(source, odd),
    ignoreList: odd,
  },
  { requiredKeys: ["version", "sources", "names", "mappings"] },
);

/** Maps of maps, some of them deep, with offsets on the edges. */
const indexMap: Arbitrary<unknown> = fc.letrec<{ map: unknown; sections: unknown }>((tie) => ({
  map: fc.oneof({ depthSize: "small", withCrossShrink: true }, plainMap, tie("sections")),
  sections: fc.record(
    {
      version: fc.constant(3),
      sections: fc.array(
        fc.record(
          {
            offset: fc.oneof(
              {
                weight: 4,
                arbitrary: fc.record<Record<string, unknown>>({
                  line: fc.oneof(fc.nat(3), fc.constantFrom<unknown>(-1, 1e9, 2 ** 31, 2 ** 53, "x", null)),
                  column: fc.oneof(fc.nat(30), fc.constantFrom<unknown>(-1, 1e9, 2 ** 53)),
                }) as Arbitrary<unknown>,
              },
              { weight: 1, arbitrary: odd },
            ),
            map: fc.oneof({ weight: 6, arbitrary: tie("map") }, { weight: 1, arbitrary: odd }),
          },
          { requiredKeys: ["offset"] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: ["sections"] },
  ),
})).map;

const deepMap = fc.integer({ min: 1, max: 4000 }).map((depth) => {
  const open = '{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":';
  return `${open.repeat(depth)}{"version":3,"sources":["a"],"names":[],"mappings":"AAAA"}${"}]}".repeat(depth)}`;
});

const mapText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: plainMap.map((map) => JSON.stringify(map)) },
  { weight: 3, arbitrary: indexMap.map((map) => JSON.stringify(map)) },
  { weight: 1, arbitrary: deepMap },
  {
    weight: 2,
    arbitrary: fc
      .tuple(plainMap, fc.array(mutation, { minLength: 1, maxLength: 4 }))
      .map(([map, changes]: [unknown, Mutation[]]) =>
        mutate(Buffer.from(JSON.stringify(map)), changes).toString("utf8"),
      ),
  },
);

/** Source maps of any shape, as a script holds them and as a file beside it would. */
export const maps: Target<Input> = {
  name: "maps",
  about: "any source map: no bug, every tick counts, within time and memory",
  arbitrary: fc.record({
    map: mapText,
    comment: fc.oneof(
      { weight: 5, arbitrary: fc.constant("//# sourceMappingURL=DATA") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...[
            "//# sourceMappingURL=%",
            "/*# sourceMappingURL=DATA */",
            "//# sourceMappingURL=x.map",
            "//# sourceMappingURL=http://h/x",
            "",
            "//# sourceMappingURL=data:",
            "//# sourceMappingURL=\\\\server\\x",
            `//# sourceMappingURL=a${" ".repeat(20_000)}b`,
          ],
        ),
      },
      {
        weight: 1,
        arbitrary: fc.string({ maxLength: 20, unit: "binary" }).map((text) => `//# sourceMappingURL=${text}`),
      },
    ),
    url: fc.oneof(
      { weight: 5, arbitrary: fc.constant("/nowhere/srv/a.js") },
      { weight: 1, arbitrary: source },
    ),
    script: fc.constantFrom("function f(a){return a}\nf(1);\n", "", "f\n\n\n", "\ud800f"),
    line: fc.constantFrom("1:11", "1:1", "2:1", "99:1", "0:0"),
    command: fc.nat(SHOWN.length - 1),
  }),
  async check(input) {
    const bytes = logBytes(input);
    const profile = await analyze(chunksOf(bytes), {
      inlines: true,
      deopts: true,
      readSourceMap: async () => input.map,
    });
    checkSums(profile, TICKS);
    const { stdout } = await runReport(SHOWN[input.command]!, writeWork("map.log", bytes));
    if (SHOWN[input.command]!.args.includes(LOG) && stdout.includes("PATH="))
      broken("nothing of this machine is in a report", input.map);
  },
  file: (input) => ({ extension: "log", bytes: logBytes(input) }),
};

const TICKS = 8;

function logBytes({ map, comment, url, script, line }: Input): Buffer {
  const data = `data:application/json;base64,${Buffer.from(map).toString("base64")}`;
  const source = escaped(`${script}${comment.replace("DATA", () => data)}`);
  const place = escaped(url);
  return logOf(
    ...NODE_26,
    `script-source,7,${place},${source}`,
    `code-creation,JS,10,1,0x10000,256,f ${place}:${line},0x99990,*`,
    "code-source-info,0x10000,7,10,23,C0O10C5O14C10O20C20O21I0C40O25,F0O12,S0x99990",
    ...Array.from(
      { length: TICKS },
      (_, i) => `tick,0x${(0x10000 + 6 * i).toString(16)},${1000 * i},0,0x0,0,0x10015`,
    ),
  );
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(",", "\\x2C");
}
