#!/usr/bin/env node
/**
 * Says in which function, and at which line, each tick of a log of Node 16 or later was, the slow way: code is not kept
 * sorted, nothing is remembered, and no code of the program is used. Of each tick only the leaf is looked at; what is not
 * code of a JavaScript function is left out.
 *
 *     node test/oracle/leaf-functions.mjs LOG        prints ticks, function, line (0: unknown)
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** What a log's text says: `Map` of `function name\tline` to ticks. */
export function leafFunctions(text) {
  let codes = [];
  const functions = new Map();
  const sources = new Map();
  const ticks = [];
  for (const line of text.split("\n")) {
    const fields = line.split(",");
    if (fields[0] === "code-creation") {
      const start = parseInt(fields[4], 16);
      const end = start + parseInt(fields[5], 10);
      codes = codes.filter((code) => code.end <= start || code.start >= end);
      const isFunction = /^(JS|LazyCompile|Function|Script|Eval)$/.test(fields[1]) && fields.length > 8;
      const code = {
        start,
        end,
        name: undefined,
        tier: "",
        script: -1,
        from: -1,
        table: [],
        calls: [],
        inlined: [],
      };
      if (isFunction) {
        code.name = unescaped(fields.slice(6, -2).join(","));
        code.tier = fields.at(-1);
        code.sfi = fields.at(-2);
        functions.set(code.sfi, { name: code.name });
      }
      codes.push(code);
    } else if (fields[0] === "code-move") {
      const from = parseInt(fields[1], 16);
      const to = parseInt(fields[2], 16);
      const code = codes.find(({ start }) => start === from);
      if (code === undefined) continue;
      codes = codes.filter((other) => other !== code);
      const end = to + code.end - code.start;
      codes = codes.filter((other) => other.end <= to || other.start >= end);
      codes.push(Object.assign(code, { start: to, end }));
    } else if (fields[0] === "sfi-move") {
      const moved = functions.get(fields[1]);
      functions.delete(fields[1]);
      functions.delete(fields[2]);
      if (moved !== undefined) functions.set(fields[2], moved);
    } else if (fields[0] === "code-source-info") {
      const address = parseInt(fields[1], 16);
      const code = codes.find(({ start }) => start === address);
      if (code?.name === undefined) continue;
      code.script = Number(fields[2]);
      code.from = Number(fields[3]);
      code.table = entries(fields[5], "C");
      code.calls = entries(fields[6], "F");
      code.inlined = fields[7]
        .split("S")
        .slice(1)
        .map((sfi) => functions.get(sfi));
      if (functions.has(code.sfi)) functions.get(code.sfi).script = code.script;
    } else if (fields[0] === "script-source") {
      sources.set(Number(fields[1]), unescaped(fields.slice(3).join(",")));
    } else if (fields[0] === "tick" && fields[3] === "0") {
      const pc = parseInt(fields[1], 16);
      const code = codes.find(({ start, end }) => pc >= start && pc < end);
      // The row that explains the code may come after the tick.
      if (code?.name !== undefined) ticks.push({ code, offset: pc - code.start });
    }
  }
  const counts = new Map();
  for (const { code, offset } of ticks) {
    const { name, line } = running(code, offset, sources);
    const key = `${name}\t${line}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The function that runs at an offset of code, and the line there. */
function running(code, offset, sources) {
  let found = { source: code.from, inlining: undefined };
  for (const entry of code.table) if (entry.at <= offset) found = entry;
  if (found.inlining === undefined) {
    return {
      name: code.name,
      line: code.table.length === 0 ? 0 : lineOf(sources.get(code.script), found.source),
    };
  }
  const call = code.calls[found.inlining].at;
  // Without a number, the function is inlined into itself.
  const inlined = Number.isNaN(call) ? code : code.inlined[call];
  if (inlined === undefined) return { name: "<unknown function>", line: 0 };
  return { name: inlined.name, line: lineOf(sources.get(inlined.script), found.source) };
}

function lineOf(source, offset) {
  return source === undefined ? 0 : source.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/).length;
}

/** `C4O10I0C8O12` with the mark `C`: [{ at: 4, source: 10, inlining: 0 }, { at: 8, source: 12 }]. */
function entries(text, mark) {
  return text
    .split(mark)
    .slice(1)
    .map((entry) => {
      const [position, inlining] = entry.split("I");
      const [at, source] = position.split("O");
      return {
        at: Number.parseInt(at, 10),
        source: Number(source),
        inlining: inlining === undefined ? undefined : Number(inlining),
      };
    });
}

function unescaped(text) {
  return text.replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gi, (_, byte, unit, character) =>
    character === undefined
      ? String.fromCharCode(parseInt(byte ?? unit, 16))
      : character === "n"
        ? "\n"
        : character,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bytes = readFileSync(process.argv[2]);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  for (const [key, ticks] of Array.from(leafFunctions(text)).sort((a, b) => b[1] - a[1]))
    console.log(`${ticks}\t${key}`);
}
