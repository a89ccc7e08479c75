// Shows what the tests do not look at: `npm run mutate` changes random places of src, one at a time, in a copy of the project, and
// runs the fast tests that read the file. See USAGE.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync, transformSync } from "rolldown/utils";

const USAGE = `usage: mutate.mjs [options]
  --count N     how many places to change (40)
  --seed N      which places (1): the same places where the lines are the same
  --only PATH   only in files of src whose path begins so: facts/, exports/pprof
  --minutes N   begin no other change after this time
  --near        only with the nearest tests and the goldens: more changes in the same time
  --list        print the changes without a test
`;
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A change that makes a process use more seconds of CPU time than this has been noticed: it made an endless loop. */
const LONGEST_RUN = 180;
/** So many tests are tried before all others: most changes are noticed near by. */
const NEAREST = 6;
/** Notices more than any other test of commands. */
const GOLDENS = "test/golden.test.ts";
/** These are compiled by other compilers than that of the rest. */
const OTHER_PROGRAMS = /^(?:kernels\/assembly|flame-page)\//;

/** What stands in the place of an operator. */
const OPERATORS = {
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" },
  ...{
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "*",
    "&": "|",
    "|": "&",
    "<<": ">>",
    ">>": "<<",
    ">>>": "<<",
  },
  ...{ "&&": "||", "||": "&&", "+=": "-=", "-=": "+=", "++": "--", "--": "++" },
};

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    minutes: { type: "string", default: "Infinity" },
    near: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
async function main() {
  const changes = chosen(changesIn(values.only), Number(values.count), Number(values.seed));
  if (values.list) {
    for (const change of changes) process.stdout.write(`${described(change)}\n`);
    return;
  }
  const copy = new Copy();
  const results = [];
  const stop = () => {
    copy.remove();
    report(results);
    process.exit(130);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    const end = Date.now() + Number(values.minutes) * 60_000;
    for (const change of changes) {
      if (Date.now() > end) break;
      const noticed = await noticedBy(change, copy);
      results.push({ change, noticed });
      const what = noticed ?? "NOT NOTICED";
      process.stdout.write(`${results.length}/${changes.length} ${described(change)}: ${what}\n`);
    }
    report(results);
  } finally {
    copy.remove();
  }
}

function report(results) {
  const missed = results.filter(({ noticed }) => noticed === undefined);
  const count = results.length - missed.length;
  const share = results.length === 0 ? 0 : (100 * count) / results.length;
  process.stdout.write(`\n${results.length} changes, ${count} noticed (${share.toFixed(0)} %)\n`);
  if (missed.length > 0) process.stdout.write("Not noticed:\n");
  for (const { change } of missed) process.stdout.write(`  ${described(change)}\n`);
}

function described({ file, line, from, to }) {
  const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 60);
  return `src/${file}:${line}  ${short(from)}  →  ${short(to)}`;
}

/** Returns the test file that noticed a change; undefined if none did. */
async function noticedBy(change, copy) {
  copy.write(change.file, change.text);
  try {
    for (const tests of copy.testsOf(change.file)) {
      let failing = await copy.failing(tests);
      // A test that fails anyway notices nothing.
      while (failing !== undefined && !(await copy.isGreen(failing, change.file)))
        failing = await copy.failing(tests.filter((test) => !copy.broken.has(test)));
      if (failing !== undefined) return failing;
    }
    return undefined;
  } finally {
    copy.restore(change.file);
  }
}

/** A copy of the project in a temporary folder, with all that is built. */
class Copy {
  #folder = mkdtempSync(join(tmpdir(), "ticks-mutate-"));
  #running;
  #green = new Set();
  /** The texts of files that were changed, from before: meanwhile the project itself may be worked on. */
  #originals = new Map();
  #readers = readersOf(testFiles());
  /** What a command may load, and the tests that run commands. */
  #program = reachable(["src/cli/main.ts", "src/cli/worker.ts"]);
  #commandTests = testFiles().filter((test) => runsCommands(test));
  /** The tests that fail without a change. */
  broken = new Set();

  constructor() {
    const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    for (const file of files.split("\0")) {
      if (file !== "" && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(this.#folder, file));
    }
    for (const made of ["build", "dist"])
      cpSync(join(ROOT, made), join(this.#folder, made), { recursive: true });
    // What tools keep in node_modules stays in the copy.
    mkdirSync(join(this.#folder, "node_modules"));
    for (const name of readdirSync(join(ROOT, "node_modules")))
      symlinkSync(join(ROOT, "node_modules", name), join(this.#folder, "node_modules", name));
  }

  remove() {
    if (this.#running !== undefined) kill(this.#running);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Writes a file of src, and what is built of it. */
  write(file, text) {
    const path = join(this.#folder, "src", file);
    if (!this.#originals.has(file)) this.#originals.set(file, readFileSync(path, "utf8"));
    const { code, errors } = transformSync(file, text, { lang: "ts", sourcemap: false });
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    writeFileSync(path, text);
    const built = join(this.#folder, "build", file.replace(/\.ts$/, ".js"));
    if (existsSync(built))
      writeFileSync(built, code.replaceAll(/((?:from|import\() ?"\.[^"]+)\.ts"/g, '$1.js"'));
  }

  restore(file) {
    this.write(file, this.#originals.get(file));
  }

  /**
   * The tests that read a file, in the order in which they are tried: the nearest, the goldens, others that read it in their own
   * process, and those that run commands.
   */
  testsOf(file) {
    const readers = this.#readers.get(`src/${file}`) ?? [];
    const own = readers.filter((test) => !this.#commandTests.includes(test));
    const commands = this.#program.has(`src/${file}`) ? this.#commandTests : [];
    const named = commands.filter((test) => file.includes(basename(test, ".test.ts")));
    const goldens = commands.filter((test) => test === GOLDENS && !named.includes(test));
    const others = commands.filter((test) => test !== GOLDENS && !named.includes(test));
    const near = [own.slice(0, NEAREST), named, goldens];
    return values.near ? near : [...near, own.slice(NEAREST), others];
  }

  /** Runs tests until one fails. Returns its file; undefined if none fails. */
  failing(tests) {
    const left = tests.filter((test) => !this.broken.has(test));
    if (left.length === 0) return Promise.resolve(undefined);
    const result = join(this.#folder, "result.json");
    rmSync(result, { force: true });
    const words = ["run", "--bail", "1", "--reporter", "json", "--outputFile", result, ...left];
    return new Promise((done) => {
      const limited = `ulimit -t ${LONGEST_RUN} && exec "$0" "$@"`;
      const child = spawn(
        "sh",
        ["-c", limited, process.execPath, "node_modules/vitest/vitest.mjs", ...words],
        {
          cwd: this.#folder,
          detached: true, // With the processes that it starts, it is a group.
          stdio: "ignore",
        },
      );
      this.#running = child;
      child.once("exit", (status) => {
        this.#running = undefined;
        if (status === 0) done(undefined);
        else done(existsSync(result) ? failedFile(result, this.#folder, left) : left[0]);
      });
    });
  }

  /** Whether a test passes without the change of a file. */
  async isGreen(test, file) {
    if (this.#green.has(test)) return true;
    const changed = readFileSync(join(this.#folder, "src", file), "utf8");
    this.restore(file);
    const isGreen = (await this.failing([test])) === undefined;
    this.write(file, changed);
    (isGreen ? this.#green : this.broken).add(test);
    if (!isGreen) process.stdout.write(`${test} fails without a change, and is left out\n`);
    return isGreen;
  }
}

function failedFile(result, folder, tests) {
  const { testResults } = JSON.parse(readFileSync(result, "utf8"));
  const failed = testResults.find(({ status }) => status === "failed");
  return failed === undefined ? tests[0] : relative(folder, failed.name);
}

function kill(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function testFiles() {
  const all = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  return all
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file}`)
    .sort();
}

/** By file: the tests that import it, directly or not, those with the fewest files between first, of these those of its folder. */
function readersOf(tests) {
  const readers = new Map();
  for (const test of tests) {
    for (const [file, distance] of reachable([test])) {
      if (!readers.has(file)) readers.set(file, []);
      readers.get(file).push({ test, distance });
    }
  }
  return new Map(
    Array.from(readers, ([file, found]) => {
      const isFar = ({ test }) => Number(!test.startsWith(dirname(file).replace(/^src/, "test")));
      found.sort((a, b) => a.distance - b.distance || isFar(a) - isFar(b));
      return [file, found.map(({ test }) => test)];
    }),
  );
}

/** The files that are imported from others, with how many imports away they are. */
function reachable(entries) {
  const distances = new Map(entries.map((entry) => [entry, 0]));
  for (const [file, distance] of distances) {
    for (const target of importsOf(file)) if (!distances.has(target)) distances.set(target, distance + 1);
  }
  return distances;
}

/** Whether a test starts what is built. */
function runsCommands(test) {
  const starting = /^test\/helpers\/(?:cli|warm-cli|run-commands)\.ts$/;
  return Array.from(reachable([test]).keys()).some((file) => starting.test(file));
}

/** Matches what is imported for its values. */
const IMPORT = /^(?:import|export)\s(?!type\s)[^;"]*?"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm;

/** By file: what it imports. */
function importsOf(file) {
  importsOf.known ??= new Map();
  let found = importsOf.known.get(file);
  if (found === undefined) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const paths = Array.from(text.matchAll(IMPORT), ([, path, later]) =>
      relative(ROOT, resolve(ROOT, dirname(file), path ?? later)),
    );
    found = paths
      .map((path) => path.replace(/\.js$/, ".ts"))
      .filter((path) => /\.[cm]?[jt]s$/.test(path) && existsSync(join(ROOT, path)));
    importsOf.known.set(file, found);
  }
  return found;
}

/** All changes of files of src whose paths begin so. */
function changesIn(start) {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.d)\.ts$/.test(file) && file.startsWith(start) && !OTHER_PROGRAMS.test(file))
    .sort();
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, "src", file), "utf8");
    const { program } = parseSync(file, text, { lang: "ts" });
    return changesOf(program, text).map(({ start: from, end, to }) => ({
      file,
      line: text.slice(0, from).split("\n").length,
      from: text.slice(from, end),
      to,
      text: text.slice(0, from) + to + text.slice(end),
    }));
  });
}

/** The changes of a syntax tree, each a range of the text and what takes its place. */
function changesOf(program, text) {
  const changes = [];
  const visit = (node) => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child);
      return;
    }
    if (typeof node?.type !== "string") return;
    // Types do not run.
    if (/^TS(?!As|NonNull|Satisfies)/.test(node.type) || node.type === "ImportDeclaration") return;
    changes.push(...changesAt(node, text));
    for (const child of Object.values(node)) if (typeof child === "object") visit(child);
  };
  visit(program);
  return changes;
}

function changesAt(node, text) {
  const textOf = ({ start, end }) => text.slice(start, end);
  const change = ({ start, end }, to) => ({ start, end, to });
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression": {
      const { left, operator, right } = node;
      if (operator === "??") return [change(node, textOf(left))];
      const other = OPERATORS[operator];
      const isText = [left, right].some(
        (side) => side.type === "TemplateLiteral" || typeof side.value === "string",
      );
      if (other === undefined || (isText && /^\+/.test(operator))) return [];
      return [change(node, `(${textOf(left)}) ${other} (${textOf(right)})`)].map((one) =>
        node.type === "AssignmentExpression"
          ? change(node, `${textOf(left)} ${other} ${textOf(right)}`)
          : one,
      );
    }
    case "UnaryExpression":
      return node.operator === "!" || node.operator === "-"
        ? [change(node, `(${textOf(node.argument)})`)]
        : [];
    case "UpdateExpression": {
      const other = OPERATORS[node.operator];
      return [change(node, node.prefix ? other + textOf(node.argument) : textOf(node.argument) + other)];
    }
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((to) => change(node.test, to));
    case "Literal":
      if (typeof node.value === "number") return [change(node, String(node.value < 10 ? node.value + 1 : 0))];
      return typeof node.value === "boolean" ? [change(node, String(!node.value))] : [];
    default:
      return [];
  }
}

/**
 * Returns so many of the changes, in an order that the seed and their lines decide: where sources differ in some lines, all other changes
 * are the same, so that two runs can be compared.
 */
function chosen(changes, count, seed) {
  const times = new Map();
  const ranked = changes.map((change) => {
    const { file, line, from, to, text } = change;
    const place = JSON.stringify([file, text.split("\n")[line - 1], from, to]);
    const time = times.get(place) ?? 0;
    times.set(place, time + 1);
    return { change, rank: createHash("sha256").update(`${seed} ${place} ${time}`).digest("hex") };
  });
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ change }) => change);
}

if (values.help) process.stdout.write(USAGE);
else await main();
