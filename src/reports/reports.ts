import type { Profile } from "../profile/profile.js";
import type { CheckReport } from "./check.js";
import type { DeoptReport } from "./deopts.js";
import type { DiffReport } from "./diff.js";
import type { FunctionReport } from "./function.js";
import type { IcReport } from "./ics.js";
import type { LinesReport } from "./lines.js";
import type { ProcessReport } from "./process.js";
import type { RedactCheckReport, RedactReport } from "./redact.js";
import type { Report } from "./report.js";
import type { StartupReport } from "./startup.js";
import type { ThreadReport } from "./threads.js";
import type { TimelineReport } from "./timeline.js";
import type { TopReport } from "./top.js";
import type { TreeReport } from "./tree.js";

/** The reports, by name. The code of each is loaded when it is used. */
export const REPORTS = {
  check: async (): Promise<Report<CheckReport>> => {
    const { checkJson } = await import("./check.js");
    const { checkPage } = await import("./check.js");
    return { json: checkJson, page: checkPage };
  },
  deopts: async (): Promise<Report<DeoptReport>> => {
    const { deoptsJson } = await import("./deopts.js");
    const { deoptsPage } = await import("./deopts.js");
    return { json: deoptsJson, page: deoptsPage };
  },
  diff: async (): Promise<Report<DiffReport>> => {
    const { jsonDiff } = await import("./diff.js");
    const { diffPage } = await import("./diff.js");
    return { json: jsonDiff, page: diffPage };
  },
  ics: async (): Promise<Report<IcReport>> => {
    const { icsJson } = await import("./ics.js");
    const { icsPage } = await import("./ics.js");
    return { json: icsJson, page: icsPage };
  },
  lines: async (): Promise<Report<LinesReport>> => {
    const { linesJson } = await import("./lines.js");
    const { linesPage } = await import("./lines.js");
    return { json: linesJson, page: linesPage };
  },
  tree: async (): Promise<Report<TreeReport>> => {
    const { treeJson } = await import("./tree.js");
    const { treePage } = await import("./tree.js");
    return { json: treeJson, page: treePage };
  },
  function: async (): Promise<Report<FunctionReport>> => {
    const { functionJson } = await import("./function.js");
    const { functionPage } = await import("./function.js");
    return { json: functionJson, page: functionPage };
  },
  top: async (): Promise<Report<TopReport>> => {
    const { topJson } = await import("./top.js");
    const { topPage } = await import("./top.js");
    return { json: topJson, page: topPage };
  },
  doctor: async (): Promise<Report<Profile>> => {
    const { doctorJson } = await import("./doctor.js");
    const { doctorPage } = await import("./doctor.js");
    return { json: doctorJson, page: doctorPage };
  },
  process: async (): Promise<Report<ProcessReport>> => {
    const { processJson } = await import("./process.js");
    const { processPage } = await import("./process.js");
    const { processText } = await import("./process-text.js");
    return { json: processJson, page: processPage, text: processText };
  },
  redact: async (): Promise<Report<RedactReport>> => {
    const { redactJson } = await import("./redact.js");
    const { redactPage } = await import("./redact.js");
    return { json: redactJson, page: redactPage };
  },
  redactCheck: async (): Promise<Report<RedactCheckReport>> => {
    const { redactCheckJson } = await import("./redact.js");
    const { redactCheckPage } = await import("./redact.js");
    return { json: redactCheckJson, page: redactCheckPage };
  },
  startup: async (): Promise<Report<StartupReport>> => {
    const { startupJson } = await import("./startup.js");
    const { startupPage } = await import("./startup.js");
    return { json: startupJson, page: startupPage };
  },
  threads: async (): Promise<Report<ThreadReport>> => {
    const { threadsJson } = await import("./threads.js");
    const { threadsPage } = await import("./threads.js");
    return { json: threadsJson, page: threadsPage };
  },
  timeline: async (): Promise<Report<TimelineReport>> => {
    const { timelineJson } = await import("./timeline.js");
    const { timelinePage } = await import("./timeline.js");
    return { json: timelineJson, page: timelinePage };
  },
} as const;
