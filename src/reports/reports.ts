/** The reports, by name. The code of each is loaded when it is used. */
export const REPORTS = {
  check: async () => (await import("./check.js")).CHECK,
  deopts: async () => (await import("./deopts.js")).DEOPTS,
  diff: async () => (await import("./diff.js")).DIFF,
  doctor: async () => (await import("./doctor.js")).DOCTOR,
  function: async () => (await import("./function.js")).FUNCTION,
  ics: async () => (await import("./ics.js")).ICS,
  lines: async () => (await import("./lines.js")).LINES,
  process: async () => (await import("./process.js")).PROCESS,
  redact: async () => (await import("./redact.js")).REDACT,
  redactCheck: async () => (await import("./redact.js")).REDACT_CHECK,
  startup: async () => (await import("./startup.js")).STARTUP,
  threads: async () => (await import("./threads.js")).THREADS,
  timeline: async () => (await import("./timeline.js")).TIMELINE,
  top: async () => (await import("./top.js")).TOP,
  tree: async () => (await import("./tree.js")).TREE,
} as const;
