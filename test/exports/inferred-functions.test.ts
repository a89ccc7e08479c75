import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { profileOverTime } from "../helpers/timed-stacks.ts";

const STACKS = [
  "js:~main·/app/main.js:1:1 inferred:~load·/app/load.js:3:1 builtin:ArrayMap",
  "js:~main·/app/main.js:1:1 js:~load·/app/load.js:3:1 builtin:ArrayMap",
  "js:~main·/app/main.js:1:1 inferred:~·/app/load.js:9:5 builtin:ArrayMap",
  "js:~main·/app/main.js:1:1 js:~·/app/load.js:9:5",
];

async function exported(name: string, stacks: readonly string[]): Promise<string> {
  let text = "";
  const profile = profileOverTime(...stacks.map((stack, i) => [i * 1000, stack] as const));
  for await (const chunk of EXPORTERS.find((one) => one.name === name)!.export(profile)) {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
  }
  return text.replace(/"profile":"\w+"/, ""); // A hash of the whole profile.
}

describe("an inferred function is the same function as one in the log", () => {
  it.each(["collapsed", "speedscope", "cpuprofile", "chrome-trace", "callgrind"])("for %s", async (name) => {
    const logged = STACKS.map((stack) => stack.replace("inferred:", "js:"));
    expect(await exported(name, STACKS)).toBe(await exported(name, logged));
  });

  it("for gecko, with a subcategory", async () => {
    const { meta, shared } = JSON.parse(await exported("gecko", STACKS));
    const { funcTable, frameTable, stringArray } = shared;
    const names: string[] = funcTable.name.map((name: number) => stringArray[name]);
    expect(names.filter((name) => /load|anonymous|≈/.test(name))).toEqual(["load", "<anonymous>"]);
    const kinds: string[] = frameTable.func.map((func: number, i: number) => {
      const { subcategories } = meta.categories[frameTable.category[i]];
      return `${names[func]} ${subcategories[frameTable.subcategory[i]]}`;
    });
    expect(kinds.filter((kind) => /load|anonymous/.test(kind)).sort()).toEqual([
      "<anonymous> Ignition",
      "<anonymous> Inferred",
      "load Ignition",
      "load Inferred",
    ]);
  });
});
