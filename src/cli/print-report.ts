import type { Report } from "../reports/report.js";
import { type ColorFlag, jsonLayout, styleOf, terminalWidth, textWidth, writeReport } from "./terminal.js";
import { limitedPage, type TokenLimitFlags } from "./token-limit.js";

/** The flags that say how a report is printed. */
interface PrintFlags extends TokenLimitFlags {
  /** Default: no colours. */
  color?: ColorFlag;
}

/** Prints a report in the format that is asked for. `width`: the width of lines with names in text. */
export async function printReport<Data>(
  report: Report<Data>,
  data: Data,
  flags: PrintFlags,
  width = textWidth(),
): Promise<void> {
  const { pageOf, reportLines } = await import("../reports/report.js");
  const style = await styleOf(flags.color ?? "never");
  const { format, limitTokens } = flags;
  const layout = { format, style, width, pageWidth: terminalWidth(), ...jsonLayout(flags) };
  const lines =
    limitTokens === undefined
      ? reportLines(report, data, layout)
      : await limitedPage(pageOf(report, data), limitTokens);
  await writeReport(lines, flags);
}
