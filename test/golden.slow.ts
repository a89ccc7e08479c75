import { describe } from "vitest";
import { ticks } from "./helpers/cli.ts";
import { testGoldens } from "./helpers/golden-reports.ts";

describe("what the program that is shipped prints for each recorded log", () => {
  testGoldens(ticks);
});
