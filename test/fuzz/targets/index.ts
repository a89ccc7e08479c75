import type { Target } from "../target.ts";
import { binaries } from "./binaries.ts";
import { commands } from "./commands.ts";
import { elf } from "./elf.ts";
import { files } from "./files.ts";
import { gz } from "./gz.ts";
import { maps } from "./maps.ts";
import { memoryRuns } from "./memory-runs.ts";
import { neighbours } from "./neighbours.ts";
import { profileReports } from "./profile-reports.ts";
import { profiles } from "./profiles.ts";
import { redact } from "./redact.ts";
import { reports } from "./reports.ts";
import { rows } from "./rows.ts";
import { symbols } from "./symbols.ts";
import { texts } from "./texts.ts";

/** All that is fuzzed. */
export const TARGETS: readonly Target[] = [
  rows,
  neighbours,
  reports,
  redact,
  texts,
  files,
  maps,
  profiles,
  profileReports,
  memoryRuns,
  symbols,
  elf,
  binaries,
  gz,
  commands,
];
