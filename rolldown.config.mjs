import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import { directImports } from "./scripts/direct-imports.mjs";

/** The parts of the program, by the files in them: paths under src, or build, without the extension; folders end in a `/`. */
export const CHUNKS = {
  // What loads the program with the code that V8 made of it before.
  base: {
    files: [
      "cli/start/",
      "io/atomic-file",
      "io/cache-file",
      "io/cache-folder",
      "io/crc32",
      "io/regular-file",
      "io/unfinished-files",
    ],
    without: ["cli/start/start", "cli/start/command-names"],
  },
  // What `ticks --help` needs too, and small files that nearly all commands need.
  start: {
    files: [
      "errors",
      "limits",
      "version",
      "log-chunks",
      "cli/log-blocks/compile-less",
      "cli/exit",
      "cli/start/command-names",
      "cli/progress",
      "cli/usage/normal-arguments",
      "io/file-bytes",
      "views/shown-text",
    ],
  },
  // What the second thread needs too.
  parser: {
    files: ["parser/", "kernels/", "profile/vm-state"],
    without: ["parser/parser-thread", "parser/parser-worker"],
  },
  // What most commands need before they read a log, for their help too.
  core: {
    files: [
      "cli/",
      "io/",
      "profile/",
      "record/recording-file",
      "views/",
      "reporters/layout/style",
      "reporters/layout/numbers",
      "reporters/layout/shell-word",
    ],
    without: ["cli/log-blocks/read-block", "cli/log-input", "cli/runs/read-table", "cli/skipped-logs"],
  },
  // What reads a log.
  reading: {
    files: [
      "recorder/",
      "symbolizer/",
      "symbols/",
      "analyze",
      "file-kind",
      "log-feeder",
      "read-log",
      "cli/log-blocks/read-block",
      "cli/log-input",
      "cli/runs/read-table",
      "cli/skipped-logs",
    ],
    // Only some logs have source maps or code without positions, or are from macOS or Windows, and inline caches
    // are read for few commands.
    without: [
      "symbolizer/baseline/aligned-lines",
      "symbolizer/baseline/baseline-lines",
      "symbolizer/baseline/bindings",
      "symbolizer/baseline/call-sites",
      "symbolizer/baseline/callees",
      "symbolizer/baseline/function-slots",
      "symbolizer/baseline/syntax",
      "symbolizer/baseline/tolerant-parser",
      "symbolizer/ic-places",
      "symbolizer/ic-sites",
      "symbolizer/ic-ticks",
      "symbols/mach-o/",
      "symbols/pdb/",
      "symbols/pe/",
      "symbols/table/named-functions",
      "symbolizer/map-json",
      "symbolizer/map-segments",
      "symbolizer/source-map",
    ],
  },
  // What reports share.
  views: { files: ["views/"] },
  json: {
    files: [
      "reporters/layout/json-lines",
      "reporters/layout/json-parts",
      "reporters/layout/json-thread",
      "reporters/layout/source-line",
    ],
  },
  // What tables and their words need; `ticks process` does without.
  tables: {
    files: [
      "reporters/layout/",
      "reporters/deopts/deopt-words",
      "reporters/ics/ic-words",
      "reporters/timeline/time-axis",
      "reporters/top/tier-text",
    ],
  },
};

/** A part of the program. Of two that want a file the one with the higher priority gets it. */
function chunk(name, options) {
  const { files, without = [] } = CHUNKS[name];
  const isIn = (path, id) =>
    path.endsWith("/") ? id.includes(`/build/${path === "/" ? "" : path}`) : id.endsWith(`/build/${path}.js`);
  const test = (module) => {
    const id = module.replaceAll("\\", "/");
    return files.some((path) => isIn(path, id)) && !without.some((path) => isIn(path, id));
  };
  return { name, test, ...options };
}

/** What `tsc` wrote, in a few files in place of 150, each of which takes some 0.4 ms to load. */
const program = defineConfig({
  input: {
    start: "build/cli/start/start.js",
    main: "build/cli/main.js",
    index: "build/index.js",
    "run-worker": "build/cli/runs/run-worker.js",
    "block-worker": "build/cli/log-blocks/block-worker.js",
  },
  platform: "node",
  plugins: [withoutPrograms(), asciiOnly(), commonNames(), libraryModule(), licenses(), directImports()],
  // Packages are in the program too: V8's code of them is kept with the rest, and CommonJS cannot load those that are modules in all
  // versions of Node. Few runs need the others, and load them by their names.
  external: (name, importer) => isBuiltin(name) && !isUnneeded(name, importer),
  // Modules before what `main` names, which may ask for its files in ways that cannot be seen here.
  resolve: { mainFields: ["module", "main"] },
  // As deep as the folders of src: files are found relative to the module that wants them.
  output: {
    dir: "dist/program",
    // V8 keeps the code of scripts once they ran, but of modules only as it was before.
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    // They stand in the types; Node would read them at each start.
    comments: false,
    codeSplitting: {
      groups: [
        // The counts leave out two files of the library: it has nearly all views, and would make each a part for all.
        chunk("base", { priority: 7 }),
        { name: "commander", test: /node_modules\/commander\//, priority: 7 },
        chunk("start", { priority: 6 }),
        chunk("parser", { priority: 5 }),
        chunk("core", { priority: 4, minShareCount: 7 }),
        chunk("reading", { priority: 3, minShareCount: 2 }),
        chunk("views", { priority: 2, minShareCount: 3 }),
        chunk("json", { priority: 2, minShareCount: 2 }),
        chunk("tables", { priority: 1, minShareCount: 2 }),
      ],
    },
  },
  logLevel: "silent",
});

/** Matches what is not ASCII: without comments it stands in texts and patterns only, where an escape means the same. */
const NOT_ASCII = /[^\0-\x7f]/g;

/** V8 keeps a module with one character beyond Latin-1 in twice the memory, which costs a garbage collection at the start. */
function asciiOnly() {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "ascii-only",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === "chunk") file.code = file.code.replace(NOT_ASCII, escaped);
      }
    },
  };
}

/**
 * The second thread, in one file that is no module: a thread that loads modules takes 30 ms longer to start. It needs
 * nothing of the others.
 */
const thread = defineConfig({
  input: "build/parser/parser-worker.js",
  platform: "node",
  plugins: [asciiOnly()],
  external: /^node:/,
  output: { file: "dist/program/parser-worker.cjs", format: "cjs", comments: false },
  logLevel: "silent",
});

/** Makes the program find files that are no modules any more, where the sources name modules. */
function commonNames() {
  return {
    name: "common-names",
    renderChunk: (code) =>
      code.replaceAll(/"\.\/(main|parser-worker|run-worker|block-worker)\.js"/g, '"./$1.cjs"'),
  };
}

/** Whether commander wants what starts other programs, which takes 1 ms to load: none of our commands is a program of its own. */
function isUnneeded(name, importer) {
  return name === "node:child_process" && /[/\\]node_modules[/\\]commander[/\\]/.test(importer ?? "");
}

/** Leaves that out. */
function withoutPrograms() {
  const none = "\0no-programs";
  return {
    name: "without-programs",
    resolveId: (name, importer) => (isUnneeded(name, importer) ? none : undefined),
    load: (id) => (id === none ? "export {};" : undefined),
  };
}

/** Writes the module of the library: the same names. */
function libraryModule() {
  return {
    name: "library-module",
    generateBundle(_, bundle) {
      const names = bundle["index.cjs"].exports.join(", ");
      const source = `export { ${names} } from "./index.cjs";\n`;
      this.emitFile({ type: "asset", fileName: "index.js", source });
    },
  };
}

/** Writes the licences of the packages in the program, which ask for it. */
function licenses() {
  return {
    name: "licenses",
    generateBundle(_, bundle) {
      const ids = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
      const found = ids.flatMap((id) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(id) ?? []);
      const texts = Array.from(new Set(found), (folder) => {
        const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((one) => /^licen[cs]e(?:\.\w+)?$/i.test(one));
        if (file === undefined) this.error(`no licence in ${folder}`);
        return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
      });
      const source = texts.sort().join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "licenses.txt", source });
    },
  };
}

/** The script of the page that `ticks flame` writes. */
const page = defineConfig({
  input: "src/flame-page/page.ts",
  platform: "browser",
  output: { file: "dist/flame-page/page.js", format: "iife", minify: true },
  logLevel: "silent",
});

export default [program, thread, page];
