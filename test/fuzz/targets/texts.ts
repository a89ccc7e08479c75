import fc from "fast-check";
import { COMMAND_LINES } from "../../helpers/command-lines.mjs";
import { forbiddenLines, HOSTILE, logged } from "../../hostile/hostile-texts.ts";
import { foreignMarkup, textOutsideCode } from "../../hostile/markdown.ts";
import { runReport, writeWork } from "../program.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly texts: readonly string[];
  /** Which of the command lines for people, by number. */
  readonly commands: readonly number[];
}

/** A word that no report of ours has, at both ends of each text of the log. */
const MARK = "Zqx";
const LINES = COMMAND_LINES.filter(
  ({ args, form }) => form === "markdown" || (form === "text" && args[0] !== "export"),
);

/** Terminals, pages and CI systems that read what a log's names and versions are. */
export const texts: Target<Input> = {
  name: "texts",
  about:
    "names and versions of any text: none outside of code in Markdown, none that a terminal or a CI obeys",
  arbitrary: fc.record({
    texts: fc.array(
      fc.oneof(
        fc.constantFrom(...HOSTILE),
        fc.constantFrom(
          "::error title=x::y",
          "##[group]",
          "<!-- x",
          "[a](b)",
          "| a |",
          "`` ` ``",
          "@team",
          "#1",
          "~~~",
          "&lt;",
          "\\`",
        ),
        fc.string({ maxLength: 20, unit: "binary" }),
        fc.string({
          maxLength: 12,
          unit: fc.constantFrom("`", "|", "\\", "<", ">", "[", "]", "*", "_", "~", " ", "\t", "!", "(", ")"),
        }),
      ),
      { minLength: 4, maxLength: 8 },
    ),
    commands: fc.uniqueArray(fc.nat(LINES.length - 1), { minLength: 1, maxLength: 3 }),
  }),
  async check(input) {
    const log = writeWork("texts.log", logOf(input));
    for (const number of input.commands) {
      const line = LINES[number]!;
      const { stdout, stderr } = await runReport(line, log);
      const text = stdout.toString("utf8");
      // What varies the letter before it, or joins it with the next one, may stay.
      const [forbidden] = forbiddenLines(
        (text + stderr).replace(/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u200c\u200d]/gu, ""),
      );
      if (forbidden !== undefined) broken("no line moves a cursor or hides", forbidden);
      const command = /^(?:::|##\[).*$/m.exec(text)?.[0];
      if (command !== undefined && !line.args.includes("github"))
        broken("no line is a command to a CI", command);
      if (line.form !== "markdown") continue;
      if (textOutsideCode(text).includes(MARK))
        broken("no text of a log is outside of code", line.args.join(" "));
      // Some pages have lists of their own.
      const [markup] = foreignMarkup(text).filter(
        (found) => !/^(?:bullet_list_|list_item_|code_block)/.test(found),
      );
      if (markup !== undefined) broken("no text of a log is markup", markup);
    }
  },
  file: (input) => ({ extension: "log", bytes: logOf(input) }),
};

function logOf({ texts: all }: Input): string {
  const [version = "", library = "", ...names] = all.map((text) => logged(`${MARK} ${text} ${MARK}`));
  const rows = names.flatMap((name, i) => [
    `code-creation,JS,10,${i},${hex(0x10000 + 0x1000 * i)},256,${name} /srv/${name}.js:3:1,${hex(0x99000 + i)},*`,
    `code-creation,RegExp,4,${i},${hex(0x80000 + 0x1000 * i)},256,${name}`,
    `code-deopt,${i},256,${hex(0x10000 + 0x1000 * i)},-1,3,${name},<${name}:1:1>,${name}`,
    `tick,${hex(0x10010 + 0x1000 * i)},${1000 * i},0,0x0,0,${hex(0x80010 + 0x1000 * i)}`,
    `tick,0x400100,${1000 * i + 500},0,0x0,4,${hex(0x10010 + 0x1000 * i)}`,
  ]);
  return [
    `v8-version,11,3,244,8,-${version},0`,
    `v8-platform,${version},${version}`,
    `shared-library,/opt/${library}.so,0x400000,0x500000,0`,
    "profiler,begin,1000",
    ...rows,
    "",
  ].join("\n");
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
