import { readdirSync, readFileSync } from "node:fs";

const SRC = new URL("../src/", import.meta.url);
const COMMON = "../layout/common.schema.json#/definitions/";

const SUFFIX = ".schema.json";

/** The path of each schema under src, by its name: `redact-check` is `reporters/redact/redact-check.schema.json`. */
const PATHS = new Map(
  ["reporters/", "record/"]
    .flatMap((folder) =>
      readdirSync(new URL(folder, SRC), { recursive: true, encoding: "utf8" }).map((path) => folder + path),
    )
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(SUFFIX) && !path.startsWith("reporters/layout/"))
    .map((path) => [path.slice(path.lastIndexOf("/") + 1, -SUFFIX.length), path]),
);

/** Returns the names of all schemas, sorted. */
export function schemaNames() {
  return Array.from(PATHS.keys()).sort();
}

/** Returns the schema of this name as one document, with the common definitions that it uses. */
export function bundledSchema(name) {
  const common = read("reporters/layout/common.schema.json").definitions;
  const schema = read(PATHS.get(name));
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
  return JSON.parse(readFileSync(new URL(path, SRC), "utf8"));
}
