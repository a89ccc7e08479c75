import { dirname } from "node:path";
import ts from "typescript";

const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
};

/**
 * Returns what an entry exports, and the types that the declarations of an entry use and that nobody can import from it:
 * `CallTree (call-tree.d.ts), used by stackOf`. Types of other folders, such as those of Node, do not count.
 * Throws if a declaration does not compile.
 */
export function missingTypes(entry) {
  const program = ts.createProgram([entry], OPTIONS);
  const faults = ts.getPreEmitDiagnostics(program);
  if (faults.length > 0) throw new Error(ts.formatDiagnostics(faults, HOST));
  const checker = program.getTypeChecker();
  const folder = `${dirname(program.getSourceFile(entry).fileName)}/`;
  const exported = new Map(
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))
      .map((symbol) => [original(symbol), symbol.name]),
  );
  const missing = new Map();

  /** Notes each type of ours that a declaration names. What is private is nobody's business. */
  const visit = (node, user) => {
    if (ts.canHaveModifiers(node) && ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) return;
    const name = nameIn(node);
    if (name !== undefined) note(name, user);
    ts.forEachChild(node, (child) => visit(child, user));
  };
  const note = (name, user) => {
    const symbol = checker.getSymbolAtLocation(name);
    if (symbol === undefined || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    const declared = original(symbol);
    const file = declared.declarations?.[0]?.getSourceFile().fileName ?? "";
    if (!file.startsWith(folder) || exported.has(declared)) return;
    // `typeof LANES` needs no name: its type is written out there.
    if (declared.flags & ts.SymbolFlags.Variable) return visit(declared.valueDeclaration, user);
    missing.set(declared, `${declared.name} (${file.slice(folder.length)}), used by ${user}`);
  };
  function original(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  for (const [symbol, name] of exported) for (const node of symbol.declarations) visit(node, name);
  return { exported: Array.from(exported.values()).sort(), missing: Array.from(missing.values()).sort() };
}

/** The name of a type or, after `typeof`, of a value. */
function nameIn(node) {
  if (ts.isTypeReferenceNode(node)) return last(node.typeName);
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  if (ts.isTypeQueryNode(node)) return last(node.exprName);
  if (ts.isImportTypeNode(node)) return node.qualifier && last(node.qualifier);
  return undefined;
}

function last(name) {
  return ts.isQualifiedName(name) ? name.right : name;
}

const HOST = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ".",
  getNewLine: () => "\n",
};
