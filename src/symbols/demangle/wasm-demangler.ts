import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Demangles one name; undefined for one that it does not know. */
export type Demangler = (name: string) => string | undefined;

/** What `index_bg.js` of the package exports. Its `index.js` imports the other file as bundlers do, not Node. */
interface Glue {
  __wbg_set_wasm(exports: object): void;
  demangle_any(name: string): string;
}

/** The part of the API that is used here; Node's types have it only for later versions. */
interface WebAssemblyApi {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
}

const PACKAGE = "gecko-profiler-demangle";

/** Past any name that a compiler made readable; some broken ones come out as a million brackets. */
const LONGEST = 2 ** 16;

let loading: Promise<Demangler | undefined> | undefined;

/**
 * The demangler of the Firefox Profiler. It knows C++ and Rust, and spells names as binutils does but for return
 * types, which it leaves out, and types of numbers in template arguments, which it writes before the number.
 * Undefined where it cannot be loaded, as without WebAssembly (`node --jitless`).
 */
export function loadWasmDemangler(): Promise<Demangler | undefined> {
  loading ??= load(); // Once: the package keeps the memory of the first instance in a variable of its own.
  return loading;
}

async function load(): Promise<Demangler | undefined> {
  try {
    const { resolve } = createRequire(import.meta.url);
    const glue: Glue = await import(pathToFileURL(resolve(`${PACKAGE}/index_bg.js`)).href);
    const bytes = await readFile(resolve(`${PACKAGE}/index_bg.wasm`));
    const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyApi };
    const { instance } = await WebAssembly.instantiate(bytes, { "./index_bg.js": glue });
    glue.__wbg_set_wasm(instance.exports);
    instance.exports.__wbindgen_start();
    return (name) => demangleOne(glue, name);
  } catch {
    return undefined; // Names are then shown as the linker has them.
  }
}

function demangleOne(glue: Glue, name: string): string | undefined {
  const plain = name.replace(/^_(?=_[ZR])/, ""); // As macOS has it.
  try {
    const readable = glue.demangle_any(plain);
    // Of a name that it does not know it still cuts the first underscore off.
    const isUnknown = readable === plain || readable === plain.slice(1);
    return isUnknown || readable.length > LONGEST ? undefined : readable;
  } catch {
    return undefined; // A name that no compiler made.
  }
}
