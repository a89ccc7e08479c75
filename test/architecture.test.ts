import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/cli/commands.ts";
import { REPORTS } from "../src/reports/reports.ts";
import { COMMAND_LINES } from "./helpers/command-lines.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");

interface Module {
  /** Relative to src. */
  readonly path: string;
  readonly text: string;
  /** Imported modules: relative to src, or a package's name. Type-only imports are marked. */
  readonly imports: readonly { readonly target: string; readonly isType: boolean }[];
}

const IMPORT = /^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/gm;

function modules(folder = SRC): Module[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) return modules(file);
    if (!entry.name.endsWith(".ts")) return [];
    const text = readFileSync(file, "utf8");
    const imports = Array.from(text.matchAll(IMPORT), ([, type, target, dynamic]) => {
      const name = target ?? dynamic ?? "";
      return {
        target: name.startsWith(".") ? relative(SRC, join(dirname(file), name)) : name,
        isType: type !== undefined,
      };
    });
    return [{ path: relative(SRC, file), text, imports }];
  });
}

const ALL = modules();

/** What every layer may import: the toolbox. */
const FOR_ALL = /^base\//;

/** Each layer, and what of ours its modules may import beside the toolbox. */
const LAYERS: Record<string, RegExp> = {
  "base/": /^base\//,
  "profile/": /^profile\//,
  "kernels/": /^kernels\//,
  "io/": /^io\//,
  // Bytes to rows.
  "log/":
    /^(?:log\/|kernels\/(?:layout|load-kernel)\.js|io\/(?:regular-file|log-chunks)\.js|profile\/(?:diagnostics|source-lines|v8-version|vm-state)\.js)/,
  // Names of C++.
  "native/":
    /^(?:native\/|profile\/|gecko-profiler-demangle\/|io\/(?:atomic-file|cache-file|child-program|crc32|regular-file)\.js)/,
  // What happens at a tick.
  "replay/": /^(?:replay\/|log\/rows\/|native\/|kernels\/(?:layout|load-kernel)\.js|profile\/)/,
  // What happens after the last record: what the log does not say outright.
  "infer/": /^(?:infer\/|replay\/|native\/|profile\/)/,
  "load/preprocess/": /^(?:load\/preprocess\/|replay\/|log\/rows\/|native\/|profile\/)/,
  // The ticks of logs that grow, in between.
  "live/": /^(?:live\/|replay\/|native\/readable-names\.js|facts\/|profile\/|load\/(?:analyze|read-log)\.js)/,
  // What several reports ask of a profile. A sentence is put together here only as a text.
  "facts/": /^(?:facts\/|profile\/)/,
  // Two sets of runs: what changed, and how sure it is.
  "compare/": /^(?:compare\/|facts\/|profile\/)/,
  // Pages to text and Markdown: the words of units, and how names are escaped and cut.
  "render/": /^(?:render\/|facts\/|profile\/)/,
  "reports/": /^(?:reports\/|render\/|live\/live-view\.js|compare\/|facts\/|profile\/|redact\/name-hash\.js)/,
  // Files that are no logs but have stacks with weights: a file a format.
  "inputs/": /^(?:inputs\/|io\/(?:file-kind|log-chunks)\.js|profile\/)/,
  "exports/":
    /^(?:exports\/|compare\/(?:diff-model|run-summary)\.js|hyparquet-writer\/|facts\/(?:analysis|breakdown|label|look-alikes|function-table|stable-key|profile-turns|tier-names|turns|origin)\.js|flame-page\/(?:page-data|packed-column|frame-kind)\.js|profile\/)/,
  // Facts, reports and the page for programs, without what they need internally.
  "library/":
    /^(?:library\/|compare\/|reports\/|render\/|facts\/|exports\/flame\/|inputs\/inputs\.js|io\/|native\/|profile\/|load\/(?:analyze|log-files)\.js)/,
  // The code of the page runs in a browser: it knows nothing of logs but what the page holds.
  "flame-page/": /^(?:flame-page\/|profile\/(?:call-tree|categories|vm-state)\.js)/,
  // It runs programs, and keeps what is known of a run.
  "record/": /^(?:record\/|io\/)/,
  // It writes logs and profiles anew: it knows their grammar and their model, and nothing of files.
  "redact/":
    /^(?:redact\/|log\/|profile\/|native\/(?:process-map|recorded-symbols)\.js|facts\/origin\.js|io\/log-chunks\.js)/,
  // The pipelines.
  "load/log-feeder.ts": /^(?:log\/|io\/(?:file-kind|log-chunks)\.js)/,
  "load/read-log.ts": /^(?:log\/|replay\/|profile\/|io\/log-chunks\.js|load\/log-feeder\.js)/,
  "load/analyze.ts":
    /^(?:inputs\/|replay\/|infer\/|native\/|profile\/|io\/log-chunks\.js|load\/(?:log-feeder|read-log)\.js)/,
  // Logs as files: what was saved beside them, several as one profile. For the command line and the library.
  "load/log-files.ts": /^(?:io\/|record\/recording-file\.js|profile\/|native\/|load\/analyze\.js)/,
  "load/record-symbols.ts": /^(?:replay\/|infer\/|native\/|load\/read-log\.js)/,
};

describe("the layers", () => {
  for (const [layer, allowed] of Object.entries(LAYERS)) {
    it(`${layer} imports only what it may`, () => {
      const members = ALL.filter(({ path }) => path.startsWith(layer));
      expect(members.length).toBeGreaterThan(0);
      const wrong = members.flatMap(({ path, imports }) =>
        imports
          .filter(
            ({ target }) =>
              /\.js$/.test(target) &&
              !target.includes("node_modules") &&
              !FOR_ALL.test(target) &&
              !allowed.test(target),
          )
          .map(({ target }) => `${path} -> ${target}`),
      );
      expect(wrong).toEqual([]);
    });
  }

  it("import cli from nowhere but cli", () => {
    const wrong = ALL.filter(
      ({ path, imports }) =>
        !path.startsWith("cli/") && imports.some(({ target }) => target.startsWith("cli/")),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("import library from nowhere but the entry", () => {
    const wrong = ALL.filter(
      ({ path, imports }) =>
        !/^(?:library\/|index\.ts)/.test(path) && imports.some(({ target }) => target.startsWith("library/")),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it("have no cycles", () => {
    const byPath = new Map(ALL.map((module) => [module.path, module]));
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      expect(trail, `${[...trail, path].join(" -> ")}`).not.toContain(path);
      if (done.has(path)) return;
      for (const { target } of byPath.get(path)?.imports ?? []) {
        const file = target.replace(/\.js$/, ".ts");
        if (byPath.has(file)) visit(file, [...trail, path]);
      }
      done.add(path);
    };
    for (const { path } of ALL) visit(path, []);
  });
});

describe("the outside world", () => {
  const using = (pattern: RegExp) => ALL.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it("is read by io, native symbols, kernels and the command line only", () => {
    const readers = using(/from "node:(?:fs|fs\/promises|child_process|worker_threads)"/);
    const may =
      /^(?:io\/|cli\/|record\/|kernels\/load-kernel\.ts|native\/|log\/parser-(?:thread|worker)\.ts)/;
    expect(readers.filter((path) => !may.test(path))).toEqual([]);
  });

  it("is not seen by what computes", () => {
    const users = using(/\bprocess\.(?:std|env|argv|exit|cwd)|\bconsole\./);
    expect(users.filter((path) => !/^(?:io|cli|record|native)\//.test(path) && path !== "index.ts")).toEqual(
      [],
    );
  });

  it("sees each library where it is right", () => {
    expect(using(/from "chalk"/)).toEqual(["render/terminal-style.ts"]);
    expect(using(/from "cli-table3"/)).toEqual(["render/table.ts"]);
    expect(using(/from "string-width"/)).toEqual(["render/width.ts"]);
    expect(using(/from "jstat"/)).toEqual(["compare/statistics.ts"]);
    expect(using(/from "split2"/)).toEqual(["native/sources.ts"]);
    expect(using(/from "ws"/)).toEqual(["record/inspector.ts"]);
    expect(using(/from "commander"/).every((path) => path.startsWith("cli/"))).toBe(true);
  });
});

describe("V8", () => {
  it("is left alone: no flag changes while the program runs, nothing forces a collection, and its data is its own", () => {
    const tricks = /setFlagsFromString|expose-gc|\bgc\(|cachedData|createCachedData/;
    expect(ALL.filter(({ text }) => tricks.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe("the words of reports", () => {
  const linesOf = (folders: RegExp) =>
    ALL.filter(({ path }) => folders.test(path) && path !== "render/spoken.ts")
      .flatMap(({ path, text }) => text.split("\n").map((line) => `${path}: ${line.trim()}`))
      .filter((line) => !/: (?:\*|\/\*|\/\/)/.test(line));
  const lines = linesOf(/^(?:reports|facts|compare|cli|live|library)\//);

  it("are made into samples, times or code spans by the renderers alone", () => {
    // No sentence is translated, or made anew for each place where it is shown. "ticks: " begins the lines of another process.
    const translated =
      /\.(?:replace(?:All)?|split)\((?:\/[^/]*|"[^"]*)(?:\\b|\b)(?:[tT]ick|[sS]ample)s?\b(?!: )|\(show(?:: \w+)?\) =>|\(show: Show\)/;
    const seen = [
      "text.replace(/\\bticks\\b/g, word)",
      'text.replaceAll("ticks", word)',
      'of.split(" ticks")',
    ];
    for (const line of [...seen, "text.replace(/ samples?/, word)", "return (show) => show(a)"])
      expect(line).toMatch(translated);
    expect(linesOf(/./).filter((line) => translated.test(line))).toEqual([]);
  });

  it("say ticks by the makers of texts", () => {
    // What is of logs alone may say so: `process` has the words of Node, `live` reads nothing else, help is of all that is read.
    // The same is true of the command line, whose subject is the program, and of what is recorded.
    const ofLogs =
      /^(?:reports\/(?:process|live|reports)|cli\/(?:commands|options|help|program|read-options|sides|usage\/[\w-]+|commands\/(?:process|record\/[\w-]+|serve\/pages|check\/init)))\.ts/;
    const literal = /"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
    // The program is called so, too, and so are keys.
    const PROGRAM = ['"ticks"', "`ticks `"];
    const commands = COMMANDS.map(({ name }) => name).join("|");
    const word = new RegExp(
      `(?<![-.\\w]|=")[tT]icks?\\b(?![-:]|\\.budget\\.| reads | (?:${commands})\\b| (?:[a-z]+ )?(?:--|[A-Z]))`,
    );
    const values = /\$\{[^{}]*\}/g;
    const says = (line: string) => {
      const ours = line.replace(values, "").replace(values, "").match(literal) ?? [];
      return (
        ours.some((one) => !PROGRAM.includes(one) && word.test(one)) || /counted\(.*"ticks?"\)/.test(line)
      );
    };
    for (const line of [
      'note("no ticks")',
      "text`of ticks`",
      'counted(of(a), "tick")',
      "warn(`a has ticks`)",
    ])
      expect(says(line), line).toBe(true);
    for (const line of ["`ticks top LOG`", 'kind: "few-ticks"', 'number("ticks")'])
      expect(says(line), line).toBe(false);
    expect(lines.filter((line) => says(line) && !ofLogs.test(line))).toEqual([]);
  });

  it("have numbers by the makers of texts", () => {
    // How many digits a number has, and how it is rounded to be read.
    const shown =
      /\.to(?:Fixed|Precision|LocaleString)\(|\bshownBytes\(|(?:\$\{|String\()Math\.(?:round|floor|ceil)\(/;
    const seen = ["of.toFixed(1)", "value.toPrecision(2)", "ticks.toLocaleString()", "shownBytes(size)"];
    for (const line of [...seen, `$\{Math.round(time)} ms`, "String(Math.ceil(ticks))"])
      expect(line).toMatch(shown);
    const may: readonly RegExp[] = [
      // The makers; linesOf leaves out the renderer.
      /^base\/(?:digits|text)\.ts/,
      // How many characters of a text are left out, on any page.
      /^base\/shown-text\.ts/,
      // Byte for byte what Node prints.
      /^reports\/process\.ts/,
      // Labels below an axis: round numbers, whose unit is told once.
      /^reports\/time-axis\.ts/,
      // Values of options in a command line: whole milliseconds.
      /^reports\/timeline\.ts: const time = `--from /,
      // JSON: numbers of a document with one decimal.
      /^reports\/top-facts\.ts: .*Number\(/,
      // Files of other tools, in their units.
      /^exports\//,
      // Its script renders its own numbers, in a browser.
      /^flame-page\//,
      // A time that is configured, in whole seconds; record/ knows nothing of pages.
      /^record\/[\w-]+\.ts: .*no answer to/,
    ];
    const found = linesOf(/./).filter((line) => shown.test(line));
    expect(found.filter((line) => !may.some((one) => one.test(line)))).toEqual([]);
    // No exception outlives its reason.
    expect(may.filter((one) => !found.some((line) => one.test(line)))).toEqual([]);
  });

  it("are sentences that are made in one place", () => {
    // A literal that is told twice is a constant, or the sentence of a table.
    const places = new Map<string, string[]>();
    // Options and help are prose of their own; what a browser runs cannot import from here.
    for (const { path, text } of ALL.filter((one) => !/^(?:flame-page|kernels)\//.test(one.path)))
      for (const [one] of text
        .replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, "")
        .matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)) {
        const words = one.slice(1, -1);
        if ((words.replace(/\$\{[^{}]*\}/g, "").match(/[a-z]{2,}/gi)?.length ?? 0) < 6) continue;
        if (!words.includes(" ") || words.includes("\n")) continue;
        places.set(words, [...(places.get(words) ?? []), path]);
      }
    const twice = Array.from(places).filter(([, paths]) => new Set(paths).size > 1);
    expect(twice.map(([words, paths]) => `${words}: ${paths.join(", ")}`)).toEqual([]);
  });
});

describe("the commands", () => {
  const named = COMMANDS.filter(({ group }) => group !== undefined).map(({ name }) => name);

  it("are rows of one table, each with a file of its name, in reports/ or in cli/commands/", () => {
    const files = readdirSync(join(SRC, "cli/commands"), { withFileTypes: true });
    const names = files.filter((entry) => entry.isFile()).map(({ name }) => name.replace(/\.ts$/, ""));
    const reports = Object.keys(REPORTS).filter((name) => name !== "process");
    expect([...names, ...reports].sort()).toEqual(named.toSorted());
    const inReports = new Set(readdirSync(join(SRC, "reports")));
    expect(reports.filter((name) => !inReports.has(`${name}.ts`))).toEqual([]);
    // A folder has parts of the command of its name.
    const folders = files.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("run on the logs of all tests", () => {
    const run = new Set(COMMAND_LINES.map(({ args }) => args[0]));
    expect(Array.from(run).sort()).toEqual(named.toSorted());
  });

  it("are imported by the table alone, their parts by the command alone", () => {
    const wrong = ALL.flatMap(({ path, imports }) =>
      imports.flatMap(({ target }) => {
        const [, name, part] = /^cli\/commands\/([\w-]+)(\/.+)?\.js$/.exec(target) ?? [];
        if (name === undefined) return [];
        const isOwn = path === `cli/commands/${name}.ts` || path.startsWith(`cli/commands/${name}/`);
        return (part === undefined ? path === "cli/program.ts" : isOwn) ? [] : [`${path} -> ${target}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe("the files", () => {
  it("are named after what they hold", () => {
    const vague = ALL.filter(({ path }) =>
      /(?:^|[/-])(?:utils?|common|manager|helpers?|misc)\b|[/-]base\b/.test(path),
    );
    expect(vague.map(({ path }) => path)).toEqual([]);
  });
});
