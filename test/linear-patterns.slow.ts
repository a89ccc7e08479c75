import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { parseAst } from "rolldown/parseAst";
import { afterAll, describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** What is not a literal is a pattern that the user typed: it is matched against names that are cut. */
const TYPED = [
  "cli/commands/check/budget-file.ts: new RegExp(source, flags)",
  "cli/sides.ts: new RegExp(source, flags)",
  "facts/function-search.ts: new RegExp(pattern[1]!, pattern[2])",
  "facts/unmatched-filters.ts: new RegExp(source, otherCase)",
  'flame-page/graph.ts: new RegExp(text, "i")',
  "reports/function.ts: new RegExp(pattern[1]!, pattern[2])",
  "reports/option-values.ts: new RegExp(source, flags)",
];
/** Patterns that are not linear, of what is short: the digits of one number, and the first 1,000 characters of a pattern. */
const SHORT = [
  String.raw`flame-page/number-text.ts: /\B(?=(\d{3})+$)/g`,
  String.raw`facts/findings/words.ts: /\\.|\[(?:\\.|[^\]\\])*\]/gs`,
];

/**
 * Without limits of time, whose defaults of 0.25 and 1 s take a pattern for slow when the machine is: those in characters
 * read stay.
 */
const STEADY = { randomSeed: 1, incubationTimeout: null, attackTimeout: null };

/** The version of recheck, and the hashes of patterns that it proved to be linear; `UPDATE=1` writes them. */
const PROVEN = new URL("./proven-patterns.txt", import.meta.url);
const VERSION = `recheck-${createRequire(import.meta.url)("recheck/package.json").version}`;
const [version, ...hashes] = readFileSync(PROVEN, "utf8").trim().split(/\s+/);
const proven = new Set(version === VERSION ? hashes : []);
const hashOf = ({ source, flags }: Pattern) =>
  createHash("sha256").update(`/${source}/${flags}`).digest("base64url").slice(0, 10);

interface Pattern {
  readonly source: string;
  readonly flags: string;
  /** Its file, relative to src, and how it stands there. */
  readonly text: string;
}

/** The regular expressions of all modules: the literals, and where others are made. */
function patternsOf(): { literals: Pattern[]; made: string[] } {
  const literals: Pattern[] = [];
  const made: string[] = [];
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  for (const file of files.map((name) => name.replaceAll("\\", "/")).sort()) {
    const text = readFileSync(join(SRC, file), "utf8");
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) for (const item of node) visit(item);
      if (typeof node !== "object" || node === null || Array.isArray(node)) return;
      const { type, start, end, regex, callee } = node as Record<string, unknown>;
      const here = `${file}: ${text.slice(Number(start), Number(end))}`;
      if (type === "Literal" && typeof regex === "object" && regex !== null) {
        const { pattern, flags } = regex as { pattern: string; flags: string };
        literals.push({ source: pattern, flags, text: here });
        return;
      }
      if ((type === "NewExpression" || type === "CallExpression") && isRegExp(callee)) made.push(here);
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(text, { lang: "ts" }).body);
  }
  return { literals, made };
}

function isRegExp(callee: unknown): boolean {
  return typeof callee === "object" && callee !== null && "name" in callee && callee.name === "RegExp";
}

describe("the regular expressions of the program", () => {
  const { literals, made } = patternsOf();

  it("are literals, except for those that users type", () => {
    expect(made.sort()).toEqual(TYPED);
  });

  const unique = new Map(literals.map((pattern) => [`/${pattern.source}/${pattern.flags}`, pattern]));
  // One that repeats nothing and may leave out nothing takes no longer than it is long.
  const repeating = Array.from(unique.values()).filter(({ source }) => /[*+?{]/.test(source));
  const folders = new Map<string, Pattern[]>();
  for (const one of repeating) {
    const folder = one.text.split("/", 1)[0]!;
    folders.set(folder, [...(folders.get(folder) ?? []), one]);
  }

  it("are many", () => {
    expect(repeating.length).toBeGreaterThan(100);
  });

  it.each(Array.from(folders.keys()))(
    "take time in proportion to what they are matched against: %s",
    { timeout: 120_000 },
    async (folder) => {
      const slow: string[] = [];
      for (const pattern of folders.get(folder)!) {
        const { source, flags, text } = pattern;
        if (proven.has(hashOf(pattern)) || SHORT.includes(text)) continue;
        const { status } = await check(source, flags, { ...STEADY, timeout: 60_000 });
        if (status === "safe") proven.add(hashOf(pattern));
        else slow.push(`${text} is ${status}`);
      }
      expect(slow).toEqual([]);
    },
  );

  if (process.env.UPDATE === "1") {
    afterAll(() => {
      const known = repeating.map(hashOf).filter((hash) => proven.has(hash));
      const lines = [VERSION, ...known.sort()].join(" ").match(/.{1,109}(?: |$)/g)!;
      writeFileSync(PROVEN, `${lines.map((line) => line.trim()).join("\n")}\n`);
    });
  }

  it("are told from those that do not", async () => {
    for (const source of [String.raw`\s*$`, "^(a+)+$", String.raw`(\w+)\s*=\s*(\w+)\s*;`]) {
      expect((await check(source, "", STEADY)).status, source).toBe("vulnerable");
    }
  });
});
