import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

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

/** What every layer may import: it holds numbers and nothing else. */
const FOR_ALL = "limits.js";

/** Each layer, and what of ours its modules may import. */
const LAYERS: Record<string, RegExp> = {
  "profile/": /^(?:profile\/|errors\.js|limits\.js)/,
  "kernels/": /^kernels\//,
  "parser/":
    /^(?:parser\/|kernels\/(?:layout|load-kernel)\.js|log-chunks\.js|errors\.js|diagnostics\.js|profile\/(?:units|v8-version|vm-state|profile)\.js)/,
  "symbolizer/":
    /^(?:symbolizer\/|kernels\/(?:layout|load-kernel)\.js|profile\/|parser\/rows\/|errors\.js|diagnostics\.js|io\/(?:atomic-file|program)\.js)/,
  "views/": /^(?:views\/|profile\/)/,
  "reporters/": /^(?:reporters\/|views\/|profile\/)/,
  "exporters/":
    /^(?:exporters\/|views\/(?:label|shown-text|totals|function-table|tier-names|origin)\.js|flame-page\/(?:page-data|packed-column|frame-kind)\.js|profile\/|parser\/|symbolizer\/|diagnostics\.js|errors\.js|limits\.js)/,
  // The code of the page runs in a browser: it knows nothing of logs but what the page holds.
  "flame-page/": /^(?:flame-page\/|profile\/(?:call-tree|columns)\.js)/,
  // It writes logs and profiles anew: it knows their grammar and their model, and nothing of files.
  "redact/":
    /^(?:redact\/|parser\/|profile\/|symbolizer\/native\/recorded\.js|views\/origin\.js|errors\.js|diagnostics\.js|log-chunks\.js)/,
  "io/": /^(?:io\/|log-chunks\.js|errors\.js)/,
  "recorder.ts": /^(?:parser\/|symbolizer\/|profile\/|errors\.js|diagnostics\.js|tick-range\.js)/,
  "log-feeder.ts": /^(?:parser\/|log-chunks\.js|errors\.js)/,
  "read-log.ts":
    /^(?:parser\/|log-(?:chunks|feeder)\.js|symbolizer\/(?:recording|library-loader)\.js|profile\/|errors\.js|diagnostics\.js|recorder\.js|tick-range\.js)/,
  "analyze.ts": /^(?:log-(?:chunks|feeder)\.js|symbolizer\/|profile\/|read-log\.js|tick-range\.js)/,
  "record-symbols.ts": /^(?:symbolizer\/|read-log\.js)/,
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
              target !== FOR_ALL &&
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
      /^(?:io\/|cli\/|kernels\/load-kernel\.ts|symbolizer\/native\/|parser\/parser-(?:thread|worker)\.ts)/;
    expect(readers.filter((path) => !may.test(path))).toEqual([]);
  });

  it("is not seen by what computes", () => {
    const users = using(/\bprocess\.(?:std|env|argv|exit|cwd)|\bconsole\./);
    expect(
      users.filter((path) => !/^(?:io|cli|symbolizer\/native)\//.test(path) && path !== "index.ts"),
    ).toEqual([]);
  });

  it("sees each library where it is right", () => {
    expect(using(/from "chalk"/)).toEqual(["reporters/terminal-style.ts"]);
    expect(using(/from "cli-table3"/)).toEqual(["reporters/table.ts"]);
    expect(using(/from "string-width"/)).toEqual(["reporters/width.ts"]);
    expect(using(/from "split2"/)).toEqual(["symbolizer/native/nm.ts"]);
    expect(using(/from "commander"/).every((path) => path.startsWith("cli/"))).toBe(true);
  });
});

describe("the files", () => {
  it("stay short enough to read", () => {
    const long = ALL.filter(({ text }) => text.split("\n").length > 301).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  it("are named after what they hold", () => {
    const vague = ALL.filter(({ path }) =>
      /(?:^|[/-])(?:utils?|common|manager|base|helpers?|misc)\b/.test(path),
    );
    expect(vague.map(({ path }) => path)).toEqual([]);
  });
});
