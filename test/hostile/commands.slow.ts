import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { EXPORT_FORMATS } from "../../src/cli/commands/export.ts";
import type { Run } from "../helpers/cli.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf } from "../helpers/logs.ts";
import { warmTicks } from "../helpers/warm-cli.ts";
import { forbiddenLines, HOSTILE, logged, textsOf } from "./hostile-texts.ts";
import { foreignMarkup } from "./markdown.ts";

/** A log all of whose texts are hostile. */
function hostileLog(): Buffer {
  const hex = (number: number) => `0x${number.toString(16)}`;
  const code = HOSTILE.flatMap((text, i) => {
    const [at, name] = [0x10000 * (i + 1), logged(text)];
    return [
      `shared-library,${name}/lib,${hex(0x7f0000000000 + at)},${hex(0x7f0000001000 + at)},0`,
      `code-creation,JS,10,100,${hex(at)},256,${name} /srv/${name}.js:1:${i + 1},${hex(0x990000 + i)},~`,
      `code-creation,JS,11,100,${hex(at + 0x1000)},256,${name} ${name}:1:${i + 1},${hex(0x980000 + i)},*`,
      `code-creation,RegExp,3,100,${hex(at + 0x2000)},256,${name}`,
      `code-creation,${name},3,100,${hex(at + 0x3000)},256,${name}`,
      `script-source,${i + 1},/srv/${name}.js,${logged(`x${text}\n${text}`)}`,
      `code-source-info,${hex(at)},${i + 1},0,50,C0O0C20O4,,`,
      `code-deopt,1,256,${hex(at + 0x1000)},-1,9,deopt-${name},<${name}:1:2>,${name}`,
    ];
  });
  const frames = HOSTILE.map((_, i) => 0x10000 * (i + 1));
  const rows = frames.flatMap((at, i) => {
    const tick = (pc: number, callers: readonly number[]) =>
      `tick,${hex(pc)},${1000 * (i + 1)},0,0x0,0${callers.map((caller) => `,${hex(caller)}`).join("")}`;
    return [
      tick(at + 16, frames.slice(0, i)),
      tick(at + 0x1010, [at + 0x10, at + 0x2010]),
      tick(0x7f0000000010 + at, [at + 0x1010]),
      tick(at + 0x3010, [at + 16]),
    ];
  });
  const version = `v8-version,14,6,202,34,${logged(`-${HOSTILE.join(" ")}`)},0`;
  return logOf(version, "profiler,begin,1000", ...code, ...rows, ...rows);
}

const folder = testFolder();
let hostileFolder = "";
/** What a path can hold. */
const NAME = `${HOSTILE.slice(1).join("").replaceAll(/[\0/]/g, "").slice(0, 60)}<b>[a](b)|\x1b]0;t\x07\u202e.log`;
beforeAll(() => {
  hostileFolder = join(folder, "\x1b[2J `|<b>\u202e\n[a](www.evil.example)");
  mkdirSync(hostileFolder);
  writeFileSync(join(hostileFolder, NAME), hostileLog());
  writeFileSync(join(folder, "v8.log"), hostileLog());
});

const LOG = () => join(hostileFolder, NAME);
const run = (...args: readonly string[]) => warmTicks(args, { cwd: folder });

function expectPrintable({ stdout, stderr, status }: Run): void {
  expect(stderr).not.toContain("bug in ticks");
  expect(forbiddenLines(stdout)).toEqual([]);
  expect(forbiddenLines(stderr)).toEqual([]);
  expect(status === 0 || status === 1, stderr).toBe(true);
}

function expectValidJson(text: string): void {
  const document: unknown = JSON.parse(text);
  expect(textsOf(document).filter((part) => /\p{Cs}/u.test(part))).toEqual([]);
}

const VIEWS = [
  ["process"],
  ["process", "--inlines", "--call-graph-size=9"],
  ["top", "--limit=99"],
  ["tree", "--min=0"],
  ["tree", "--heavy", "--min=0"],
  ["function", "--all"],
  ["lines", "--all"],
  ["deopts"],
  ["threads"],
  ["timeline"],
  ["doctor"],
] as const;

describe.skipIf(process.platform === "win32")("a log whose every name is hostile", () => {
  for (const format of ["text", "json", "md"]) {
    it(`is shown as ${format} by every command`, async () => {
      const runs = await Promise.all(
        VIEWS.map(([command, ...flags]) => {
          const wanted = command === "function" ? ["/./"] : [];
          return run(command, ...flags, "--format", format, LOG(), ...wanted);
        }),
      );
      for (const [i, one] of runs.entries()) {
        expectPrintable(one);
        expect(one.stdout.length, VIEWS[i]!.join(" ")).toBeGreaterThan(100);
        if (format === "json") expectValidJson(one.stdout);
        if (format === "md") expect(foreignMarkup(one.stdout)).toEqual([]);
      }
    });
  }

  it("is exported in every form", async () => {
    const texts = EXPORT_FORMATS.filter(({ name }) => !/^(?:pprof|parquet)/.test(name));
    const runs = await Promise.all(
      texts.map(({ name }) => run("export", "--format", name, "-o", "-", LOG())),
    );
    for (const [i, one] of runs.entries()) {
      const { name } = texts[i]!;
      expectPrintable(one);
      if (/json|cpuprofile/.test(texts[i]!.extension)) expectValidJson(one.stdout);
      const lines = one.stdout.split("\n").slice(0, -1);
      if (name === "collapsed") {
        expect(lines.filter((line) => !/^\S.* \d+$/.test(line) || /[\s]\d+ \d+$/.test(line))).toEqual([]);
        expect(lines.length).toBe(4 * HOSTILE.length);
      }
      if (name === "callgrind") {
        const known =
          /^$|^#|^(?:version|creator|cmd|desc|positions|events|summary|totals): |^c?(?:ob|fl|fn)=\(\d+\)(?: .*)?$|^calls=\d+ \d+$|^\d+ \d+$/;
        expect(lines.filter((line) => !known.test(line))).toEqual([]);
      }
    }
  });

  it("is a page whose data is all in one script", async () => {
    const one = await run("flame", "-o", "-", LOG());
    expectPrintable(one);
    const [, data = ""] = /<script type="application\/json"[^>]*>([^<]*)<\/script>/.exec(one.stdout) ?? [];
    expectValidJson(data);
  });

  it("is named in warnings and errors by what can be printed", async () => {
    const missing = HOSTILE.filter((text) => !text.includes("\0"));
    const runs = await Promise.all([
      ...missing.map((text) => run("top", text)),
      run("function", LOG(), HOSTILE[0]!),
      run("lines", LOG(), HOSTILE[4]!),
      run("top", "--thread", HOSTILE[0]!, LOG()),
      run("top", `--${HOSTILE[4]!}`),
      run(HOSTILE[0]!, HOSTILE[4]!),
      run("top", "--format", HOSTILE[0]!, LOG()),
      run("top", "--symbols", `${HOSTILE[0]!}=${HOSTILE[4]!}`, LOG()),
      run("export", "--format", HOSTILE[0]!, LOG()),
      run("top", hostileFolder, join(hostileFolder, "none")),
    ]);
    for (const { stdout, stderr, status } of runs) {
      expect(forbiddenLines(stdout + stderr)).toEqual([]);
      expect(stderr).not.toContain("bug in ticks");
      expect([0, 1, 2]).toContain(status);
    }
    // No name makes a line of its own.
    for (const { stderr } of runs.slice(0, missing.length)) {
      expect(stderr).toMatch(/^ticks: .*: no such file\n[^\n]*\n$/);
    }
  });

  it("leaves the names of an ordinary log as they are", async () => {
    const { stdout } = await run("process", "--format=json", "v8.log");
    const names = textsOf(JSON.parse(stdout));
    for (const text of HOSTILE) expect(names).toContain(text.replaceAll(/\p{Cs}/gu, "\ufffd"));
    expect(readFileSync(LOG()).length).toBeGreaterThan(0);
  });
});
