import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../helpers/folder.ts";
import { logOf, NODE_26 } from "../../helpers/logs.ts";
import { expectValid } from "../../helpers/schema.ts";
import { warmTicks } from "../../helpers/warm-cli.ts";

/** A bundle of one line: `hot` and `cool` are in it, and its top-level code calls both. */
const PAD =
  "/* what else is in the bundle: a long text that nobody wants to read, again and again and again */";
const BUNDLE = `${PAD}function hot(n){return n*n}function cool(n){return n+n}${PAD}hot(1);cool(2)`;
const HOT = BUNDLE.indexOf("(n)");
const COOL = BUNDLE.indexOf("(n)", HOT + 3);

/** Rows of a function of a script, at an offset, and of `ticks` ticks in it. */
function ran(id: number, name: string, start: number, ticks: number): string[] {
  const address = `0x${(0x1000 * (start + 1 + 10_000 * id)).toString(16)}`;
  const script = id === 1 ? "/srv/bundle.js" : "";
  return [
    `code-creation,JS,10,1,${address},64,${name} ${script}:1:${start + 1},0xf${id}${start},*`,
    `code-source-info,${address},${id},${start},${start + 10},C0O${start},,`,
    ...Array.from({ length: ticks }, (_, i) => `tick,${address},${1000 * i},0,0x0,0`),
  ];
}

/** A function that calls one function twice in a line, and another one, and its log. */
const CALLS = "function drive(){return f(1)+g(2)+f(3)}";

function callsLog(text: string): Buffer {
  const start = text.indexOf("(){");
  const at = (call: string) => text.indexOf(call);
  const calls = ["f(1)", "g(2)", "f(3)"].map((call, i) => `C${16 * (i + 1)}O${at(call)}`).join("");
  const called = (pc: string, offset: number) => `tick,${pc},1000,0,0x0,0,0x10${offset.toString(16)}`;
  return logOf(
    ...NODE_26,
    `script-source,1,/srv/calls.js,${text.replaceAll(",", "\\x2C")}`,
    `code-creation,JS,10,1,0x1000,128,drive /srv/calls.js:1:${start + 1},0xf1,*`,
    `code-source-info,0x1000,1,${start},${at("}") + 1},C0O${start}${calls},,`,
    "code-creation,JS,10,1,0x8000,64,f /srv/other.js:1:1,0xf2,*",
    "code-creation,JS,10,1,0x9000,64,g /srv/other.js:2:1,0xf3,*",
    ...Array.from({ length: 5 }, () => called("0x8001", 24)),
    ...Array.from({ length: 3 }, () => called("0x9001", 40)),
    called("0x8001", 56),
    "tick,0x1005,1000,0,0x0,0",
  );
}

const folder = testFolder();
beforeAll(() => {
  const escaped = BUNDLE.replaceAll(",", "\\x2C");
  const bundle = [...ran(1, "cool", COOL, 1), ...ran(1, "hot", HOT, 3)];
  writeFileSync(
    join(folder, "bundle.log"),
    logOf(...NODE_26, `script-source,1,/srv/bundle.js,${escaped}`, ...bundle),
  );
  writeFileSync(join(folder, "calls.log"), callsLog(CALLS));
  writeFileSync(join(folder, "long-calls.log"), callsLog(`${PAD}${PAD}${CALLS}`));
  const made = [2, 3, 4].flatMap((id) => [
    `script-source,${id},<unknown>,made(${Math.min(id, 3)})`,
    ...ran(id, "", 0, id),
  ]);
  writeFileSync(join(folder, "made.log"), logOf(...NODE_26, ...made));
});

const run = (...args: string[]) => warmTicks(args, { cwd: folder });

/** The part of a page from a heading on, with single spaces. */
function rowsOf(stdout: string, from: RegExp): string[] {
  const lines = stdout.split("\n").map((line) => line.trim().replace(/ +/g, " "));
  const next = lines.indexOf("[Next]:");
  const end = next < 0 ? lines.length : next;
  return lines.slice(lines.findIndex((line) => from.test(line)) + 1, end).filter((line) => line !== "");
}

describe("ticks lines", () => {
  it("has a row for each function of a line, with the text around it", async () => {
    const { stdout } = await run("lines", "bundle.log");
    expect(rowsOf(stdout, /^self share/)).toEqual([
      `3 75.0% 3 bundle.js:1:${HOT + 1} hot …nction hot(n){return n*n}function cool(n){return n+n}${PAD}hot(1);co…`,
      `1 25.0% 1 bundle.js:1:${COOL + 1} cool …n hot(n){return n*n}function cool(n){return n+n}${PAD}hot(1);cool(2)`,
    ]);
    const report = JSON.parse((await run("lines", "bundle.log", "--format", "json")).stdout);
    expectValid("lines", report);
    expect(report.lines.map(({ line, column, text }: never) => [line, column, text])).toEqual([
      [1, HOT + 1, expect.stringMatching(/^…nction hot\(n\).{147}…$/)],
      [1, COOL + 1, expect.stringMatching(/^…n hot.*function cool\(n\).*cool\(2\)$/)],
    ]);
  });

  it("tells the places of a long line of one script", async () => {
    const text = `${PAD}${PAD}${CALLS}`;
    const { stdout } = await run("lines", "long-calls.log", "calls.js");
    const at = (call: string) => text.indexOf(call) + 1;
    expect(rowsOf(stdout, /^self total line/).slice(1)).toEqual([
      `1 1 :${at("(){")} … (){return f(1)+g(2)+f(3)}`,
      `5 :${at("f(1)")} … f(1)+g(2)+f(3)}`,
      `3 :${at("g(2)")} … g(2)+f(3)}`,
      `1 :${at("f(3)")} … f(3)}`,
    ]);
  });

  it("tells the calls of a long line among the hottest lines", async () => {
    const text = `${PAD}${PAD}${CALLS}`;
    const at = (call: string) => text.indexOf(call) + 1;
    const { stdout } = await run("lines", "long-calls.log");
    const [drive, ...places] = rowsOf(stdout, /^self share/).filter((row) => !row.includes("other.js"));
    expect(drive).toMatch("1 10.0% 10 calls.js:1:211 drive …");
    expect(places).toEqual([
      `1 10.0% 1 :${at("(){")} … (){return f(1)+g(2)+f(3)}`,
      `0 0.0% 5 :${at("f(1)")} … f(1)+g(2)+f(3)}`,
      `0 0.0% 3 :${at("g(2)")} … g(2)+f(3)}`,
      `0 0.0% 1 :${at("f(3)")} … f(3)}`,
    ]);
    const markdown = (await run("lines", "long-calls.log", "--format", "md", "--sort", "total")).stdout;
    expect(markdown).toContain(`| 3 | 30.0% | 0 | :${at("g(2)")} |  | \`… g(2)+f(3)}\` |\n`);
    for (const file of [[], ["calls.js"]]) {
      const report = JSON.parse((await run("lines", "long-calls.log", ...file, "--format", "json")).stdout);
      expectValid("lines", report);
      const line = report.lines.find(({ file: of }: { file: string }) => of.endsWith("/calls.js"));
      expect([line.self, line.total]).toEqual([1, 10]);
      expect(line.places.map(({ column, self, total }: never) => [column, self, total])).toEqual([
        [at("(){"), 1, 1],
        [at("f(1)"), 0, 5],
        [at("g(2)"), 0, 3],
        [at("f(3)"), 0, 1],
      ]);
    }
    // As `function` has it, but only of long lines.
    expect(rowsOf((await run("lines", "calls.log", "--sort", "total")).stdout, /^total share/)[0]).toMatch(
      /^10 /,
    );
    expect((await run("lines", "calls.log")).stdout).not.toContain("…");
  });

  it("shows the five places of a row with the most ticks", async () => {
    const calls = ["f(1)", "f(2)", "f(3)", "f(4)", "f(5)", "f(6)", "f(7)"];
    const text = `${PAD}${PAD}function drive(){return ${calls.join("+")}}`;
    const start = text.indexOf("(){");
    const positions = calls.map((call, i) => `C${16 * (i + 1)}O${text.indexOf(call)}`).join("");
    const ticks = calls.flatMap((_, i) =>
      Array.from(
        { length: i + 1 },
        () => `tick,0x8001,1000,0,0x0,0,0x${(0x1008 + 16 * (i + 1)).toString(16)}`,
      ),
    );
    const log = logOf(
      ...NODE_26,
      `script-source,1,/srv/calls.js,${text}`,
      `code-creation,JS,10,1,0x1000,256,drive /srv/calls.js:1:${start + 1},0xf1,*`,
      `code-source-info,0x1000,1,${start},${text.length},C0O${start}${positions},,`,
      "code-creation,JS,10,1,0x8000,64,f /srv/other.js:1:1,0xf2,*",
      ...ticks,
    );
    writeFileSync(join(folder, "seven-calls.log"), log);
    const { stdout } = await run("lines", "seven-calls.log", "--sort", "total");
    const rows = rowsOf(stdout, /^total share/).filter((row) => / :\d/.test(row));
    expect(rows.map((row) => row.split(" ")[0])).toEqual(["3", "4", "5", "6", "7"]);
    const report = JSON.parse((await run("lines", "seven-calls.log", "--format", "json")).stdout);
    expect(report.lines.find(({ places }: never) => places !== undefined).places).toHaveLength(7);
  });

  it("says how many scripts a row is of", async () => {
    const note = "Scripts of one name and text are one: 2 of <eval #2>.";
    expect(rowsOf((await run("lines", "made.log")).stdout, /^self share/)).toEqual([
      "7 77.8% 7 <eval #2>:1 <eval #2>:1 made(3)",
      "2 22.2% 2 <eval #1>:1 <eval #1>:1 made(2)",
      note,
    ]);
    expect((await run("lines", "made.log", "<eval #2>")).stdout).toContain(`\n${note}\n`);
    expect((await run("lines", "made.log", "--format", "md")).stdout).toContain(`\n${note}\n`);
    const report = JSON.parse((await run("lines", "made.log", "--format", "json")).stdout);
    expectValid("lines", report);
    expect(report.lines.map(({ scripts }: never) => scripts)).toEqual([2, undefined]);
  });
});

describe("ticks function", () => {
  const column = (text: string, call: string) => text.indexOf(call) + 1;

  it("tells the calls of a line apart", async () => {
    const { stdout } = await run("function", "calls.log", "drive");
    expect(rowsOf(stdout, /\[Lines\]/)).toEqual([
      "self total line source",
      `1 10 1 ${CALLS}`,
      `5 :${column(CALLS, "f(1)")} … f(1)+g(2)+f(3)}`,
      `3 :${column(CALLS, "g(2)")} … g(2)+f(3)}`,
      `1 :${column(CALLS, "f(3)")} … f(3)}`,
    ]);
    const report = JSON.parse((await run("function", "calls.log", "drive", "--format", "json")).stdout);
    expectValid("function", report);
    const [line] = report.functions[0].lines;
    expect(line.places.map(({ column: at, self, total }: never) => [at, self, total])).toEqual([
      [column(CALLS, "f(1)"), 0, 5],
      [column(CALLS, "g(2)"), 0, 3],
      [column(CALLS, "f(3)"), 0, 1],
    ]);
  });

  it("says how many ticks of a line are at unknown places", async () => {
    // Code of the same function without positions: all of it is in that line.
    const baseline = [
      "code-creation,JS,10,1,0x5000,128,drive /srv/calls.js:1:15,0xf1,^",
      `code-source-info,0x5000,1,14,${CALLS.length},,,`,
      "tick,0x8001,1000,0,0x0,0,0x5018",
      "tick,0x8001,1000,0,0x0,0,0x5018",
    ];
    const log = callsLog(CALLS)
      .toString()
      .replace(/^code-creation.*,f .*$/m, `$&\n${baseline.join("\n")}`);
    writeFileSync(join(folder, "baseline.log"), log);
    const { stdout } = await run("function", "baseline.log", "drive");
    expect(rowsOf(stdout, /\[Lines\]/).slice(1)).toEqual([
      `1 12 1 ${CALLS}`,
      `5 :${column(CALLS, "f(1)")} … f(1)+g(2)+f(3)}`,
      `3 :${column(CALLS, "g(2)")} … g(2)+f(3)}`,
      `1 :${column(CALLS, "f(3)")} … f(3)}`,
      "2 :? elsewhere in this line, column unknown",
    ]);
    const report = JSON.parse((await run("function", "baseline.log", "drive", "--format", "json")).stdout);
    expectValid("function", report);
    expect(report.functions[0].lines[0].places.at(-1)).toMatchObject({ column: null, total: 2 });
  });

  it("tells all places of a long line", async () => {
    const text = `${PAD}${PAD}${CALLS}`;
    const { stdout } = await run("function", "long-calls.log", "drive");
    const rows = rowsOf(stdout, /\[Lines\]/).slice(2);
    expect(rows).toEqual([
      `1 1 :${column(text, "(){")} … (){return f(1)+g(2)+f(3)}`,
      `5 :${column(text, "f(1)")} … f(1)+g(2)+f(3)}`,
      `3 :${column(text, "g(2)")} … g(2)+f(3)}`,
      `1 :${column(text, "f(3)")} … f(3)}`,
    ]);
  });
});

describe("other reports of scripts without a name", () => {
  it("say how many a function is in, and where each is", async () => {
    const { stdout } = await run("function", "made.log", "<anonymous>");
    expect(stdout).toContain(" [2 functions match <anonymous>; --all shows all]:");
    expect(stdout).toMatch(/^ +7 +7 {2}<eval #2>:1\n +2 +2 {2}<eval #1>:1$/m);
    expect(stdout).toContain("\n  from <eval #2>:1:1, in 2 scripts of this text\n");
    const report = JSON.parse((await run("function", "made.log", "<anonymous>", "--format", "json")).stdout);
    expectValid("function", report);
    expect(report.functions[0].scripts).toBe(2);
  });

  it("say it of the lines of a page", async () => {
    const { stdout } = await run("top", "made.log");
    expect(stdout).toContain("  … Scripts of one name and text are one: 2 of <eval #2>\n");
    const report = JSON.parse((await run("top", "made.log", "--format", "json")).stdout);
    expectValid("top", report);
    expect(report.app.lines.map(({ scripts }: never) => scripts)).toEqual([2, undefined]);
  });
});

describe("a line of a script", () => {
  const TEXT = Array.from({ length: 60 }, (_, i) => `line${i + 1}();`).join("\n");
  const start = TEXT.indexOf("line40");
  beforeAll(() => {
    const log = logOf(
      ...NODE_26,
      `script-source,1,/srv/long.js,${TEXT.replaceAll("\n", "\\n")}`,
      "code-creation,JS,10,1,0x1000,64, /srv/long.js:1:1,0xf1,*",
      `code-source-info,0x1000,1,0,${TEXT.length},C0O0C16O${start},,`,
      "tick,0x1005,1000,0,0x0,0",
      "tick,0x1015,2000,0,0x0,0",
    );
    writeFileSync(join(folder, "long.log"), log);
  });

  it("has the lines around it shown, whether they have ticks or not", async () => {
    const { stdout } = await run("lines", "long.log", "long.js:36");
    const shown = Array.from(stdout.matchAll(/line(\d+)\(\)/g), ([, line]) => Number(line));
    expect(shown).toEqual(Array.from({ length: 21 }, (_, i) => i + 26));
    expect((await run("lines", "long.log", "long.js:36:5")).stdout).toBe(stdout);
    expect((await run("lines", "long.js:36", "long.log")).stdout).toBe(stdout);
    expect((await run("lines", "long.log", "long.js:99")).stderr).toContain("/srv/long.js has only 60 lines");
    expect((await run("lines", "long.log", "other.js:36")).stderr).toContain("no script named other.js");
  });
});

describe("ticks diff", () => {
  it("tells the functions of one line apart in JSON", async () => {
    const { stdout } = await run("diff", "bundle.log", "--", "bundle.log", "--format", "json");
    const report = JSON.parse(stdout);
    expectValid("diff", report);
    const columns = report.rows.map(({ name, line, column }: never) => [name, line, column]);
    expect(columns.sort()).toEqual([
      ["cool", 1, COOL + 1],
      ["hot", 1, HOT + 1],
    ]);
  });
});
