/** Builtins that real programs spend their time in, the hottest first. */
const HOT_BUILTINS =
  "KeyedLoadIC_Megamorphic LoadIC_Megamorphic KeyedStoreIC_Megamorphic StringAdd_CheckNone LoadIC RegExpPrototypeTestFast GrowFastSmiOrObjectElements KeyedLoadIC StoreIC ArrayMap ArrayForEach ArrayReduce FastNewClosure StringPrototypeReplace CallFunction_ReceiverIsAny MapPrototypeGet ArrayPrototypePush AsyncFunctionAwaitResolveClosure PromiseFulfillReactionJob RunMicrotasks".split(
    " ",
  );
const BUILTIN_HEADS = "Array String Promise RegExp TypedArray Map Temporal Wasm Iterator Date".split(" ");
const BUILTIN_TAILS =
  "Constructor LoopEagerDeoptContinuation FromAsync Slice IndexOfSmiOrObject GetHour".split(" ");
const BYTECODES =
  "LdaNamedProperty StaGlobal CallProperty1 CreateClosure JumpIfToBooleanFalse ForInNext".split(" ");
const VERBS = "parse visit emit resolve read write merge compile render walk schedule validate".split(" ");
const NOUNS = "Node Token Rule Schema Stream Header Request Module Scope Chunk Template Row".split(" ");
const FOLDERS =
  "/app/src /app/node_modules/parser/lib /app/node_modules/validate/dist /app/node_modules/router".split(" ");

/** Name of a builtin; no two indices share one. */
export function builtinName(index) {
  if (index < HOT_BUILTINS.length) return String(HOT_BUILTINS[index]);
  const [head, tail] = [
    pick(BUILTIN_HEADS, index),
    pick(BUILTIN_TAILS, Math.floor(index / BUILTIN_HEADS.length)),
  ];
  return `${head}Prototype${tail}_${index}`;
}

/** Name of a bytecode handler; no two indices share one. */
export function bytecodeHandlerName(index) {
  return `${pick(BYTECODES, index)}${Math.floor(index / 18)}${pick(["", ".Wide", ".ExtraWide"], Math.floor(index / 6))}`;
}

/** Name of a JavaScript function; one in sixteen is anonymous. */
export function functionName(index) {
  if (index % 16 === 15) return "";
  return `${pick(VERBS, index)}${pick(NOUNS, Math.floor(index / VERBS.length))}${index > 143 ? index : ""}`;
}

/** Address of a script as V8 logs it: one of Node's own, a CommonJS path or a file URL. */
export function scriptName(index) {
  const noun = pick(NOUNS, index).toLowerCase();
  if (index % 4 === 0) return `node:internal/${noun}s/${pick(VERBS, index)}${index}`;
  return `${index % 4 === 1 ? "file://" : ""}${pick(FOLDERS, index)}/${noun}${index}.js`;
}

/** The source of a script as a script-source row holds it: newlines and commas are escaped. */
export function scriptSource(random, length) {
  const lines = [];
  for (let size = 0; size < length; ) {
    const [verb, noun] = [pick(VERBS, random.below(1000)), pick(NOUNS, random.below(1000))];
    const line = `  const ${noun.toLowerCase()} = this.${verb}${noun}(options\\x2C ${random.below(9999)});\\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join("").slice(0, length);
}

function pick(list, index) {
  return String(list[index % list.length]);
}
