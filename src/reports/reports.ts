import type { DeoptReport } from "./deopts.js";
import type { IcReport } from "./ics.js";
import type { Report } from "./report.js";

/** The reports, by name. The code of each is loaded when it is used. */
export const REPORTS = {
  deopts: async (): Promise<Report<DeoptReport>> => {
    const { deoptsJson } = await import("../reporters/deopts/json.js");
    const { deoptsPage } = await import("./deopts.js");
    return { json: deoptsJson, page: deoptsPage };
  },
  ics: async (): Promise<Report<IcReport>> => {
    const { icsJson } = await import("../reporters/ics/json.js");
    const { icsPage } = await import("./ics.js");
    return { json: icsJson, page: icsPage };
  },
} as const;
