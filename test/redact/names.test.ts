import { describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "../../src/analyze.ts";
import { LogCheck, numberDifferences } from "../../src/redact/check.ts";
import { HashCheck, KeyedHash } from "../../src/redact/name-hash.ts";
import { redactMap } from "../../src/redact/redact-files.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { parseProcessMap } from "../../src/symbols/process-map.ts";
import { leavesOf, logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { redactedLog } from "../helpers/redacted.ts";

const redact = (log: Buffer) => redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))));

/** Checks a redacted log against its original, as `ticks redact --check` does, and returns its text. */
async function checked(log: Buffer, options: Partial<AnalyzeOptions> = {}): Promise<string> {
  const redacted = redact(log);
  const check = new LogCheck();
  check.push(redacted);
  expect(check.end()).toEqual({ strings: [], count: 0, otherByte: -1 });
  const [one, other] = await Promise.all([profileOf(log, options), profileOf(redacted, options)]);
  expect(numberDifferences(one, other)).toEqual([]);
  return redacted.toString("latin1");
}

describe("names of V8 before 4", () => {
  const code = [
    'code-creation,Script,0x11000,100,"/srv/app.js"',
    'code-creation,LazyCompile,0x12000,100,"exp native math.js:41"',
    'code-creation,LazyCompile,0x13000,100,"exp native secret.js:41"',
    'code-creation,LazyCompile,0x14000,100,"native array.js:7"',
    'code-creation,Function,0x15000,100,"secret /srv/my app.js:12"',
    'code-creation,LazyCompile,0x16000,100,"secret /srv/app.js native math.js:12"',
  ];
  const places = [0x11010, 0x12010, 0x13010, 0x14010, 0x15010, 0x16010];

  it.each([
    ["V8 1", code, (pc: string) => `tick,${pc},0xffdfe880,0`],
    ["V8 3.12", code, (pc: string) => `tick,${pc},0xffdfe880,0,0x0,5`],
    [
      "V8 3.28",
      code.map((row) =>
        row.replace(/(code-creation,\w+,)(.*)/, "$10,$2,0x99990,~").replace(/:(\d+)"/, ':$1:3"'),
      ),
      (pc: string) => `tick,${pc},7,0,0x0,4`,
    ],
  ])("pass the check: %s", async (_, rows, tick) => {
    const ticks = places.map((pc) => tick(`0x${pc.toString(16)}`));
    const log = logOf('profiler,"begin",1', ...rows, ...ticks, 'profiler,"end"');
    const text = await checked(log);
    expect(text).toMatch(/"exp native math\.js:41/);
    expect(text).toMatch(/"native array\.js:7/);
    expect(text).not.toMatch(/secret|srv|app/);
  });
});

describe("a name without a folder that Node has too", () => {
  const rows = [
    "code-creation,LazyCompile,10,1,0x10000,100,chargeCard stream.js:1:1,0x99990,~",
    "code-creation,LazyCompile,10,1,0x11000,100,formatWithOptions internal/util/inspect.js:1:1,0x99991,~",
    "tick,0x10010,2,0,0x0,0",
    "tick,0x11010,3,0,0x0,0",
  ];

  it("is no proof that a script is Node's", async () => {
    const text = await checked(logOf("v8-version,8,4,371,19,-node.18,0", ...rows));
    expect(text).not.toMatch(/chargeCard|stream/);
    expect(text).toMatch(/formatWithOptions internal\/util\/inspect\.js:1:1/);
  });

  it("is none at all once Node's have a scheme", async () => {
    expect(await checked(logOf(...NODE_26, ...rows))).not.toMatch(/chargeCard|stream|formatWith/);
  });
});

describe("a script with a blank in its name", () => {
  it.each([
    "[worker eval]-wrapper",
    "my secret file.js",
    "a  secret.js",
    "dir/my secret.js",
    "get secret.js",
    "native secret.js",
    "/srv/secret folder/a.js",
  ])("keeps its functions and their ticks: %s", async (file) => {
    const at = (name: string, address: string, sfi: string) =>
      `code-creation,JS,10,1,${address},256,${name} ${file}:1:5,${sfi},~`;
    const log = logOf(
      ...NODE_26,
      at("charge", "0x10000", "0x98"),
      `script-source,7,${file},function charge() {}`,
      "code-source-info,0x10000,7,4,20,C0O4,,",
      at("", "0x20000", "0x99"),
      "code-source-info,0x20000,7,0,20,C0O0,,",
      "tick,0x10010,2,0,0x0,0,0x20010",
      "tick,0x20010,3,0,0x0,0",
    );
    const text = await checked(log);
    expect(text).not.toMatch(/secret|charge|srv/);
    const redacted = await profileOf(Buffer.from(text, "latin1"), { inlines: true });
    const original = await profileOf(log, { inlines: true });
    expect(numberDifferences(original, redacted)).toEqual([]);
    expect(Object.values(leavesOf(redacted))).toEqual([1, 1]);
    // The script is found by its name.
    const url = /^script-source,7,([^,]*),/m.exec(text)![1]!;
    expect(text.match(/^code-creation.*$/gm)!.every((row) => row.includes(` ${url}:1:5,`))).toBe(true);
  });
});

it("a torn row before a name that is kept is not kept with it", async () => {
  const row =
    "code-creation,JS,10,1,0x10000,256,chargeCard /home/alice/pay.js:1:1,0x9readFileSync node:fs:435:22,0x99,~";
  const text = await checked(logOf(...NODE_26, row, "tick,0x10010,2,0,0x0,0"));
  expect(text).not.toMatch(/chargeCard|alice|pay/);
  expect(text).toMatch(/ node:fs:435:22,0x99,~$/m);
});

describe("a log of Node before 16 with torn rows", () => {
  const version = "v8-version,6,8,275,32,-node.51,0";
  const code = (address: number, name: string, mark: string) =>
    `code-creation,LazyCompile,0,10,0x${address.toString(16)},256,${name},0x99,${mark}`;
  const name = "readSync internal/url.js:1:8";
  const glued = "chargeCardSync internal/url.js:1:9";
  const native = "chargeAll native array.js:1:9";
  const rows = [
    code(0x10000, name, "~"),
    code(0x20000, name, "*"),
    code(0x30000, glued, "~"),
    code(0x40000, native, "~"),
    "tick,0x10010,2,0,0x0,0",
    "tick,0x30010,3,0,0x0,0",
  ];

  it.each([
    ["a part of a row", "code-creation,LazyCompile,0"],
    ["a row of no type", "chargeCard"],
    ["a hole", `tick,0x1${"\0".repeat(600)}`],
  ])("keeps names in scripts of Node's that two rows have: %s", async (_, torn) => {
    const text = await checked(logOf(version, ...rows, torn, "tick,0x20010,4,0,0x0,0"));
    expect(text.match(/readSync internal\/url\.js:1:8/g)).toHaveLength(2);
    expect(text).not.toContain("charge");
    expect(text).toMatch(/,f_\w{12} internal\/url\.js:1:9,0x99,~$/m);
  });

  it("keeps no public hash of the others in texts", async () => {
    const source = "script-source,1,/srv/a.js,chargeCardSync(); readSync()";
    const whole = await checked(logOf(version, source, ...rows));
    const torn = await checked(logOf(version, source, ...rows, "chargeCard"));
    const words = (text: string) => text.match(/=w_\w{12}/g)?.length ?? 0;
    expect([words(whole), words(torn)]).toEqual([2, 1]);
  });

  it("keeps them all where no row is torn, or only the last one is cut", async () => {
    for (const end of ["", "tick,0x2"]) {
      const text = (await checked(Buffer.concat([logOf(version, ...rows), Buffer.from(end)]))).split("\n");
      for (const one of [name, glued, native]) expect(text.join("\n")).toContain(one);
    }
  });
});

describe("an unreadable row keeps what it says of the log", () => {
  it("bytes that are not UTF-8, in the positions of code", async () => {
    const row = Buffer.from("code-source-info,0x10420,1,0,90,C0O35\xa2,F0O3,S0x7\xa2\n", "latin1");
    const log = Buffer.concat([logOf(...NODE_26), row, logOf("tick,0x10010,2,0,0x0,0")]);
    expect(await checked(log)).toContain("\ncode-source-info,0x1,0,0,0,\xff,,S\n");
  });

  it("that texts are in quotes, where no row before says so", async () => {
    const cut = `tick,0x10010,1,0,0x0,0${",0x10010".repeat(300)}`.slice(0, 2047);
    const rows = ['code-deopt,1,2,0x1,-1,3,"eager","secret', cut, 'code-creation,Stub,0x10000,99,"secret"'];
    expect(await checked(logOf(...rows), { deopts: true })).toContain('code-deopt,,""\n');
  });
});

it("the map of a process names libraries as its redacted log does", async () => {
  const rows = [
    "shared-library,/srv/secret/node,0x400000,0x500000,0",
    "code-creation,JS,10,1,0x10000,256,f /srv/a.js:1:20,0x99,~",
    "tick,0x7f1000100100,100,0,0x0,0,0x10010",
  ];
  const log = logOf(...NODE_26, ...rows);
  const map = parseProcessMap(
    "7f1000100000-7f1000200000 r-xp 00001000 08:01 1234 /srv/secret/a\\012b.node\n" +
      "7f2000100000-7f2000200000 r-xp 00000000 08:01 1235 /usr/lib/libz.so.1\n",
  );
  const redactor = new Redactor(new KeyedHash(Buffer.from("key")));
  const text = redactMap(map, redactor);
  expect(text).toMatch(
    /^7f1000100000-7f1000200000 r-xp 1000 00:00 0 \/d_\w{12}\/d_\w{12}\/l_\w{12}\.node\n7f2000100000-7f2000200000 r-xp 0 00:00 0 \/usr\/lib\/libz\.so\.1\n$/,
  );
  const hash = new HashCheck();
  expect(redactMap(parseProcessMap(text), new Redactor(hash))).toBe(text);
  expect(hash.found).toEqual([]);
  const one = await profileOf(log, { mapped: map });
  const other = await profileOf(redactedLog(log, redactor), { mapped: parseProcessMap(text) });
  expect(numberDifferences(one, other)).toEqual([]);
});
