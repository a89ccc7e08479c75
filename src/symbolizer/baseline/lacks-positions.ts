import type { Code } from "../../recorder/recorded-frame.js";

/** Returns whether a frame is in baseline code without positions, of a function whose bytecode has some. */
export function lacksPositions({ code }: { readonly code: Code }): boolean {
  const { tier, source, function: logged } = code;
  return tier === "^" && source?.positions === "" && logged !== undefined && logged.bytecodePositions !== "";
}
