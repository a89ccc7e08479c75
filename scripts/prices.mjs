// Prints how many lines of src/ each idea takes: npm run prices. prices.json has the paths of each idea. Of a folder and a
// file in it, the longer path decides. Fails if a file is in no idea, a path is in two, or a path has no file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const ideas = Object.entries(JSON.parse(readFileSync(new URL("scripts/prices.json", root), "utf8")));
const ideaOf = new Map();
const faults = [];
for (const [idea, paths] of ideas) {
  for (const path of paths) {
    if (ideaOf.has(path)) faults.push(`${path} is in two ideas: ${ideaOf.get(path)}, ${idea}`);
    ideaOf.set(path, idea);
  }
}

/** Returns the longest of our paths that a file is, or is in. */
function pathOf(file) {
  if (ideaOf.has(file)) return file;
  for (let end = file.lastIndexOf("/"); end >= 0; end = file.lastIndexOf("/", end - 1)) {
    const folder = file.slice(0, end + 1);
    if (ideaOf.has(folder)) return folder;
    if (end === 0) break;
  }
  return undefined;
}

const lines = new Map(ideas.map(([idea]) => [idea, 0]));
const used = new Set();
for (const name of execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "src"], {
  cwd: root,
  encoding: "utf8",
}).split("\n")) {
  const url = new URL(name, root);
  if (name === "" || !existsSync(url)) continue;
  const path = pathOf(name.slice("src/".length));
  if (path === undefined) {
    faults.push(`${name} is in no idea: add it to scripts/prices.json`);
    continue;
  }
  used.add(path);
  const idea = ideaOf.get(path);
  lines.set(idea, lines.get(idea) + readFileSync(url, "utf8").split("\n").length - 1);
}
for (const path of ideaOf.keys()) if (!used.has(path)) faults.push(`src/${path} has no file`);

const rows = [...lines, ["all", [...lines.values()].reduce((sum, count) => sum + count, 0)]];
for (const [idea, count] of rows) console.log(`${String(count).padStart(6)}  ${idea}`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
