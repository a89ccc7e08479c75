import { printable } from "../../views/label.js";
import { type CheckReport, isFailure, metricText, resultSentence } from "./check-report.js";

/** Yields checked budgets as tests in JUnit's XML, which most CI systems read. */
export function* checkJunit(report: CheckReport): Iterable<string> {
  const { results } = report;
  const failures = results.filter((result) => isFailure(result, report)).length;
  const skipped = results.filter(
    (result) => result.verdict === "inconclusive" && !isFailure(result, report),
  ).length;
  yield `<?xml version="1.0" encoding="UTF-8"?>`;
  yield `<testsuites>`;
  yield `  <testsuite name="ticks check" tests="${results.length}" failures="${failures}" skipped="${skipped}">`;
  for (const result of results) {
    const name = `${result.budget.title}: ${metricText(result)}`;
    const open = `    <testcase classname="ticks" name="${escaped(name)}"`;
    const message = escaped(resultSentence(result, printable));
    if (isFailure(result, report)) {
      yield `${open}><failure message="${message}"/></testcase>`;
    } else if (result.verdict === "inconclusive") {
      yield `${open}><skipped message="${message}"/></testcase>`;
    } else {
      yield `${open}><system-out>${message}</system-out></testcase>`;
    }
  }
  yield `  </testsuite>`;
  yield `</testsuites>`;
}

function escaped(text: string): string {
  return printable(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
