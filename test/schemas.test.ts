import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { REPORTS } from "../src/reports/reports.ts";
import { expectValid, schemaErrors, schemaNames, schemaOf } from "./helpers/schema.ts";

const TOP = new URL(
  "../fixtures/node-26-peeled/expected/top--format=json--pretty--limit=3.json",
  import.meta.url,
);

/** Returns the schemas of objects with known keys that are in a schema, itself among them. */
function objectsIn(schema: unknown): object[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema && "type" in schema ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(objectsIn)];
}

describe("the schemas that the build makes of types", () => {
  it("are those of all documents", () => {
    const others = ["budget", "check", "diff", "live", "record", "redact", "redact-check"];
    expect(schemaNames()).toEqual([...others, ...Object.keys(REPORTS)].sort());
  });

  for (const name of schemaNames()) {
    it(`${name}: is strict, titled, and allows no unknown key`, () => {
      const schema = schemaOf(name);
      new Ajv({ strict: true, allowUnionTypes: true, strictTypes: true }).compile(schema);
      expect(schema).toMatchObject({
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: `${name}.schema.json`,
        title: expect.stringMatching(/\bticks\b/),
        description: expect.stringMatching(/\.$/),
      });
      for (const object of objectsIn(schema)) expect(object).toMatchObject({ additionalProperties: false });
    });
  }

  it("refuse a document with a key too many, a key too few, or a number that cannot be", () => {
    const document = JSON.parse(readFileSync(TOP, "utf8"));
    const [hottest, ...others] = document.functions.bySelf;
    const withHottest = (row: unknown) => ({
      ...document,
      functions: { ...document.functions, bySelf: [row, ...others] },
    });
    const { self: _, ...withoutSelf } = hottest;
    expectValid("top", withHottest(hottest));
    for (const row of [
      { ...hottest, extra: 1 },
      withoutSelf,
      { ...hottest, line: 0.5 },
      { ...hottest, self: -1 },
    ])
      expect(schemaErrors("top", withHottest(row)), JSON.stringify(row)).not.toEqual([]);
  });
});
