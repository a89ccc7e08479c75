// The last step of the build: puts into dist/ the files of the package that no compiler writes there.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { VERSION } from "../build/base/version.js";
import { manPage } from "../build/cli/usage/man-page.js";
import { schemas } from "./schemas.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");
const BUILD = join(ROOT, "build");
const DIST = join(ROOT, "dist");

mkdirSync(join(DIST, "schemas"), { recursive: true });
for (const [name, schema] of schemas()) {
  writeFileSync(join(DIST, "schemas", name), `${JSON.stringify(schema)}\n`);
}
mkdirSync(join(DIST, "man"), { recursive: true });
writeFileSync(join(DIST, "man", "ticks.1"), await manPage(VERSION));
for (const name of ["page.html", "page.css", "sides.css"])
  ship(join(SRC, "flame-page", name), "flame-page", name);
// What `ticks record` puts into the processes of a program: neither compiled nor bundled, since old versions of Node run it.
for (const name of ["preload.cjs", "descriptors.cjs", "thread-profile.cjs"])
  ship(join(SRC, "record", name), "record", name);
for (const name of ["node", "nodejs"]) {
  chmodSync(ship(join(SRC, "record", `${name}-shim.sh`), join("record", "bin"), name), 0o755);
}
for (const file of declarationsFor(join(BUILD, "index.d.ts"))) {
  const name = ship(file, "types", relative(BUILD, file));
  // Up to TypeScript 5.6, arrays of numbers take no type argument. From 5.7 on the argument has a default.
  writeFileSync(
    name,
    readFileSync(name, "utf8").replaceAll(
      /\b(\w*Array|Buffer)<(?:ArrayBuffer|ArrayBufferLike|SharedArrayBuffer)>/g,
      "$1",
    ),
  );
}
ship(join(ROOT, "docs", "fleet.sql"), ".", "fleet.sql");
ship(join(ROOT, "node_modules/gecko-profiler-demangle/index_bg.wasm"), "kernels", "demangler.wasm");

/** Copies a file to a folder of dist/ and returns its path there. Throws where there is one of that name already. */
function ship(file, folder, name) {
  const target = join(DIST, folder, name);
  if (existsSync(target)) throw new Error(`two files for ${target}; the second is ${file}`);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
  return target;
}

/** The declarations that an entry needs, itself among them: those of the command line are nobody's business. */
function declarationsFor(entry) {
  const found = new Set([entry]);
  for (const file of found) {
    const text = readFileSync(file, "utf8");
    for (const [, path] of text.matchAll(/\b(?:from|import\(|import) ?"(\.[^"]+)\.js"/g)) {
      found.add(resolve(dirname(file), `${path}.d.ts`));
    }
  }
  return found;
}
