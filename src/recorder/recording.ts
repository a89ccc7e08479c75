import type { CallTree } from "../profile/call-tree.js";
import type { LogPlatform } from "../profile/library-problem.js";
import type { RangeRows, ThreadKind } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Sampling } from "../profile/sampling.js";
import type { Timeline } from "../profile/timeline.js";
import type { Ticks } from "../profile/units.js";
import type { V8Version } from "../profile/v8-version.js";
import type { BuiltinPlaces } from "./builtin-places.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { DeoptCosts } from "./deopt-costs.js";
import type { IcRows } from "./ic-rows.js";
import type { LibraryMap } from "./library-map.js";
import type { LoggedFunction } from "./logged-functions.js";
import type { RecordedFrame } from "./recorded-frame.js";
import type { Scripts } from "./scripts.js";
import type { RecordedStartup } from "./startup-recorder.js";

/** The contents of one log, before native addresses have names. */
export interface Recording {
  readonly frames: readonly RecordedFrame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  readonly timeline: Timeline | undefined;
  /** Only if requested. */
  readonly deopts: DeoptCosts | undefined;
  /** Only if requested. */
  readonly startup: RecordedStartup | undefined;
  /** Only if requested. */
  readonly ics: IcRows | undefined;
  readonly libraries: LibraryMap;
  readonly builtins: EmbeddedBuiltins;
  /** Undefined without the option `inferred`. */
  readonly builtinPlaces?: BuiltinPlaces | undefined;
  /** Empty without the option `inlines`. */
  readonly scripts: Scripts;
  /** All functions of the log; none without the option `identities`. */
  readonly functions: Iterable<LoggedFunction>;
  /** The functions that V8 compiled, also if no tick was in them; none without the option `inlines`. */
  readonly compiledFunctions: ReadonlySet<LoggedFunction>;
  readonly v8: V8Version | undefined;
  /** Whether it is from a V8 too old to state its version: up to 3.28. */
  readonly isUnversioned: boolean;
  /** The system that the log was recorded on. */
  readonly platform: LogPlatform;
  readonly threadKind: ThreadKind | undefined;
  readonly sampling: Sampling;
  readonly rangeRows: RangeRows;
  readonly ticks: Ticks;
  readonly excluded: Ticks;
  readonly ticksByState: readonly Ticks[];
}
