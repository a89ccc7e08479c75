import type { DeoptReport } from "./deopts.js";
import type { Report } from "./report.js";

/** The reports, by name. The code of each is loaded when it is used. */
export const REPORTS = {
  deopts: async (): Promise<Report<DeoptReport>> => {
    const { deoptsJson } = await import("../reporters/deopts/json.js");
    const { deoptsPage } = await import("./deopts.js");
    return { json: deoptsJson, page: deoptsPage };
  },
} as const;
