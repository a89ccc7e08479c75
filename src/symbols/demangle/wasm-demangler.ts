import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Demangles one name; returns undefined if it cannot. */
type Demangler = (name: string) => string | undefined;

/**
 * What `index_bg.js` of the package exports. Its `index.js` imports WebAssembly in a way that only bundlers
 * support.
 */
interface Glue {
  __wbg_set_wasm(exports: object): void;
  demangle_any(name: string): string;
}

/** The part of the API used here, which only newer types of Node include. */
interface WebAssemblyApi {
  instantiate(
    bytes: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
}

const PACKAGE = "gecko-profiler-demangle";

/** Longer than any readable name of a compiler. Some broken names turn into a million brackets. */
const LONGEST = 2 ** 16;

let loading: Promise<Demangler | undefined> | undefined;

/**
 * Loads the demangler of the Firefox Profiler, for names of Rust and of Microsoft's compilers, and for those C++ names
 * that itanium.ts does not read: it spells these as binutils does, but without return types.
 * Resolves to undefined if it cannot be loaded, for example without WebAssembly (`node --jitless`).
 */
export function loadWasmDemangler(): Promise<Demangler | undefined> {
  loading ??= load(); // Only once: the package keeps the first instance's memory in a variable.
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
    return undefined; // Names are then shown mangled.
  }
}

function demangleOne(glue: Glue, name: string): string | undefined {
  const plain = name.replace(/^_(?=_[ZR])/, ""); // The extra underscore of macOS.
  try {
    const readable = glue.demangle_any(plain);
    // It cuts the first underscore even off names that it does not know.
    const isUnknown = readable === plain || readable === plain.slice(1);
    return isUnknown || readable.length > LONGEST ? undefined : readable;
  } catch {
    return undefined; // Not a name of any compiler.
  }
}
