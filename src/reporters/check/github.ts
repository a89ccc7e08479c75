import { printable } from "../../views/label.js";
import { type CheckReport, checkSummary, isFailure, resultSentence } from "./check-report.js";

/**
 * Yields annotations for GitHub Actions: one for each budget that does not hold, with its file and line, and a
 * summary.
 *
 * Source: GitHub Docs, "Workflow commands for GitHub Actions", "Setting an error message".
 */
export function* checkGithub(report: CheckReport): Iterable<string> {
  for (const result of report.results) {
    if (result.verdict === "holds") continue;
    const level = isFailure(result, report) ? "error" : "warning";
    const title = result.verdict === "broken" ? "Budget broken" : "Budget inconclusive";
    const place = result.file === undefined ? [] : [`file=${property(pathOf(result.file, report.folder))}`];
    const line = result.line === undefined || place.length === 0 ? [] : [`line=${result.line}`];
    const properties = [...place, ...line, `title=${property(title)}`].join(",");
    yield `::${level} ${properties}::${data(resultSentence(result, printable))}`;
  }
  yield `::notice::${data(checkSummary(report))}`;
}

/** Returns a script as GitHub names the files of a repository: relative to its folder. */
function pathOf(file: string, folder: string): string {
  const path = file.replace(/^file:\/\/(?=\/)/, "");
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function data(text: string): string {
  return printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
