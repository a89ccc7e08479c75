/** Returns the commands below `[Next]` of a page, as words. */
export function nextOf(page: string): string[][] {
  const lines = page.split("\n");
  const at = lines.indexOf(" [Next]:");
  const section = at < 0 ? [] : lines.slice(at + 1);
  const end = section.findIndex((line) => !line.startsWith("  "));
  return (end < 0 ? section : section.slice(0, end))
    .filter((line) => line.startsWith("  ticks "))
    .map((line) =>
      Array.from(line.trim().matchAll(/'([^']*)'|(\S+)/g), ([, quoted, plain]) => quoted ?? plain!).slice(1),
    );
}
