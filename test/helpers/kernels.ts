/** Does something where no kernel can be had, as under `--jitless`. */
export async function withoutKernels<T>(action: () => T | Promise<T>): Promise<T> {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "WebAssembly")!;
  Object.defineProperty(globalThis, "WebAssembly", { ...descriptor, value: undefined });
  try {
    return await action();
  } finally {
    Object.defineProperty(globalThis, "WebAssembly", descriptor);
  }
}
