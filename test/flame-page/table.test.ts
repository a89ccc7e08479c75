import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { hotLines } from "../../src/facts/hot-lines.ts";
import { packageTicks as packagesOf } from "../../src/facts/package-ticks.ts";
import { programFunctions } from "../../src/facts/program-frames.ts";
import { packageTicks, programLines } from "../../src/flame-page/table-ticks.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
import { modelOf, shownOf } from "../helpers/flame.ts";

describe.each(FIXTURE_NAMES)("the tables of the page of %s", (name) => {
  it("have the numbers of packages of ticks top, and of lines of ticks lines", async () => {
    const profile = Analysis.of(await fixtureProfile(name, WHOLE));
    const model = modelOf(profile);
    const shown = shownOf(model);
    const packages = packageTicks(model, shown);
    const byName = new Map(
      packagesOf(profile).rows.map((row) => [row.origin?.name ?? "", [row.ticks, row.self, row.total]]),
    );
    for (const [id, title] of [...model.data.origins, ""].entries()) {
      const found = [packages.ticks[id]!, packages.self[id]!, packages.total[id]!];
      const isShown = found.some((ticks) => ticks > 0);
      // What no package ran has no code of its own.
      if (title === "") expect(found[0]).toBe(byName.get("")?.[0] ?? 0);
      else if (isShown) expect(found, title).toEqual(byName.get(title));
    }
    const { lines } = hotLines(profile, programFunctions(profile.table));
    const expected = lines.map(({ file, line, ticks, self, total }) =>
      [file, line, ticks, self, total].join(" "),
    );
    const own = programLines(model, shown);
    const found = Array.from(own.function, (id, i) => {
      const file = model.data.files[model.functions.file[id]!] ?? "";
      const { ticks, self, total } = own.ticks;
      return { text: [file, own.line[i]!, ticks[i]!, self[i]!, total[i]!].join(" "), ticks: ticks[i]! };
    });
    // Loops whose lines are unknown are rows of their own in the command.
    const known = found.filter(({ ticks, text }) => ticks > 0 && !/ 0 \d+ \d+ \d+$/.test(text));
    for (const { text } of known) expect(expected).toContain(text);
  });
});
