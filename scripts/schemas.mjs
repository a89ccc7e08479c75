import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGenerator } from "ts-json-schema-generator";

const BUILD = fileURLToPath(new URL("../build", import.meta.url));

/** Matches the docstring and the name of the type of a document: its tag `@id` makes it one. */
const DOCUMENT = /@id (\S+\.schema\.json)\n[\s\S]*?\*\/\nexport interface (\w+)/g;

/**
 * Returns the JSON schemas of the documents that ticks writes and reads, by file name. They are made of the declarations that
 * the compiler wrote: docstrings become descriptions, tags such as `@minimum 0` become limits.
 */
export function schemas() {
  const types = readdirSync(BUILD, { recursive: true, encoding: "utf8" })
    .filter((path) => /^(?:reports|record)\b.*\.d\.ts$/.test(path))
    .flatMap((path) => Array.from(readFileSync(join(BUILD, path), "utf8").matchAll(DOCUMENT)));
  const generator = createGenerator({
    tsconfig: fileURLToPath(new URL("schemas.tsconfig.json", import.meta.url)),
    skipTypeCheck: true, // The compiler has done that.
    topRef: false,
    sortProps: false,
  });
  return new Map(types.map(([, name, type]) => [name, withoutLinks(inOrder(generator.createSchema(type)))]));
}

/** Puts first what a reader looks for first. */
function inOrder({ $schema, $id, title, description, ...rest }) {
  return { $schema, $id, title, description, ...rest };
}

/** Names what docstrings link to: a schema has no links. */
function withoutLinks(schema) {
  return JSON.parse(JSON.stringify(schema).replaceAll(/\{\s*@link\s+(\w+)\s*\}/g, "$1"));
}
