import { writeLines } from "../../io/output.js";

/** Runs `ticks guide`. */
export async function runGuide(): Promise<void> {
  const { GUIDE } = await import("./guide/guide-text.js");
  await writeLines(process.stdout, GUIDE.trimEnd().split("\n"));
}
