import { readdirSync, readFileSync } from "node:fs";

const REPORTERS = new URL("../src/reporters/", import.meta.url);
const COMMON = "../layout/common.schema.json#/definitions/";

/** Returns the names of the reports that have a schema. */
export function schemaNames() {
  return readdirSync(REPORTERS)
    .filter((name) => readdirSync(new URL(`${name}/`, REPORTERS)).includes(`${name}.schema.json`))
    .sort();
}

/** Returns the schema of a report as one document: the common definitions that it uses are in it. */
export function bundledSchema(name) {
  const common = read("layout/common.schema.json").definitions;
  const schema = read(`${name}/${name}.schema.json`);
  const used = {};
  const bundle = (value) => {
    if (Array.isArray(value)) return value.map(bundle);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, key === "$ref" ? localRef(part) : bundle(part)]),
    );
  };
  const localRef = (ref) => {
    const definition = ref.replace(COMMON, "").replace("#/definitions/", "");
    if (definition in common && !(definition in (schema.definitions ?? {})) && !(definition in used)) {
      used[definition] = undefined;
      used[definition] = bundle(common[definition]);
    }
    return `#/definitions/${definition}`;
  };
  const whole = bundle(schema);
  return { ...whole, definitions: { ...whole.definitions, ...used } };
}

function read(path) {
  return JSON.parse(readFileSync(new URL(path, REPORTERS), "utf8"));
}
