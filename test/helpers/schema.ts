import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { expect } from "vitest";

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  let validate = validators.get(name);
  if (validate === undefined) {
    const file = new URL(`../../src/reporters/${name}/${name}.schema.json`, import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8"));
    validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
    validators.set(name, validate);
  }
  return validate;
}

/** Fails unless a document is as the schema of its command says, `src/reporters/NAME/NAME.schema.json`, which ships. */
export function expectValid(name: string, document: unknown): void {
  const validate = validatorOf(name);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
}

/** Fails unless a document is a JSON report by the schema that ships. */
export function expectValidReport(document: unknown): void {
  expectValid("process", document);
}
