import { describe, expect, it } from "vitest";
import * as t from "../../src/base/text.ts";
import { printable } from "../../src/facts/label.ts";
import { codeSpan, markdownLines } from "../../src/render/markdown.ts";
import { type Block, note, number, ticksColumn } from "../../src/render/page.ts";
import { spoken, type Unit } from "../../src/render/spoken.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";

const LOG: Unit = {};
const COUNTS: Unit = { input: "pprof" };
/** Of samples that take 1.2 ms each. */
const TIMES: Unit = { input: "cpuprofile", tickTime: 1200 };
const UNITS = [LOG, COUNTS, TIMES];

const said = (text: t.Text) => UNITS.map((unit) => spoken(text, printable, unit));

describe("a text", () => {
  it("says ticks of logs, samples of profiles, and their time if it is known", () => {
    expect(said(t.text`${t.inTicks(1)}, ${t.inTicks(1.5)}`)).toEqual([
      "1 tick, 1.5 ticks",
      "1 sample, 1.5 samples",
      "1.20 ms, 1.80 ms",
    ]);
    expect(said(t.text`${t.amount(3)} of ${t.inTicks(10)}`)).toEqual([
      "3 of 10 ticks",
      "3 of 10 samples",
      "3.60 of 12.0 ms",
    ]);
    expect(said(t.text`(${t.measured(5)} more)`)).toEqual(["(5 more)", "(5 more)", "(6.00 ms more)"]);
  });

  it("counts samples where no time stands for them", () => {
    expect(said(t.text`${t.inSamples(1)} of ${t.inSamples(200)}`)).toEqual([
      "1 tick of 200 ticks",
      "1 sample of 200 samples",
      "1 sample of 200 samples",
    ]);
  });

  it("has the words of what it is about", () => {
    expect(said(t.text`this ${t.LOG} has ${t.TICKS}; Where the ${t.WEIGHT} went`)).toEqual([
      "this log has ticks; Where the ticks went",
      "this profile has samples; Where the samples went",
      "this profile has samples; Where the time went",
    ]);
    expect(said(t.text`add ${t.INTERVAL_OPTION}`)[2]).toBe("add --cpu-prof-interval");
  });

  it("changes no name that looks like a word of ours", () => {
    const text = t.text`${t.inTicks(2)} in ${t.named("the log of 2 ticks")} ${t.placed("ticks.js", 3, 4)}`;
    expect(said(text)[2]).toBe("2.40 ms in the log of 2 ticks ticks.js:3:4");
  });

  it("has names escaped for where they go", () => {
    const text = t.text`in ${t.named("a`b\n")}, ${t.code(t.text`*${t.amount(2)}`)}`;
    expect(spoken(text, printable, LOG)).toBe("in a`b\\n, *2");
    expect(spoken(text, codeSpan, TIMES)).toBe("in ``a`b\\n``, `*2.40`");
  });

  it("has shares and times in one form", () => {
    expect(said(t.text`${t.share(1, 3)} ${t.share(1, 0)} ${t.inPercent(12)} ${t.duration(1500)}`)[0]).toBe(
      "33.3% - 12.0% 1.50 ms",
    );
  });

  it("has three digits in the length of a time, and fewer beside a longer one", () => {
    const lengths = [0, -1e-12, 42, 1240, 9996, 54_321, 999_400, 999_600, 12_345_678];
    expect(lengths.map((micros) => said(t.duration(micros))[0])).toEqual([
      ...["0 ms", "0 ms", "0.0420 ms", "1.24 ms", "10.0 ms", "54.3 ms", "999 ms", "1.00 s", "12.3 s"],
    ]);
    expect(said(t.text`${t.bare(t.duration(5470, 71_900))} of ${t.duration(71_900)}`)[0]).toBe(
      "5.5 of 71.9 ms",
    );
    expect(said(t.milliseconds(1_604_000))[0]).toBe("1604 ms");
    expect(said(t.moment(400))[0]).toBe("0.0 s");
  });

  it("is empty without a part that is shown", () => {
    expect(t.isEmpty(t.text`${""}${[]}`)).toBe(true);
    expect(t.isEmpty(t.text`${t.named("")}`)).toBe(false);
  });
});

describe("a page of texts", () => {
  const page: Block[] = [
    note(t.text`${t.inTicks(5)} in ${t.named("f|g")}`),
    {
      kind: "table",
      columns: [
        ticksColumn(),
        number("share"),
        { title: "none", isIfAny: true },
        { title: t.text`${t.TICK} in` },
      ],
      rows: [
        {
          cells: [t.text`${t.amount(5)}`, t.text`${t.share(1, 2)}`, t.text`${""}`, t.text`${t.named("f|g")}`],
          below: [{ words: t.text`at ${t.placed("a.js", 1)}: `, beside: t.text`${t.inTicks(1)}` }],
        },
      ],
      rest: t.text`… ${t.inTicks(7)} in 2 more`,
    },
  ];

  it("is in its words as text", () => {
    expect(Array.from(textLines(page, { style: PLAIN, width: 80, unit: TIMES }))).toEqual([
      "6.00 ms in f|g",
      "  ms  share  sample in",
      "6.00  50.0%  f|g",
      "       at a.js:1: 1.20 ms",
      "… 8.40 ms in 2 more",
    ]);
  });

  it("is in its words as Markdown", () => {
    expect(Array.from(markdownLines(page, { unit: COUNTS }))).toEqual([
      "5 samples in `f|g`.",
      "",
      "| samples | share | sample in |",
      "| ---: | ---: | --- |",
      "| 5 | 50.0% | `f\\|g`<br>at `a.js:1`: 1 sample |",
      "",
      "… 7 samples in 2 more.",
    ]);
  });
});
