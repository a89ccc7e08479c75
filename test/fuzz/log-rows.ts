import fc, { type Arbitrary } from "fast-check";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { EDGES } from "./mutation.ts";

/** The head of a log, and how its rows are written. */
export type Dialect = "none" | "v3" | "v4" | "v6" | "v10" | "v16" | "v20" | "v26";

/** One or more lines of a log, before it is known when they are written. */
export type Row =
  | {
      readonly row: "tick";
      /** Microseconds since the tick before. */
      readonly after: number;
      readonly pc: number;
      readonly tos: number;
      readonly external: boolean;
      readonly state: number;
      /** Leaf first. */
      readonly frames: readonly number[];
    }
  | {
      readonly row: "function";
      readonly type: string;
      readonly slot: number;
      readonly size: number;
      readonly name: string;
      readonly sfi: number;
      readonly tier: string;
    }
  | {
      readonly row: "code";
      readonly type: string;
      readonly slot: number;
      readonly size: number;
      readonly name: string;
    }
  | { readonly row: "move" | "sfi"; readonly from: number; readonly to: number }
  | { readonly row: "delete"; readonly slot: number }
  | {
      readonly row: "library";
      readonly name: string;
      readonly at: number;
      readonly size: number;
      readonly slide: number;
    }
  | { readonly row: "range"; readonly slot: number }
  | {
      readonly row: "deopt";
      readonly slot: number;
      readonly kind: string;
      readonly place: string;
      readonly reason: string;
    }
  | { readonly row: "script"; readonly id: number; readonly url: string; readonly source: string }
  | { readonly row: "places"; readonly slot: number; readonly id: number; readonly text: string }
  | { readonly row: "fixture"; readonly number: number }
  | { readonly row: "edge"; readonly fields: readonly string[] }
  | { readonly row: "line"; readonly text: string };

const HEADS: Readonly<Record<Dialect, readonly string[]>> = {
  none: [],
  v3: ['shared-library,"/opt/none/node",0x08048000,0x081ae000'],
  v4: ["v8-version,4,5,103,42,0", 'profiler,"begin",1'],
  v6: ["v8-version,6,2,414,78,0", 'profiler,"begin",1000'],
  v10: ["v8-version,6,8,275,32,-node.12,0", "profiler,begin,1000"],
  v16: ["v8-version,9,4,146,26,-node.26,0", "profiler,begin,1000"],
  v20: ["v8-version,11,3,244,8,-node.1,0", "profiler,begin,1000"],
  v26: ["v8-version,14,6,202,34,-node.34,0", "profiler,begin,1000"],
};

/** Whether texts of a dialect stand between quotes. */
export function hasQuotes(dialect: Dialect): boolean {
  return dialect === "v3" || dialect === "v4" || dialect === "v6";
}

/** The time of the first row, in µs. */
const START = 1_000_000;
const CODE = 0x10000;
const SLOT = 0x80;
const SLOTS = 24;

const slot = fc.nat(SLOTS - 1);
/** An address in or near code; now and then one in a library, nowhere, or 0. */
const address: Arbitrary<number> = fc.oneof(
  { weight: 8, arbitrary: fc.nat(SLOTS * SLOT - 1).map((n) => CODE + n) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 0x400000, 0x412345, 2 ** 47 - 1, 0x7fff00000000) },
);

/** Names that have broken something somewhere, and others. */
export const name: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...["f /srv/app/a.js:1:11", "", " ", "g file:///srv/app/b.mjs:20:3", "<anonymous> node:internal/x:1:1"],
    ...["a,b /x.js:1:1", "tick,0x1,2,0,0x0,0", 'q"uote', "back\\slash", "\\x2C\\n", "`` ` ``", "| [x](y) |"],
    ...["f /a.js:99999999999999999999:1", "f /a.js:0:0", "__proto__", "constructor", "f C:\\x\\y.js:3:4"],
    ...["\u001b[31mred", "\u202ertl", "\u0085\u009b31m", "a\u2028b", "\ud83d\ude00", "\\ud83d", "\ufeff"],
    ...["<script>alert(1)</script>", "</title>", "%s%n", "=1+1", "x".repeat(3000), "f /a.js:1:1 [eval:3]"],
  ),
  fc.string({ maxLength: 20 }),
  fc.string({ maxLength: 12, unit: "binary" }).map((text) => text.replaceAll("\n", "")),
);

/** A name as old and new V8 write it, over several lines too. */
const anyName = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 1, arbitrary: fc.tuple(name, name).map((lines) => lines.join("\n")) },
  { weight: 1, arbitrary: fc.constantFrom("\n", "a\n\nb", "f\ncode-move,0x10,0x20\n x.js:1:1", "a\r\nb") },
);

const FUNCTION_TYPES = ["JS", "LazyCompile", "Function", "Script", "Eval"] as const;
const CODE_TYPES = [
  "Builtin",
  "BytecodeHandler",
  "Stub",
  "Handler",
  "RegExp",
  "LoadIC",
  "Wasm",
  "X",
] as const;
const TIERS = ["", "~", "^", "+", "*", "o+", "o*'", "?", "abc"] as const;

const size = fc.oneof(fc.integer({ min: 1, max: 3 * SLOT }), fc.constantFrom(0, 2 ** 31, 2 ** 40));

/** A tick that can be read. */
export const tickRow = fc.record({
  row: fc.constant("tick" as const),
  after: fc.oneof(fc.constantFrom(1000, 1000, 1000, 0, 1, 250_000, 90_000_000), fc.nat(20_000)),
  pc: address,
  tos: fc.oneof(fc.constant(0), address),
  external: fc.boolean(),
  state: fc.nat(7),
  frames: fc.array(address, { maxLength: 12 }),
});

function functionRow(names: Arbitrary<string>) {
  return fc.record({
    row: fc.constant("function" as const),
    type: fc.constantFrom(...FUNCTION_TYPES),
    slot,
    size,
    name: names,
    sfi: slot,
    tier: fc.constantFrom(...TIERS),
  });
}

function codeRow(names: Arbitrary<string>) {
  return fc.record({
    row: fc.constant("code" as const),
    type: fc.constantFrom(...CODE_TYPES),
    slot,
    size,
    name: names,
  });
}

const otherRows: readonly Arbitrary<Row>[] = [
  fc.record({ row: fc.constantFrom("move" as const, "sfi" as const), from: slot, to: slot }),
  fc.record({ row: fc.constant("delete" as const), slot }),
  fc.record({
    row: fc.constant("library" as const),
    name: fc.oneof(
      fc.constantFrom("/opt/none/bin/node", "[vdso]", "C:\\no\\node.exe", "/proc/self/mem", "/dev/zero"),
      name,
    ),
    at: fc.constantFrom(0x400000, 0x7fff00000000, 0, CODE),
    size: fc.constantFrom(0x1000, 0x100000, 0, 2 ** 46),
    slide: fc.constantFrom(0, 0, 4096, -4096),
  }),
  fc.record({ row: fc.constant("range" as const), slot }),
];

const inlinedPlaces = fc
  .array(fc.tuple(fc.nat(600), fc.nat(400), fc.integer({ min: -1, max: 4 })), { maxLength: 12 })
  .map((entries) =>
    entries
      .map(([code, source, inlining]) => `C${code}O${source}${inlining < 0 ? "" : `I${inlining}`}`)
      .join(""),
  );

const sourceRows: readonly Arbitrary<Row>[] = [
  fc.record({
    row: fc.constant("deopt" as const),
    slot,
    kind: fc.constantFrom("deopt-eager", "deopt-lazy", "eager", "soft", "lazy", "x"),
    place: fc.constantFrom("</a.js:1:1>", "</a.js:1:1> inlined at </b.js:2:2>", "<", "", "<:0:0>"),
    reason: fc.constantFrom("wrong map", "", "a\\x2Cb"),
  }),
  fc.record({
    row: fc.constant("script" as const),
    id: fc.nat(3),
    url: fc.oneof(fc.constantFrom("/srv/app/a.js", "", "file:///b.mjs", "file://[", "node:fs"), name),
    source: fc.oneof(
      fc.constantFrom("function f(a){return a}\\nf(1);\\n", "", "//# sourceMappingURL=%"),
      name,
    ),
  }),
  fc.record({
    row: fc.constant("places" as const),
    slot,
    id: fc.nat(3),
    text: fc
      .tuple(
        inlinedPlaces,
        fc.constantFrom("", "F0O12", "F0O12F1O3I0", "FO1I0", "F9O1I1"),
        fc.constantFrom("", "S0x99990", "S0xf0S0xf1"),
      )
      .map((parts) => parts.join(",")),
  }),
  fc.record({ row: fc.constant("fixture" as const), number: fc.nat(20_000) }),
  fc.record({
    row: fc.constant("edge" as const),
    fields: fc
      .tuple(
        fc.constantFrom(
          "tick",
          "code-creation,JS,10",
          "code-source-info",
          "profiler,begin",
          "shared-library,x",
          "code-deopt",
          "new,CodeRange",
          "code-move",
          "timer-event-start",
          "active-runtime-timer",
          "current-time",
        ),
        fc.array(fc.constantFrom(...EDGES, "0x10000", "100", "f /a.js:1:1"), { maxLength: 8 }),
      )
      .map(([first, others]) => [first, ...others]),
  }),
  fc.record({
    row: fc.constant("line" as const),
    text: fc.oneof(fc.string({ maxLength: 40, unit: "binary" }), fc.constantFrom("", "\r", "tick,", "\0")),
  }),
];

/** Any row, also such as no V8 writes. */
export const anyRow: Arbitrary<Row> = fc.oneof(
  { weight: 9, arbitrary: tickRow },
  { weight: 4, arbitrary: functionRow(anyName) },
  { weight: 2, arbitrary: codeRow(name) },
  ...otherRows.map((arbitrary) => ({ weight: 1, arbitrary })),
  ...sourceRows.map((arbitrary) => ({ weight: 1, arbitrary })),
);

const TAME = ["f /srv/app/a.js:1:11", "g /srv/app/b.js:20:3", "<anonymous> node:fs:1:1", "a b /x.js:1:1", ""];

/** Rows as V8 writes them, each in one line: which of them can be read is beyond doubt. */
export const tameRow: Arbitrary<Row> = fc.oneof(
  { weight: 9, arbitrary: tickRow },
  {
    weight: 4,
    arbitrary: functionRow(fc.constantFrom(...TAME)).map((row) => ({
      ...row,
      tier: row.tier.replace(/\w+|\?/, ""),
    })),
  },
  { weight: 2, arbitrary: codeRow(fc.constantFrom("CEntry", "Abort", "x+")) },
  ...otherRows.slice(0, 2).map((arbitrary) => ({ weight: 1, arbitrary })),
);

/** A row as it was written. */
export interface WrittenRow {
  readonly text: string;
  /** Of a tick, in µs. */
  readonly time: number | undefined;
}

/** The rows of a log, head and all. */
export function writeRows(dialect: Dialect, rows: readonly Row[]): WrittenRow[] {
  let time = START;
  const head = HEADS[dialect].map((text) => ({ text, time: undefined }));
  const written = rows.map((row) => {
    if (row.row === "tick") time += row.after;
    return { text: textOf(row, dialect, time), time: row.row === "tick" ? time : undefined };
  });
  return [...head, ...written];
}

/** A log of these rows. */
export function writeLog(dialect: Dialect, rows: readonly Row[]): Buffer {
  return Buffer.from(
    writeRows(dialect, rows)
      .map(({ text }) => `${text}\n`)
      .join(""),
  );
}

const hex = (value: number) => `0x${value.toString(16)}`;
const codeAt = (number: number) => hex(CODE + SLOT * number);

function textOf(row: Row, dialect: Dialect, time: number): string {
  const isQuoted = hasQuotes(dialect);
  const quoted = (text: string) => (isQuoted ? `"${text}"` : text);
  /** The kind's number and the time, as far as a version has them. */
  const made = dialect === "v3" ? "" : dialect === "v4" ? "2," : `10,${time},`;
  switch (row.row) {
    case "tick": {
      const external = row.external ? 1 : 0;
      const frames = row.frames.map((frame) => `,${hex(frame)}`).join("");
      const rest = `${external},${hex(row.tos)},${row.state}${frames}`;
      return dialect === "v3"
        ? `tick,${hex(row.pc)},0x7fff10,${rest}`
        : `tick,${hex(row.pc)},${time},${rest}`;
    }
    case "function":
      return `code-creation,${row.type},${made}${codeAt(row.slot)},${row.size},${quoted(row.name)},${hex(0x99900 + row.sfi)},${row.tier}`;
    case "code":
      return `code-creation,${row.type},${made}${codeAt(row.slot)},${row.size},${quoted(row.name)}`;
    case "move":
      return `code-move,${codeAt(row.from)},${codeAt(row.to)}`;
    case "sfi":
      return `sfi-move,${hex(0x99900 + row.from)},${hex(0x99900 + row.to)}`;
    case "delete":
      return `code-delete,${codeAt(row.slot)}`;
    case "library": {
      const slide = dialect === "v3" || dialect === "v4" ? "" : `,${row.slide}`;
      return `shared-library,${quoted(row.name.replaceAll("\n", ""))},${hex(row.at)},${hex(row.at + row.size)}${slide}`;
    }
    case "range":
      return `new,CodeRange,${codeAt(row.slot)},0`;
    case "deopt":
      return `code-deopt,${time},100,${codeAt(row.slot)},-1,10,${row.kind},${row.place},${row.reason}`;
    case "script":
      return `script-source,${row.id},${row.url.replaceAll(",", "\\x2C")},${row.source}`;
    case "places":
      return `code-source-info,${codeAt(row.slot)},${row.id},10,23,${row.text}`;
    case "fixture":
      return fixtureRows()[row.number % fixtureRows().length]!;
    case "edge":
      return row.fields.join(",");
    case "line":
      return row.text;
  }
}

let pool: readonly string[] | undefined;

/** Rows of real logs, of each version some of each type. */
function fixtureRows(): readonly string[] {
  pool ??= FIXTURE_NAMES.flatMap((fixture) => {
    const seen = new Map<string, number>();
    return fixtureLog(fixture)
      .toString("utf8")
      .split("\n")
      .filter((line) => {
        const type = line.slice(0, line.indexOf(","));
        const count = (seen.get(type) ?? 0) + 1;
        seen.set(type, count);
        return line !== "" && line.length < 4000 && (count < 12 || count % 211 === 0);
      });
  });
  return pool;
}

/** Code of a function, and a tick that came from it, to be given its address. */
export const GOOD_ROWS = {
  code: { row: "function", type: "JS", slot: 0, size: 256, name: "f /a.js:1:11", sfi: 0, tier: "*" },
  tick: { row: "tick", after: 1000, tos: 0, external: false, state: 0, frames: [0x10015] },
} as const;
