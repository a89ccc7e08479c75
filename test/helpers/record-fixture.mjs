#!/usr/bin/env node
/**
 * Records a fixture: node test/helpers/record-fixture.mjs [--folder] CASE NODE PROGRAM [FLAG-OF-NODE...] [-- ARGUMENT...]
 *
 * Runs `NODE --prof FLAGS PROGRAM ARGUMENTS`, and keeps its log and the symbols it needs under fixtures/CASE, with the
 * paths of this machine replaced and without the sources of Node's own files. With --folder, all logs that it writes, under
 * their own names, without the rows of builtins that no address of a tick is in, which are most of a small log. Then writes what is expected of it:
 * UPDATE=1 npx vitest run test/golden.test.ts, to be read before it is committed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { readRecordedSymbols, writeRecordedSymbols } from "../../build/native/recorded-symbols.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isFolder = process.argv[2] === "--folder";
const [name, node, program, ...rest] = process.argv.slice(isFolder ? 3 : 2);
if (program === undefined)
  throw new Error("usage: record-fixture.mjs [--folder] CASE NODE PROGRAM [FLAG...] [-- ARGUMENT...]");
const split = rest.indexOf("--");
const flags = split < 0 ? rest : rest.slice(0, split);
const args = split < 0 ? [] : rest.slice(split + 1);

const work = mkdtempSync(join(tmpdir(), "fixture-"));
try {
  try {
    execFileSync(resolve(node), ["--prof", ...flags, resolve(program), ...args], {
      cwd: work,
      stdio: "inherit",
    });
  } catch (error) {
    // Old versions can die of their own sampling signal when they exit, with the log written.
    process.stderr.write(`${error}\n`);
  }
  const logs = readdirSync(work).map((file) => join(work, file));
  logs.sort((a, b) => statSync(b).size - statSync(a).size);
  for (const log of isFolder ? logs : logs.slice(0, 1)) {
    keep(log, isFolder ? basename(log) : "isolate.log");
  }
} finally {
  rmSync(work, { recursive: true });
}

/** Puts a log and its symbols into the folder of the case, as `file`. */
function keep(log, file) {
  const symbols = `${log}.symbols`;
  execFileSync(process.execPath, [join(root, "bin/ticks.js"), "symbols", log, "-o", symbols], {
    stdio: "inherit",
  });
  const folder = join(root, "fixtures", name);
  mkdirSync(join(folder, "expected"), { recursive: true });
  const text = clean(readFileSync(log, "latin1"));
  const content = Buffer.from(isFolder ? withoutIdleBuiltins(text) : text, "latin1");
  writeFileSync(join(folder, `${file}.gz`), gzipSync(content, { level: 9 }));
  const saved = Array.from(readRecordedSymbols(readFileSync(symbols, "utf8"), symbols).values());
  const lines = writeRecordedSymbols(saved.map((library) => ({ ...library, path: clean(library.path) })));
  writeFileSync(join(folder, `${file}.symbols`), `${Array.from(lines).join("\n")}\n`);
}

function clean(text) {
  return text
    .replaceAll(resolve(node), "/opt/node/bin/node")
    .replaceAll(dirname(resolve(program)), "/srv/app")
    .replace(/^script-source,\d+,(?!file:|\/srv\/app|evalmachine).*\n/gm, "");
}

/** Without the rows of builtins and bytecode handlers that hold no address of a tick's row. */
function withoutIdleBuiltins(text) {
  const addresses = new Set();
  for (const [row] of text.matchAll(/^tick,.*$/gm)) {
    let pc = 0;
    for (const [i, field] of row.split(",").slice(1).entries()) {
      // Frames are written as distances from the one before, the first from the address of the tick.
      if (/^[-+]0x/.test(field)) pc += Number(field.slice(1)) * (field[0] === "-" ? -1 : 1);
      else if (/^0x/.test(field) && (i === 0 || i > 4)) pc = Number(field);
      else if (/^0x/.test(field)) addresses.add(Number(field));
      else continue;
      addresses.add(pc);
    }
  }
  const sorted = Float64Array.from(addresses).sort();
  return text.replace(
    /^code-creation,(?:Builtin|BytecodeHandler),\d+,\d+,(0x[0-9a-f]+),(\d+),.*\n/gm,
    (row, start, size) => {
      const first = sorted.find((address) => address >= Number(start));
      return first !== undefined && first < Number(start) + Number(size) ? row : "";
    },
  );
}
