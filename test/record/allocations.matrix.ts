import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TICKS } from "../helpers/cli.ts";

/** A folder with `vX.Y.Z/bin/node` for each version. See test/record/README.md. */
const NODES = process.env.TICKS_NODES ?? join(homedir(), ".cache/ticks-nodes");
const WANTED = [18, 20, 22, 24, 26];

/** Runs `planted` many times beside `other`, and prints how many bytes it allocated by what the heap grew, which knows nothing of samples. */
const COMMON = `
const used = () => process.memoryUsage().heapUsed;
function other() { for (let i = 0; i < 8e3; i++) globalThis.sink = new Array(50).fill(i); }
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
exports.run = async (planted, calls) => {
  other();
  const isAsync = planted(0) instanceof Promise;
  if (typeof gc === "function") {
    const kept = new Array(calls).fill(undefined);
    gc(); gc();
    const before = used();
    for (let i = 0; i < calls; i++) kept[i] = isAsync ? await planted(i) : planted(i);
    gc(); gc();
    globalThis.kept = kept;
    return console.log(used() - before);
  }
  for (let i = 0; i < calls; i++) globalThis.sink = isAsync ? await planted(i) : planted(i);
  const [growths, bases] = [[], []];
  for (let trial = 0; trial < 61; trial++) {
    const start = used(), before = used();
    bases.push(before - start);
    if (isAsync) globalThis.sink = await planted(trial); else globalThis.sink = planted(trial);
    growths.push(used() - before);
  }
  console.log((median(growths) - median(bases)) * (calls + 62));
};`;

/** Bodies of `planted(n)`, with what is before it, and how often it is called. It loops itself, so that V8 does not put it into its caller. */
const LISTS = (count: number, made: string) =>
  `const all = []; for (let i = 0; i < ${count}; i++) all.push(${made}); return all;`;
const PROGRAMS: Readonly<Record<string, readonly [before: string, planted: string, calls: number]>> = {
  strings: [
    'const prefix = "a text that is put together: ";',
    LISTS(1000, 'prefix + (i + n) + " of many"'),
    1000,
  ],
  arrays: ["", LISTS(200, "new Array(100).fill(n)"), 500],
  spread: [
    'const order = { id: 1, name: "n", price: 3, tags: [1], note: "x", at: 5 };',
    LISTS(1000, "{ ...order, n }"),
    500,
  ],
  closures: ["", LISTS(1000, "() => i + n"), 500],
  promises: ["", LISTS(500, "new Promise((done) => done(i + n))"), 500],
  buffers: ['const text = "y".repeat(100);', LISTS(500, "Buffer.from(text)"), 500],
  json: [
    'const text = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, name: "name " + id, tags: ["a", "b"] })));',
    LISTS(50, "JSON.parse(text)"),
    500,
  ],
  map: ["", LISTS(50, "new Map(Array.from({ length: 50 }, (_, k) => [k + n, k]))"), 400],
  regexp: [
    `const pattern = /(\\w+)-(\\w+)-(\\d+)/;
     const texts = Array.from({ length: 1000 }, (_, i) => "some-thing-" + (1e6 + i) + " and more");`,
    LISTS(500, "pattern.exec(texts[(i + n) % 1000])"),
    500,
  ],
  "async iteration": [
    "async function* numbers(n) { for (let i = 0; i < 1000; i++) yield { i, n }; }",
    "const all = []; for await (const one of numbers(n)) all.push(one); return all;",
    200,
  ],
  worker: [
    'const { Worker, isMainThread } = require("worker_threads"); if (isMainThread) return void new Worker(__filename);',
    LISTS(200, "new Array(100).fill(n)"),
    500,
  ],
  "module cache": [
    'const path = require.resolve("./big.cjs");',
    "delete require.cache[path]; module.children.length = 0; return require(path);",
    400,
  ],
};

const versions = readdirSync(NODES).flatMap((name) => {
  const major = Number(/^v(\d+)\./.exec(name)?.[1]);
  return WANTED.includes(major) ? [{ name, major }] : [];
});
const folder = mkdtempSync(join(tmpdir(), "ticks-allocations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "common.cjs"), COMMON);
const member = (_: unknown, id: number) =>
  `{ id: ${id}, name: "name ${id}", of: function of${id}() { return ${id}; } },`;
writeFileSync(
  join(folder, "big.cjs"),
  `module.exports = [${Array.from({ length: 200 }, member).join("\n")}];`,
);
for (const [name, [before, planted, calls]] of Object.entries(PROGRAMS)) {
  const isAsync = planted.includes("await") ? "async " : "";
  const code = `${before}\n${isAsync}function planted(n) { ${planted} }\nrequire("./common.cjs").run(planted, ${calls});`;
  writeFileSync(join(folder, `${name.replace(" ", "-")}.cjs`), code);
}

const run = (words: readonly string[]) =>
  spawnSync(process.execPath, [TICKS, ...words], {
    cwd: folder,
    encoding: "utf8",
    timeout: 120_000,
    maxBuffer: 1e9,
  });

it("there are versions to try", () => expect(versions.length).toBeGreaterThan(0));

describe.each(versions)("Node $name", ({ name, major }) => {
  // Node 18 keeps no samples of what was collected: there all is kept to the end.
  const options = major < 20 ? ["--expose-gc"] : [];

  it.each(Object.keys(PROGRAMS))("tells who allocates %s, and how much", (program) => {
    const file = `${program.replace(" ", "-")}.cjs`;
    const to = `${name}-${file}`;
    const recorded = run([
      ...[
        "record",
        "--allocations",
        "--sampling-interval",
        "8KB",
        "-o",
        to,
        "--",
        join(NODES, name, "bin/node"),
        ...options,
        file,
      ],
    ]);
    const bytes = Number(recorded.stdout.trim());
    const top = JSON.parse(run(["top", "--json", "-n", "300", to]).stdout);
    const { function: first } = top.app.functionsWithoutLine[0];
    const found = top.functions.byTotal.find((one: { name: string }) => one.name === "planted");
    const ratio = found.totalBytes / bytes;
    console.log(`${name} ${program}: ${(bytes / 1e6).toFixed(1)} MB, found ${ratio.toFixed(3)} of it`);
    expect(top.memory.is).toBe(major < 20 ? "alive" : "allocated");
    // The code of a module that is loaded again may have more than the function that loads it.
    if (first.file.endsWith("big.cjs")) expect(program).toBe("module cache");
    // So may a generator have more than the function that asks it.
    else if (first.name === "numbers") expect(program).toBe("async iteration");
    else expect([first.name, first.file]).toEqual(["planted", expect.stringContaining(file)]);
    // V8 8 to 10 takes the wrong objects for alive where optimized code allocates several at once, as for promises.
    if (major >= 20 || program !== "promises") expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
  });
});
