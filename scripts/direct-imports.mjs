// A plugin of the build: how the parts of the program take what they need from each other.
import { parseAst } from "rolldown/parseAst";

/**
 * Makes each part of the program take what it needs of another part once, when it loads it. The bundler exports by getters, since
 * a module could change what it exports, and V8 would call them at each use: most of the program runs before V8 has compiled it.
 * Parts that change what they export, or that need each other, are errors.
 */
export function directImports() {
  return {
    name: "direct-imports",
    renderChunk(text, { exports: names }) {
      const { code, exports, fault } = withDirectImports(text);
      if (fault !== undefined) this.error(fault);
      if (exports.length !== names.length) this.error(`exports in an unknown form: ${names.join(", ")}`);
      return { code };
    },
    generateBundle(_, bundle) {
      const circle = circleIn(bundle);
      if (circle !== undefined) this.error(`parts need each other: ${circle.join(", ")}`);
    },
  };
}

/**
 * Returns the code of a part that exports values and takes imports once, the names that it exports, and why this would change
 * what it does, if it would.
 */
export function withDirectImports(code) {
  const { body } = parseAst(code);
  const edits = [];
  const exports = body.flatMap((statement) => exportIn(statement) ?? []);
  for (const { name, statement, value, isGetter } of exports) {
    if (!isGetter) continue;
    edits.push({ start: statement.start, end: value.start, text: `exports.${name} = ` });
    edits.push({ start: value.end, end: statement.end, text: ";" });
  }
  const imports = new Map(body.flatMap((statement) => importIn(statement) ?? []));
  const variables = new Set(body.flatMap(variablesIn));
  const exported = new Set(exports.flatMap(({ value }) => (variables.has(value.name) ? value.name : [])));
  let fault;
  for (const node of nodesIn(body)) {
    if (isImported(node, imports)) {
      const { object, property } = node;
      imports.get(object.name).taken.add(property.name);
      edits.push({ start: node.start, end: node.end, text: localName(object.name, property.name) });
    }
    for (const target of targetsOf(node)) {
      if (exported.has(target.name)) fault = `${target.name} is exported and changes`;
      if (isImported(target, imports)) fault = `${target.property.name} is imported and changes`;
    }
  }
  for (const [name, { end, taken }] of imports) {
    if (taken.size === 0) continue;
    const list = Array.from(taken, (one) => `${one}: ${localName(name, one)}`).sort();
    edits.push({ start: end, end, text: `\nconst { ${list.join(", ")} } = ${name};` });
  }
  return {
    code: edited(code, edits),
    exports: exports.map(({ name }) => name),
    fault,
  };
}

/** Returns the variable of an import: `core$name` for `require_core.name`, which the bundler gives to nothing else. */
const localName = (part, name) => `${part.replace(/^require_/, "")}$${name}`;

/**
 * Reads `exports.name = value;`, or `Object.defineProperty(exports, "name", { enumerable: true, get: function() { return value; } });`.
 */
function exportIn(statement) {
  const { left, right, callee, arguments: given = [] } = statement.expression ?? {};
  if (left?.object?.name === "exports") {
    return { name: left.property.name, statement, value: right, isGetter: false };
  }
  const [target, name, { properties = [] } = {}] = given;
  if (callee?.property?.name !== "defineProperty" || target.name !== "exports") return undefined;
  const [result] = properties.find(({ key }) => key.name === "get")?.value.body.body ?? [];
  if (result?.type !== "ReturnStatement") return undefined;
  return { name: name.value, statement, value: result.argument, isGetter: true };
}

/** Reads `const part = require("./file");`. */
function importIn(statement) {
  const { id, init } = statement.declarations?.[0] ?? {};
  const [path] = init?.callee?.name === "require" ? init.arguments : [];
  if (!path?.value.startsWith("./") || id.type !== "Identifier") return undefined;
  return [[id.name, { end: statement.end, taken: new Set() }]];
}

/** Returns the names that a statement declares and others can change. */
function variablesIn({ type, kind, declarations }) {
  return type === "VariableDeclaration" && kind !== "const"
    ? declarations.flatMap(({ id }) => targetsIn(id)).map(({ name }) => name)
    : [];
}

function isImported({ type, computed, object }, imports) {
  return type === "MemberExpression" && !computed && imports.has(object.name);
}

/** Returns the names and properties that a node assigns to. */
function targetsOf({ type, left, argument }) {
  switch (type) {
    case "AssignmentExpression":
    case "ForInStatement":
    case "ForOfStatement":
      return targetsIn(left);
    case "UpdateExpression":
      return [argument];
    default:
      return [];
  }
}

function targetsIn(pattern) {
  switch (pattern?.type) {
    case "Identifier":
    case "MemberExpression":
      return [pattern];
    case "AssignmentPattern":
      return targetsIn(pattern.left);
    case "RestElement":
      return targetsIn(pattern.argument);
    case "ArrayPattern":
      return pattern.elements.flatMap(targetsIn);
    case "ObjectPattern":
      return pattern.properties.flatMap(({ value, argument }) => targetsIn(value ?? argument));
    default:
      return [];
  }
}

/** Yields nodes and all that are in them. */
function* nodesIn(nodes) {
  const open = [...nodes];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    for (const value of Object.values(node).flat()) if (typeof value?.type === "string") open.push(value);
  }
}

/** Returns the code with parts of it replaced, which do not overlap. */
function edited(code, edits) {
  let [result, at] = ["", 0];
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text;
    at = end;
  }
  return result + code.slice(at);
}

/** Returns parts of a bundle of which each needs the next and the last one the first; undefined if there are none. */
export function circleIn(bundle) {
  const done = new Set();
  const path = [];
  const visit = (file) => {
    if (path.includes(file)) return path.slice(path.indexOf(file));
    if (done.has(file)) return undefined;
    path.push(file);
    for (const next of bundle[file]?.imports ?? []) {
      const circle = visit(next);
      if (circle !== undefined) return circle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of Object.keys(bundle)) {
    const circle = visit(file);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
