const DOLLAR = 0x24;
const DOT = 0x2e;

/** Patterns of the names, by processor (`e_machine`). Only the first four bytes of a name are tested. */
const PATTERNS = new Map([
  [40, /^\$[a-z](\.|$)/], // ARM
  [183, /^\$[dfmpx](\.|$)/], // AArch64
  [243, /^($|\$[dx]|\.\.|\.L)/], // RISC-V
]);

/**
 * Returns a test, by the offset of a name in `strings`, for the symbols with which the assemblers of some
 * processors mark the start of code and data: `$x`, `$d.1`. They lie in code but are not functions, and nm
 * omits them. Returns undefined for processors without such symbols.
 *
 * Source: binutils, `bfd_is_target_special_symbol` in bfd/cpu-arm.c, bfd/cpu-aarch64.c, bfd/elfnn-riscv.c.
 */
export function mappingSymbolTest(
  machine: number,
  strings: Buffer,
): ((nameOffset: number) => boolean) | undefined {
  const pattern = PATTERNS.get(machine);
  if (pattern === undefined) return undefined;
  return (nameOffset) => {
    const first = strings[nameOffset];
    if (first !== DOLLAR && first !== DOT && first !== 0) return false;
    const head = strings.toString("latin1", nameOffset, nameOffset + 4);
    return pattern.test(head.split("\0", 1)[0]!);
  };
}
