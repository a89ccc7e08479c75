import { execFile, execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { fixtureLog } from "./helpers/fixtures.ts";
import { testFolder } from "./helpers/folder.ts";
import { PAGES, ROOT } from "./helpers/pages.ts";
import { warmTicks } from "./helpers/warm-cli.ts";

const run = promisify(execFile);

interface Snippet {
  readonly file: string;
  /** Of its first line. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** Languages of what is only to be looked at, and of what `npm run test:peers` runs. */
const NOT_RUN = ["text", "python", "console", "json", "yaml", "sql"];

function snippetsOf(file: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [i, row] of readFileSync(join(ROOT, file), "utf8").split("\n").entries()) {
    const fence = /^```(.*)$/.exec(row);
    if (fence === null) open?.lines.push(row);
    else if (open === undefined) open = { language: fence[1]!, line: i + 2, lines: [] };
    else {
      snippets.push({ file, line: open.line, language: open.language, text: open.lines.join("\n") });
      open = undefined;
    }
  }
  expect(open, `${file}: an open fence`).toBeUndefined();
  return snippets;
}

const SNIPPETS = PAGES.flatMap(snippetsOf);
const inLanguage = (language: string) => SNIPPETS.filter((snippet) => snippet.language === language);

const folder = testFolder();

/** A folder in which what the pages name is there: logs, a program to record, `ticks` on the PATH. */
beforeAll(() => {
  const tools = join(folder, "tools");
  mkdirSync(tools);
  const tool = (name: string, text: string) => {
    writeFileSync(join(tools, name), text);
    chmodSync(join(tools, name), 0o755);
  };
  tool("ticks", `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "bin/ticks.js")}" "$@"\n`);
  // Programs of others: that they get what they can read is what counts here.
  tool("jq", `#!${process.execPath}\nJSON.parse(require("fs").readFileSync(0, "utf8"));\n`);
  tool("inferno-flamegraph", "#!/bin/sh\ngrep -q ' [0-9]*$'\n");
  const scripts = Object.keys(
    (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object }).scripts,
  );
  const known = ["ci", "install", "link", "test", ...scripts.map((name) => `run ${name}`)];
  tool(
    "npm",
    `#!/bin/sh\ncase "$1 $2" in ${known.map((word) => `"${word}"*`).join("|")}) ;; *) exit 9 ;; esac\n`,
  );
  for (const name of ["npx", "git"]) tool(name, "#!/bin/sh\nexit 0\n");
  for (const name of ["bin", "fixtures", "test"]) symlinkSync(join(ROOT, name), join(folder, name));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules", "v8-ticks"));
  const log = fixtureLog("node-26-inlining");
  mkdirSync(join(folder, "logs"));
  for (const name of ["isolate.log", "a.log", "b.log", "logs/isolate-0x1-1-v8.log"]) {
    writeFileSync(join(folder, name), log);
  }
  copyFileSync(join(ROOT, "fixtures/node-26-inlining/isolate.log.gz"), join(folder, "isolate.log.gz"));
  writeFileSync(
    join(folder, "app.js"),
    "const end = Date.now() + 100;\nwhile (Date.now() < end) JSON.stringify(process.memoryUsage());\n",
  );
});

describe("the snippets of the pages", () => {
  it("are all run, or in a language that is not", () => {
    const languages = new Set(SNIPPETS.map(({ language }) => language));
    expect([...languages].filter((language) => !["sh", "ts", ...NOT_RUN].includes(language))).toEqual([]);
    expect(inLanguage("sh").length).toBeGreaterThan(8);
    expect(inLanguage("ts").length).toBeGreaterThan(0);
  });

  for (const { file, line, text } of inLanguage("sh")) {
    it(`${file}:${line} runs`, async () => {
      const env = { ...process.env, PATH: `${join(folder, "tools")}${delimiter}${process.env.PATH}` };
      const script = `set -eo pipefail\n${text}`;
      await run("bash", ["-c", script], {
        cwd: folder,
        env: { ...env, XDG_CACHE_HOME: join(folder, "cache") },
      });
    });
  }

  for (const { file, line, text } of inLanguage("ts")) {
    it(`${file}:${line} compiles and runs`, async () => {
      const source = join(folder, `snippet-${line}.mts`);
      writeFileSync(source, text);
      const options = [
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--types",
        "node",
      ];
      const roots = ["--typeRoots", join(ROOT, "node_modules/@types")];
      execFileSync(
        process.execPath,
        [join(ROOT, "node_modules/typescript/bin/tsc"), ...options, ...roots, source],
        {
          cwd: folder,
          stdio: "pipe",
        },
      );
      const { stdout } = await run(process.execPath, [source.replace(/\.mts$/, ".mjs")], { cwd: folder });
      expect(stdout).not.toBe("");
    });
  }
});

/** What prints the examples of the pages: the page, how the example begins, the fixture and the command line. */
const EXAMPLES: readonly (readonly [string, string, string, readonly string[]])[] = [
  ["README.md", " [What stands out]:", "node-26-guide", ["top", "LOG"]],
  ["docs/commands.md", " [What stands out]:", "node-26-guide", ["top", "LOG"]],
  ["docs/commands.md", " [JavaScript]:", "node-26-inlining", ["process", "LOG"]],
  ["docs/commands.md", " [Positions]:", "node-26-ics", ["deopts", "LOG", "-n", "1"]],
  [
    "docs/commands.md",
    " [What may help, and the ticks that it saves at most]:",
    "startup",
    ["startup", "commonjs-26.log.gz"],
  ],
  [
    "docs/commands.md",
    "  #  thread                           ticks   share  hottest function",
    "node-12-threads",
    ["threads", "."],
  ],
  ["docs/commands.md", "Trust it: 99.6 % of the ticks have a function.", "node-26-guide", ["doctor", "LOG"]],
  ["docs/commands.md", "total   share   self  function", "node-26-inlining", ["tree", "LOG", "--min", "2"]],
  ["docs/commands.md", "function normalize", "node-26-inlining", ["function", "LOG", "normalize"]],
  ["docs/commands.md", " self  total  line  source", "node-26-inlining", ["lines", "LOG", "inlining.js"]],
  ["docs/commands.md", " [Sites]:", "node-26-ics", ["ics", "LOG", "--limit", "3"]],
  ["docs/commands.md", "turns of the event loop, longest first", "node-26-guide", ["timeline", "LOG"]],
  ["docs/ics.md", "isolate.log.gz, Node 26:", "node-26-ics", ["ics", "LOG", "--limit", "3"]],
];

describe("an example of the pages", () => {
  it.each(EXAMPLES)(
    "of %s that begins with %j is what is printed for %s by %j",
    async (file, start, name, args) => {
      const [example, ...others] = inLanguage("text").filter(
        (one) => one.file === file && one.text.startsWith(`${start}\n`),
      );
      expect([example?.file, others]).toEqual([file, []]);
      const words = args.map((word) => (word === "LOG" ? "isolate.log.gz" : word));
      const { stdout } = await warmTicks(words, { cwd: join(ROOT, "fixtures", name) });
      const printed = stdout.split("\n");
      // An example may leave lines out.
      let at = 0;
      for (const line of example!.text.split("\n")) {
        at = printed.indexOf(line, at) + 1;
        expect(at, line).toBeGreaterThan(0);
      }
    },
  );
});
