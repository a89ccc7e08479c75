import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { defineConfig } from "rolldown";
import { minifySync } from "rolldown/utils";

/** What `ticks --version` needs. */
const START =
  /[/\\]build[/\\](?:cli[/\\](?:exit|usage[/\\]error-text)|errors|io[/\\]cache-folder|log-chunks|version|views[/\\]shown-text|limits)\.js$/;
/** What says all about command lines: for a help, a completion or an error, no other file is read. */
const USAGE =
  /[/\\]build[/\\](?:cli[/\\](?:arguments|commands|help|options|usage[/\\]usage-errors)|options[/\\].*|reports[/\\]reports|views[/\\]near-names)\.js$/;

/** What `tsc` wrote, in a few files in place of 150, each of which takes some 0.4 ms to load. */
const program = defineConfig({
  input: {
    main: "build/cli/main.js",
    index: "build/index.js",
    worker: "build/cli/worker.js",
  },
  platform: "node",
  plugins: [
    withoutPrograms(),
    withoutOptional(),
    smallPackages(),
    asciiOnly(),
    commonNames(),
    libraryModule(),
    licenses(),
  ],
  // Packages are in the program too: CommonJS cannot load those that are modules in all versions of Node. Few runs need the others,
  // and load them by their names.
  external: (name, importer) => isBuiltin(name) && !isUnneeded(name, importer),
  // Modules before what `main` names, which may ask for its files in ways that cannot be seen here.
  resolve: { mainFields: ["module", "main"] },
  // As deep as the folders of src: files are found relative to the module that wants them.
  output: {
    dir: "dist/program",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    // They stand in the types; Node would read them at each start.
    comments: false,
    codeSplitting: {
      groups: [
        { name: "start", test: START, priority: 2 },
        { name: "usage", test: USAGE, priority: 2 },
        ...["acorn", "commander", "hyparquet", "jstat", "pprof-format"].map((name) => ({
          name,
          test: new RegExp(`[/\\\\]node_modules[/\\\\]${name}`),
          priority: 2,
        })),
        { name: "ticks", test: /[/\\]build[/\\]/, minShareCount: 3, priority: 1 },
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
    renderChunk: (code) => code.replaceAll(/"\.\/(main|parser-worker|worker)\.js"/g, '"./$1.cjs"'),
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

/** What `ws` asks for in case that it is installed. Here it never is, and `ws` has JavaScript for it. */
const OPTIONAL = ["bufferutil", "utf-8-validate"];

/** Makes it fail as what is not installed does, without a look at the disk. */
function withoutOptional() {
  const none = "\0not-installed";
  return {
    name: "without-optional",
    resolveId: (name) => (OPTIONAL.includes(name) ? none : undefined),
    load: (id) => (id === none ? 'module.exports = {}; throw new Error("not installed");' : undefined),
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

/** Ships files that are of packages alone in their shortest form: nobody reads them here. */
function smallPackages() {
  return {
    name: "small-packages",
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        const ids = Object.keys(chunk.modules ?? {}).filter((id) => !id.startsWith("\0"));
        const isOfPackages = ids.length > 0 && ids.every((id) => /[/\\]node_modules[/\\]/.test(id));
        if (isOfPackages) chunk.code = minifySync(chunk.fileName, chunk.code).code;
      }
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
