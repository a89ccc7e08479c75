import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { defineConfig } from "rolldown";

/** Short, but with the names of functions, which stand in the stacks of bug reports. */
const minify = { compress: true, mangle: { keepNames: true }, codegen: true };

/** What `tsc` wrote, with the packages it needs: a command loads the files that it asks for. */
const program = defineConfig({
  input: {
    main: "build/cli/main.js",
    index: "build/index.js",
    worker: "build/cli/worker.js",
  },
  platform: "node",
  plugins: [withoutOptional(), commonNames(), libraryModule(), licenses()],
  // Packages are in the program too: CommonJS cannot load those that are modules in all versions of Node.
  external: isBuiltin,
  // Modules before what `main` names, which may ask for its files in ways that cannot be seen here.
  resolve: { mainFields: ["module", "main"] },
  // As deep as the folders of src: files are found relative to the module that wants them.
  output: {
    dir: "dist/program",
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    cleanDir: true,
    minify,
  },
  logLevel: "silent",
});

/**
 * The second thread, in one file that is no module: a thread that loads modules takes 30 ms longer to start. It needs
 * nothing of the others.
 */
const thread = defineConfig({
  input: "build/log/parser-worker.js",
  platform: "node",
  external: /^node:/,
  output: { file: "dist/program/parser-worker.cjs", format: "cjs", minify },
  logLevel: "silent",
});

/** Makes the program find files that are no modules any more, where the sources name modules. */
function commonNames() {
  return {
    name: "common-names",
    renderChunk: (code) => code.replaceAll(/"\.\/(main|parser-worker|worker)\.js"/g, '"./$1.cjs"'),
  };
}

/** What `ws` and `cli-table3` ask for in case that it is installed. Here it never is, and they do without it. */
const OPTIONAL = ["bufferutil", "utf-8-validate", "@colors/colors/safe"];

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
        const file = readdirSync(folder).find((one) => /^licen[cs]e(?:-MIT)?(?:\.\w+)?$/i.test(one));
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
