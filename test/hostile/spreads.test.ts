import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** Calls that get a list as their arguments, and why it is short. Arguments are on the stack: 100,000 of them overflow it. */
const BOUNDED: Record<string, string> = {
  "cli/commands/export.ts: Math.max(...EXPORT_FORMATS.map)": "the forms of export",
  "cli/commands/serve/pages.ts: linkTo(...entries)": "one log or two",
  "cli/help.ts: Math.max(...rows.map)": "the table of commands, the forms of export",
  "cli/help.ts: Math.max(...options.map(({ flags }) => flags.length).filter)": "the options of a command",
  "cli/help.ts: Math.max(...FIRST_STEPS.map)": "two lines",
  'cli/usage/man-page.ts: lines.push(...paragraph(EXIT_STATUS.replace("Exit status: ", "")).slice)':
    "lines of our own help",
  "cli/usage/man-page.ts: lines.push(...examples.map)": "two examples",
  "cli/usage/man-page.ts: lines.push(...COMMON.flatMap)": "lines of our own help",
  "cli/usage/man-page.ts: lines.push(...paragraph)": "lines of our own help",
  "cli/usage/man-page.ts: lines.push(...item)": "lines of our own help",
  "facts/turn-finder.ts: Math.max(...this.#short.map)": "three numbers",
  "facts/near-names.ts: Math.min(...editDistance)": "PART_LIMITS.letters",
  "reports/diff.ts: section(...inTable.rows.length > 0 ? [diffTable(inTable, report)] : left)":
    "blocks of one section",
  "reports/redact.ts: Math.max(...strings.slice(0, 1000).map)": "a thousand",
  "flame-page/heading.ts: notes.push(...sourcesNote)": "sentences about the sources",
  "log/parser.ts: this.#again.unshift(...lines.slice)": "the lines of a torn row: LINE_LIMIT",
  "redact/check.ts: isSameColumn(...lengths)": "two numbers",
  "flame-page/controls.ts: list.replaceChildren(...shown.map)": "LIMIT",
  "flame-page/details.ts: element(...buttons)": "the buttons of a frame",
  "flame-page/details.ts: element(...fact)": "the lines of a fact",
  "flame-page/details.ts: element(...facts.amounts.flatMap)": "self, total and what else a frame has",
  'flame-page/heading.ts: byId("legend", HTMLUListElement).replaceChildren(...root === undefined ? [] : [item(`All ${unitNoun(unit)}`, [root], "")])':
    "one",
  'flame-page/heading.ts: byId("legend", HTMLUListElement).replaceChildren(...rest.length === 0 ? [] : [element("li", { className: "group", textContent: "Beside the frames:" })])':
    "one",
  'flame-page/heading.ts: byId("legend", HTMLUListElement).replaceChildren(...rest.map)': "categories",
  "flame-page/heading.ts: element(...swatches)": "two colours",
  "flame-page/overview.ts: this.#outer.replaceChildren(...(range === undefined ? [] : [undefined, ...outer]).map)":
    "ranges that the user went through",
  "flame-page/elements.ts: made.append(...children)": "what one call of element() is given",
  "flame-page/table.ts: element(...cells)": "the columns of a list",
  "flame-page/table.ts: this.#head.replaceChildren(...cells)": "the columns of a list",
  "flame-page/source-view.ts: element(...before)": "the cells of the older side",
  "flame-page/source-view.ts: this.#head.replaceChildren(...cells.map)": "the columns of a source",
  "flame-page/table.ts: this.#body.replaceChildren(...order.slice(0, ROW_LIMIT).map)": "ROW_LIMIT",
  'flame-page/heading.ts: byId("legend", HTMLUListElement).replaceChildren(...entries.map)':
    "colours of a legend",
  "replay/builtins.ts: Math.max(...CODE_RANGE_SIZES)": "a constant",
  "replay/resolver.ts: upper.codes.push(...chunk.codes.splice)": "half a chunk",
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  /** Of a spread: what is spread. */
  readonly argument?: Node;
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "assembly" ? [] : files(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

function spreadCalls(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const name = file.slice(SRC.length).replaceAll("\\", "/");
  const found: string[] = [];
  const waiting: unknown[] = [parseAst(text, { lang: "ts", sourceType: "module" })];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const node = next as Node;
    const source = ({ start, end }: Node) => text.slice(start, end).replaceAll(/\s+/g, " ");
    for (const { type, argument } of node.callee === undefined ? [] : node.arguments!) {
      if (type !== "SpreadElement") continue;
      // A call is known by what is called, not by what it is given.
      const spread = source(argument!.type === "CallExpression" ? argument!.callee! : argument!);
      found.push(`${name}: ${source(node.callee!)}(...${spread})`);
    }
    if (node.callee !== undefined && /\bapply$/.test(source(node.callee)) && node.arguments!.length === 2) {
      found.push(`${name}: ${source(node.callee)}`);
    }
    for (const part of Object.values(next)) if (typeof part === "object") waiting.push(part);
  }
  return found;
}

it("no call gets a list of a log as its arguments", () => {
  const found = files(SRC).flatMap(spreadCalls);
  expect(found.filter((call) => BOUNDED[call] === undefined)).toEqual([]);
  // What is gone is taken off the list.
  expect(Object.keys(BOUNDED).filter((call) => !found.includes(call))).toEqual([]);
});
