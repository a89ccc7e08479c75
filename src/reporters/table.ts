import CliTable from "cli-table3";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** A table without lines: titles, then rows, columns two spaces apart, no space at the ends of lines. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const grid = new CliTable({
    head: columns.map(({ title }) => title),
    colAligns: columns.map(({ align }) => align ?? "left"),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  for (const row of rows) grid.push([...row]);
  return grid
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}
