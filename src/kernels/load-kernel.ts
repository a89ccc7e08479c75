import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** The parts of WebAssembly that are used here. The types of Node 20 do not include it. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly validate: (bytes: Uint8Array) => boolean;
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

/** A module of one function with SIMD: `i8x16.popcnt(i8x16.splat(0))`. */
const SIMD_MODULE = new Uint8Array([
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
]);

/** The compiled modules by file, since one run may read many logs. */
const modules = new Map<string, object>();

/** Returns whether this system has WebAssembly, and its byte order. */
export function mayLoadKernels(): boolean {
  return webAssembly() !== undefined;
}

function webAssembly(): WebAssembly | undefined {
  const { WebAssembly } = globalThis as { WebAssembly?: WebAssembly };
  return endianness() === "BE" ? undefined : WebAssembly;
}

/**
 * Starts a kernel of src/kernels/assembly with a memory of its own; `host` has the functions that it calls.
 * Returns undefined if kernels cannot run: without WebAssembly (`--jitless`), without room for the 10 GB of
 * addresses that V8 reserves for a memory (often under `ulimit -v`), or on a big-endian machine, whose
 * numbers have another byte order. Everything also works without kernels, at a fraction of the speed.
 * `hasSimd` says that there is also a kernel with SIMD, which old processors cannot run.
 */
export function loadKernel<Exports extends Kernel>(
  name: string,
  host: KernelImports[string] = {},
  { hasSimd = false } = {},
): Exports | undefined {
  const WebAssembly = webAssembly();
  if (WebAssembly === undefined) return undefined;
  try {
    const file = hasSimd && WebAssembly.validate(SIMD_MODULE) ? `${name}-simd` : name;
    let module = modules.get(file);
    if (module === undefined) {
      module = new WebAssembly.Module(
        readFileSync(new URL(`../../dist/kernels/${file}.wasm`, import.meta.url)),
      );
      modules.set(file, module);
    }
    return new WebAssembly.Instance(module, { [name]: host }).exports as Exports;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
