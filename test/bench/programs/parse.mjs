// Parses a program inside of 40 nested functions and walks its tree, again and again: stacks of some 90 frames, nearly all
// of them new.
import fs from "node:fs";
import { parse } from "acorn";

const DEPTH = 40;
const end = Date.now() + 1000 * Number(process.argv[2]);
const text = fs.readFileSync(new URL(import.meta.resolve("acorn")), "utf8").replace(/^export .*$/gm, "");
const heads = Array.from(
  { length: DEPTH },
  (_, i) => `function f${i}(a, b) { if (a) for (const c of b) switch (c) { case ${i}: (() => {`,
);
const code = heads.join("\n") + text + "})(); } }".repeat(DEPTH);
let nodes = 0;

function walk(node) {
  nodes++;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string") walk(child);
    }
  }
}

while (Date.now() < end) {
  walk(parse(code, { ecmaVersion: "latest", sourceType: "module" }));
}
process.stdout.write(`${nodes} nodes\n`);
