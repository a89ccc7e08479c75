import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** The parts of WebAssembly that are used here. The types of Node 20 do not include it. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: KernelImports) => { readonly exports: unknown };
}

type KernelImports = Readonly<Record<string, Readonly<Record<string, (...values: number[]) => number>>>>;

/** A number that a kernel exports. */
export interface KernelNumber {
  value: number;
}

/** What every kernel exports. */
export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** The compiled modules by name, since one run may read many logs. */
const modules = new Map<string, object>();

function webAssembly(): WebAssembly | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssembly };
  return endianness() === "BE" ? undefined : WebAssembly;
}

/**
 * Starts a kernel of src/kernels/assembly with a memory of its own; `host` has the functions that it calls.
 * Returns undefined if kernels cannot run: without WebAssembly (`--jitless`), without room for the 10 GB of
 * addresses that V8 reserves for a memory (often under `ulimit -v`), or on a big-endian machine, whose
 * numbers have another byte order. Everything also works without kernels, at a fraction of the speed.
 */
export function loadKernel<Exports extends Kernel>(
  name: string,
  host: KernelImports[string] = {},
): Exports | undefined {
  const WebAssembly = webAssembly();
  if (WebAssembly === undefined) return undefined;
  try {
    let module = modules.get(name);
    if (module === undefined) {
      module = new WebAssembly.Module(
        readFileSync(new URL(`../../dist/kernels/${name}.wasm`, import.meta.url)),
      );
      modules.set(name, module);
    }
    return new WebAssembly.Instance(module, { [name]: host }).exports as Exports;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
