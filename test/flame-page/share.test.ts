import { describe, expect, it } from "vitest";
import { leftHeavyChart } from "../../src/flame-page/chart.ts";
import { lookOf } from "../../src/flame-page/colors.ts";
import { modelOf, shownOf } from "../helpers/flame.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { HOSTILE } from "../hostile/hostile-texts.ts";
import { foreignMarkup } from "../hostile/markdown.ts";

/** By its path alone: the types of a browser are not those of tests. */
const SHARE = "../../src/flame-page/share.ts";
const { inTable, markdownTable, svgOf } = (await import(SHARE)) as {
  inTable(text: string): string;
  markdownTable(rows: readonly (readonly string[])[]): string;
  svgOf(drawing: object): string;
};

describe("what is copied and saved of a page whose every name is hostile", () => {
  it.each(HOSTILE)("has no markup and no link in Markdown: %j", (name) => {
    const markdown = `**${inTable(name)}**, ${inTable(name)} › ${inTable(`${name} a.js:1`)}\n\n${markdownTable(
      [
        ["self", name],
        ["1.5 %", name],
        [name, `${name} a.js:1`],
      ],
    )}\n`;
    expect(foreignMarkup(markdown)).toEqual([]);
  });

  it("keeps names as they are read", () => {
    expect(inTable("parse a_b")).toBe("parse a\\_b");
    expect(inTable("get `x` a.js:1")).toBe("``get `x` a.js:1``");
    expect(inTable("a|b a.js:1")).toBe("`a\\|b a.js:1`");
  });

  const model = modelOf(profileFromStacks("js:a js:b"));
  const shown = shownOf(model);
  const svgWith = (name: string) =>
    svgOf({
      title: name,
      picture: {
        ...{
          chart: leftHeavyChart(shown.graph),
          overTime: undefined,
          all: 1,
          matches: undefined,
          isFlame: true,
        },
        labels: {
          ...{
            titles: model.functions.titles.map(() => name),
            places: [name, name],
            threads: [name],
            root: name,
          },
          isOwn: new Uint8Array(2),
        },
        look: lookOf(model, shown, "light", { colouring: "kind", measure: "time" } as never),
      },
      view: { start: 0, span: 1 },
      width: 10_000,
    });
  /** The marks of a drawing, without its texts. */
  const marksOf = (svg: string) => svg.match(/<[^>]*>/g)!.map((mark) => mark.replace(/ .*/s, ""));

  it.each(HOSTILE)("is text in a drawing: %j", (name) => {
    const svg = svgWith(name);
    const bare = svg.replace(/<\/?(?:svg|rect|text|title|g)(?: [\w-]+="[^"<>&]*")*\/?>/g, "");
    expect(bare).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
    // What XML 1.0 cannot say.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    expect(svg).not.toMatch(/[\0-\x08\x0b-\x1f]|\p{Cs}|[\ufffe\uffff]/u);
    expect(marksOf(svg)).toEqual(marksOf(svgWith("a plain name")));
  });
});
