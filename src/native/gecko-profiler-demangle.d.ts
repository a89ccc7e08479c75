/** The part of the package between JavaScript and its WebAssembly, which it has no types for. */
declare module "gecko-profiler-demangle/index_bg.js" {
  /** Gives it the instance that it calls. */
  export function __wbg_set_wasm(exports: object): void;
  /** Returns the readable form of a name, or the name if it knows none. Throws for some names that are none. */
  export function demangle_any(name: string): string;
}
