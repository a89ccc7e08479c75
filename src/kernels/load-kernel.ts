import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** As much of WebAssembly as is used here: the types of Node 20 do not have it. */
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

/** The compiled modules, by name: a program may read many logs. */
const modules = new Map<string, object>();

/**
 * Starts a kernel of src/kernels/assembly, with a memory of its own; `host` has the functions that it calls. Undefined where
 * there can be none: under `--jitless` there is no WebAssembly, and under `ulimit -v` often no room for the 10 GB of
 * addresses that V8 reserves for a memory; on a big-endian machine numbers stand in that memory the other way round. All that kernels do is done without them too, at a fraction of the speed.
 */
export function loadKernel<Exports extends Kernel>(
  name: string,
  host: KernelImports[string] = {},
): Exports | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssembly };
  if (WebAssembly === undefined || endianness() === "BE") return undefined;
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
