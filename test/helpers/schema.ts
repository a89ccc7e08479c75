import { Ajv, type ValidateFunction } from "ajv";
import { expect } from "vitest";
import { bundledSchema } from "../../scripts/schemas.mjs";

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string): ValidateFunction {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(bundledSchema(name));
    validators.set(name, validate);
  }
  return validate;
}

/** Fails unless a document is as the schema of its command says: `NAME.schema.json` of the package. */
export function expectValid(name: string, document: unknown): void {
  const validate = validatorOf(name);
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
}

/** Fails unless a document is a JSON report by the schema that ships. */
export function expectValidReport(document: unknown): void {
  expectValid("process", document);
}
