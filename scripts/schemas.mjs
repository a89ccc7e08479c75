import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SyntaxKind } from "typescript/unstable/ast";
import { API, SymbolFlags, TypeFlags } from "typescript/unstable/sync";

const BUILD = fileURLToPath(new URL("../build", import.meta.url));
const TSCONFIG = fileURLToPath(new URL("schemas.tsconfig.json", import.meta.url));

/** Matches the name of the schema in the docstring of the type of a document, and the name of the type. */
const DOCUMENT = /@id (\S+\.schema\.json)\n[\s\S]*?\*\/\nexport interface (\w+)/g;

/** What tags are in a schema, where it is not their name. */
const TAGS = { id: "$id", asType: "type" };
const NULL = { type: "null" };
const SIMPLE = new Map([
  [SyntaxKind.StringKeyword, { type: "string" }],
  [SyntaxKind.NumberKeyword, { type: "number" }],
  [SyntaxKind.BooleanKeyword, { type: "boolean" }],
  [SyntaxKind.UnknownKeyword, {}],
]);

/**
 * Returns the JSON schemas of the documents that ticks writes and reads, by file name. They are made of the declarations that
 * the compiler wrote: docstrings become descriptions, tags such as `@minimum 0` become limits, exported types become
 * definitions.
 */
export function schemas() {
  const api = new API();
  try {
    const [project] = api.updateSnapshot({ openProjects: [TSCONFIG] }).getProjects();
    const paths = readdirSync(BUILD, { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?:reports|record)\b.*\.d\.ts$/.test(path))
      .map((path) => join(BUILD, path));
    return new Map(
      paths.flatMap((path) =>
        Array.from(readFileSync(path, "utf8").matchAll(DOCUMENT), ([, name, type]) => {
          const { statements } = project.program.getSourceFile(path);
          const document = statements.find((statement) => statement.name?.text === type);
          return [name, schemaOfDocument(project, document)];
        }),
      ),
    );
  } finally {
    api.close();
  }
}

function schemaOfDocument({ checker }, document) {
  const definitions = {};
  const { $id, title, description, ...schema } = {
    ...schemaOf(document),
    ...docsOf(symbolAt(document.name)),
  };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id,
    title,
    description,
    ...schema,
    definitions,
  };

  /** The schema of a type, `given` the nodes of the type parameters around it, by the id of their symbols. */
  function schemaOf(node, given = new Map()) {
    const simple = SIMPLE.get(node.kind);
    if (simple !== undefined) return simple;
    switch (node.kind) {
      case SyntaxKind.ParenthesizedType:
      case SyntaxKind.TypeOperator:
        return schemaOf(node.type, given);
      case SyntaxKind.ArrayType:
        return { type: "array", items: schemaOf(node.elementType, given) };
      case SyntaxKind.LiteralType:
        return schemaOfLiterals(checker.getTypeFromTypeNode(node));
      case SyntaxKind.UnionType:
        return schemaOfUnion(node.types.filter(isThere).map((type) => schemaOf(type, given)));
      case SyntaxKind.TypeReference:
        return schemaOfReference(node, given);
      case SyntaxKind.IndexedAccessType: {
        const { value } = checker.getTypeFromTypeNode(node.indexType);
        const member = typeof value === "string" && membersOf(node.objectType, given).get(value);
        if (member) return schemaOf(member.type, member.given);
        const list = checker.getTypeFromTypeNode(node.objectType);
        // In the order of the list: a union has one of its own.
        if (list.isTypeReference() && list.getTarget().isTupleType())
          return schemaOfValues(checker.getTypeArguments(list).flatMap(literalsOf));
        return schemaOfLiterals(checker.getTypeFromTypeNode(node));
      }
      case SyntaxKind.InterfaceDeclaration:
      case SyntaxKind.IntersectionType:
      case SyntaxKind.MappedType:
      case SyntaxKind.TypeLiteral:
        return schemaOfObject(node, given);
      default:
        return schemaOfLiterals(checker.getTypeFromTypeNode(node));
    }
  }

  function schemaOfReference(node, given) {
    const symbol = symbolAt(node.typeName);
    const parameter = given.get(symbol.id);
    if (parameter !== undefined) return schemaOf(parameter);
    const declaration = symbol.declarations[0].resolve();
    // Of the language: an object made of another, or some of several literals.
    if (declaration.getSourceFile().fileName.includes("/node_modules/")) {
      const type = checker.getTypeFromTypeNode(node);
      return type.isUnionType() || type.isLiteralType()
        ? schemaOfLiterals(type)
        : schemaOfObject(node, given);
    }
    const target = declaration.kind === SyntaxKind.TypeAliasDeclaration ? declaration.type : declaration;
    const inner = givenBy(node, declaration, given);
    const isExported = declaration.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword);
    if (!isExported || inner.size > 0) return schemaOf(target, inner);
    const { name } = symbol;
    if (!(name in definitions)) {
      definitions[name] = undefined; // It keeps its place, and a type may be in itself.
      const docs = docsOf(symbol);
      // What is written as another type is described by its docstring alone.
      definitions[name] = docs.type === undefined ? { ...schemaOf(target), ...docs } : docs;
    }
    return { $ref: `#/definitions/${name}` };
  }

  function schemaOfObject(node, given) {
    const values = valuesOfAnyKey(node);
    if (values !== undefined) return { type: "object", additionalProperties: schemaOf(values, given) };
    const properties = {};
    const required = [];
    for (const [name, { isOptional, type, given: inner, symbol }] of membersOf(node, given)) {
      properties[name] = { ...schemaOf(type, inner), ...(symbol && docsOf(symbol)) };
      if (!isOptional) required.push(name);
    }
    return {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  /** The type of the values of a record that may have any key. */
  function valuesOfAnyKey({ typeName, typeArguments }) {
    if (typeName?.text === "Readonly") return valuesOfAnyKey(typeArguments[0]);
    const isAny = typeName?.text === "Record" && typeArguments[0].kind === SyntaxKind.StringKeyword;
    return isAny ? typeArguments[1] : undefined;
  }

  /** The members of an object type by name, those of its bases first: their types, and what is given to these. */
  function membersOf(node, given) {
    switch (node.kind) {
      case SyntaxKind.IntersectionType:
        return new Map(node.types.flatMap((type) => [...membersOf(type, given)]));
      case SyntaxKind.InterfaceDeclaration: {
        const bases = node.heritageClauses?.flatMap(({ types }) => [...types]) ?? [];
        return new Map([...bases.flatMap((base) => [...membersOf(base, given)]), ...ownMembers(node, given)]);
      }
      case SyntaxKind.TypeLiteral:
        return new Map(ownMembers(node, given));
      case SyntaxKind.ParenthesizedType:
        return membersOf(node.type, given);
      case SyntaxKind.UnionType:
        return new Map(); // Where a schema needs a key of a union, it has literals: the checker knows them.
      case SyntaxKind.MappedType: {
        const names = namesIn(checker.getTypeFromTypeNode(node.typeParameter.constraint));
        const member = { isOptional: node.questionToken !== undefined, type: node.type, given };
        return new Map(names.map((name) => [name, member]));
      }
    }
    const symbol = symbolAt(node.typeName ?? node.expression);
    const [first, second] = node.typeArguments ?? [];
    switch (symbol.name) {
      case "Readonly":
        return membersOf(first, given);
      case "Partial":
        return new Map([...membersOf(first, given)].map(([name, of]) => [name, { ...of, isOptional: true }]));
      case "Record":
        return new Map(
          namesIn(checker.getTypeFromTypeNode(first)).map((name) => [name, { type: second, given }]),
        );
      case "Omit":
      case "Pick": {
        const names = new Set(namesIn(checker.getTypeFromTypeNode(second)));
        return new Map(
          [...membersOf(first, given)].filter(([name]) => names.has(name) === (symbol.name === "Pick")),
        );
      }
    }
    const declaration = symbol.declarations[0].resolve();
    const target = declaration.kind === SyntaxKind.TypeAliasDeclaration ? declaration.type : declaration;
    return membersOf(target, givenBy(node, declaration, given));
  }

  function ownMembers({ members }, given) {
    return members.map(({ name, postfixToken, type }) => {
      const symbol = symbolAt(name);
      // JSON has no undefined: such a key is left out.
      const isOptional = postfixToken !== undefined || type?.types?.every(isThere) === false;
      return [symbol.name, { isOptional, type, given, symbol }];
    });
  }

  /** The arguments of a reference by the type parameters of what it refers to. */
  function givenBy({ typeArguments }, { typeParameters = [] }, given) {
    return new Map(
      typeParameters.map((parameter, i) => {
        const argument = typeArguments?.[i] ?? parameter.defaultType;
        const symbol = argument.typeName && symbolAt(argument.typeName);
        return [symbolAt(parameter.name).id, (symbol && given.get(symbol.id)) ?? argument];
      }),
    );
  }

  /** The symbol that a name stands for, where it is declared. */
  function symbolAt(name) {
    const symbol = checker.getSymbolAtLocation(name);
    return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function docsOf(symbol) {
    const text = checker.getDocumentationCommentOfSymbol(symbol);
    // A schema has no links.
    const description = text.replaceAll(/\{\s*@link\s+(\w+)\s*\}/g, "$1").replaceAll("\n", " ");
    const tags = checker
      .getJsDocTagsOfSymbol(symbol)
      .map(({ name, text }) => [TAGS[name] ?? name, valueOfTag(text)]);
    return { ...(description !== "" && { description }), ...Object.fromEntries(tags) };
  }
}

/** The schema of a literal or of several of one type. */
function schemaOfLiterals(type) {
  const values = literalsOf(type);
  if (values.includes(null)) return NULL;
  return schemaOfValues(values);
}

function schemaOfValues(values) {
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  const type = types.length === 1 ? types[0] : types;
  return values.length === 1 ? { type, const: values[0] } : { type, enum: values };
}

function isThere({ kind }) {
  return kind !== SyntaxKind.UndefinedKeyword;
}

/** The schema of one of several: literals in one list, simple types in one list, and `anyOf` for all others. */
function schemaOfUnion(parts) {
  if (parts.length === 1) return parts[0];
  const values = parts.map((part) => ("const" in part ? [part.const] : part === NULL ? [null] : part.enum));
  if (values.every((list) => list !== undefined)) return schemaOfValues(values.flat());
  if (parts.every((part) => Object.keys(part).join() === "type"))
    return { type: parts.map(({ type }) => type) };
  return { anyOf: parts };
}

function literalsOf(type) {
  if (type.isUnionType()) return type.getTypes().flatMap(literalsOf);
  if (type.isLiteralType()) return [type.value];
  if (type.flags & TypeFlags.Null) return [null];
  throw new Error("a document has a type that schemas.mjs does not know");
}

function namesIn(type) {
  return literalsOf(type).map(String);
}

/** What follows a tag: JSON, or a text. */
function valueOfTag(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
