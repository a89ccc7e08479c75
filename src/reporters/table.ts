import { padEnd, padStart, widthOf } from "./width.js";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** A table without lines: titles, then rows, columns two spaces apart, no space at the ends of lines. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, i) =>
    all.reduce((most, cells) => Math.max(most, widthOf(cells[i] ?? "")), 1),
  );
  return all.map((cells) => {
    const line = columns.map(({ align }, i) => {
      return (align === "right" ? padStart : padEnd)(cells[i] ?? "", widths[i]!);
    });
    return line.join(GAP).trimEnd();
  });
}
