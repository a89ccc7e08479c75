#!/usr/bin/env node
/**
 * Records a fixture: node test/helpers/record-fixture.mjs CASE NODE PROGRAM [FLAG-OF-NODE...] [-- ARGUMENT...]
 *
 * Runs `NODE --prof FLAGS PROGRAM ARGUMENTS`, and keeps its log and the symbols it needs under fixtures/CASE, with the
 * paths of this machine replaced and without the sources of Node's own files. Then writes what is expected of it:
 * UPDATE=1 npx vitest run test/golden.test.ts, to be read before it is committed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [name, node, program, ...rest] = process.argv.slice(2);
if (program === undefined)
  throw new Error("usage: record-fixture.mjs CASE NODE PROGRAM [FLAG...] [-- ARGUMENT...]");
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
  const log = logs.sort((a, b) => statSync(b).size - statSync(a).size)[0];
  const symbols = join(work, "symbols");
  execFileSync(process.execPath, [join(root, "bin/ticks.js"), "symbols", log, "-o", symbols], {
    stdio: "inherit",
  });
  const folder = join(root, "fixtures", name);
  mkdirSync(join(folder, "expected"), { recursive: true });
  const clean = (text) =>
    text
      .replaceAll(resolve(node), "/opt/node/bin/node")
      .replaceAll(dirname(resolve(program)), "/srv/app")
      .replace(/^script-source,\d+,(?!file:|\/srv\/app|evalmachine).*\n/gm, "");
  writeFileSync(
    join(folder, "isolate.log.gz"),
    gzipSync(Buffer.from(clean(readFileSync(log, "latin1")), "latin1"), { level: 9 }),
  );
  writeFileSync(
    join(folder, "isolate.log.symbols"),
    Buffer.from(clean(readFileSync(symbols, "latin1")), "latin1"),
  );
} finally {
  rmSync(work, { recursive: true });
}
