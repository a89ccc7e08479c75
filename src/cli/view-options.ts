import type { Command } from "commander";
import { addFilterOptions, type FilterFlags } from "./filter-options.js";
import type { LoadFlags } from "./log-input.js";
import {
  addSymbolOptions,
  colorOption,
  sourceMapsOption,
  sourceRootOption,
  threadOption,
} from "./options.js";
import type { SourceRootFlags } from "./source-roots.js";
import type { ColorFlag } from "./terminal.js";

/** The options of every command that looks inside a profile. */
export interface ViewFlags extends LoadFlags, FilterFlags, SourceRootFlags {
  color: ColorFlag;
  sourceMaps: boolean;
}

/** Adds the options that these commands share, after those of their own. */
export function addViewOptions(command: Command): void {
  command
    .addOption(colorOption())
    .addOption(threadOption())
    .addOption(sourceMapsOption())
    .addOption(sourceRootOption());
  addFilterOptions(command);
  addSymbolOptions(command);
}
