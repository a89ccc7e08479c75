import { defineConfig } from "rolldown";

/** What `tsc` wrote, in a few files in place of 150, each of which takes some 0.4 ms to load. */
const program = defineConfig({
  input: {
    main: "build/cli/main.js",
    index: "build/index.js",
    "parser-worker": "build/parser/parser-worker.js",
  },
  platform: "node",
  // Packages and `node:` modules; an absolute path is neither, on Windows too (`C:\…`).
  external: /^[^./](?!:)/,
  // As deep as the folders of src: files are found relative to the module that wants them.
  output: {
    dir: "dist/program",
    format: "esm",
    cleanDir: true,
    codeSplitting: {
      groups: [
        // What `ticks --version` needs too.
        { name: "start", test: /build\/(?:errors|cli\/exit)\.js/, priority: 3 },
        // What the second thread needs too.
        {
          name: "parser",
          test: /build\/(?:parser\/(?!parser-(?:thread|worker))|kernels\/|limits|profile\/vm-state)/,
          priority: 2,
        },
        // What most commands need, without the libraries that draw tables.
        {
          name: "core",
          test: /build\/(?!reporters\/layout\/(?:table|width))/,
          minShareCount: 6,
          priority: 1,
        },
      ],
    },
  },
  logLevel: "silent",
});

/** The script of the page that `ticks flame` writes. */
const page = defineConfig({
  input: "src/flame-page/page.ts",
  platform: "browser",
  output: { file: "dist/flame-page/page.js", format: "iife", minify: true },
  logLevel: "silent",
});

export default [program, page];
