import { readdirSync, readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { expect } from "vitest";

const SCHEMAS = new URL("../../dist/schemas/", import.meta.url);

const validators = new Map<string, ValidateFunction>();

/** Returns the names of the schemas that the build made: `redact-check` and so on. */
export function schemaNames(): string[] {
  return readdirSync(SCHEMAS)
    .map((file) => file.replace(/\.schema\.json$/, ""))
    .sort();
}

/** Returns the schema of this name that the build made. */
export function schemaOf(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`${name}.schema.json`, SCHEMAS), "utf8"));
}

function validatorOf(name: string): ValidateFunction {
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schemaOf(name));
    validators.set(name, validate);
  }
  return validate;
}

/** Returns what a document has that the schema of its command does not allow. */
export function schemaErrors(name: string, document: unknown): readonly unknown[] {
  const validate = validatorOf(name);
  validate(document);
  return validate.errors ?? [];
}

/** Fails unless a document is as the schema of its command says: `NAME.schema.json` of the package. */
export function expectValid(name: string, document: unknown): void {
  expect(schemaErrors(name, document)).toEqual([]);
}

/** Fails unless a document is a JSON report by the schema that ships. */
export function expectValidReport(document: unknown): void {
  expectValid("process", document);
}
