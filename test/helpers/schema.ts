import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect } from "vitest";

const schema = JSON.parse(
  readFileSync(new URL("../../src/reporters/report.schema.json", import.meta.url), "utf8"),
);
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** Fails unless a document is a JSON report by the schema that ships. */
export function expectValidReport(document: unknown): void {
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
}
