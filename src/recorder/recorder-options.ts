import { PackedTimelineBuilder } from "../profile/packed-timeline.js";
import { TimelineBuilder } from "../profile/timeline.js";
import type { MappedCode } from "../symbols/process-map.js";
import type { RecorderVisitor } from "./recorder-visitor.js";
import type { TickRangeOptions } from "./tick-range.js";

/** Whether to keep each tick with its time; `packed` in less than half of the memory, to be read from first to last. */
export type TimelineForm = boolean | "packed";

/** Whether a profile has deoptimizations; `events` leaves out what they cost. */
export type DeoptsForm = boolean | "events";

/** Whether to keep inline caches; `if-logged` not if the log has no rows of them, where ticks alone tell of them. */
export type IcsForm = boolean | "if-logged";

/** The options of the recorder. */
export interface RecorderOptions {
  /** What the process had mapped at its end: names ticks outside of the log's libraries. Default: unknown. */
  readonly mapped?: readonly MappedCode[] | undefined;
  /** Which ticks count. */
  readonly range: TickRangeOptions;
  /** Whether to keep each tick with its time, and how: see {@link TimelineForm}. Default: false. */
  readonly timeline?: TimelineForm | undefined;
  /**
   * Whether the frames of functions are offsets in their code. Default: false, each function is one frame.
   */
  readonly inlines?: boolean | undefined;
  /** Whether to keep what it takes to infer callers that the sampler skipped. Default: false. */
  readonly inferred?: boolean | undefined;
  /** Whether to keep all functions of the log, to know which is which. Default: false. Only with `inlines`. */
  readonly identities?: boolean | undefined;
  /** Whether to keep deoptimizations and their costs; `events` without costs. Default: false. */
  readonly deopts?: DeoptsForm | undefined;
  /** Whether to keep what the log says about the start of the program. Default: false. */
  readonly startup?: boolean | undefined;
  /** Whether to keep inline caches; `if-logged` only if the log has rows of them. Default: false. Only with `inlines`. */
  readonly ics?: IcsForm | undefined;
  /**
   * Whether the recording is taken piece by piece, as a log grows: then all ticks and stacks of a piece can be forgotten, which those
   * in the memory of a kernel cannot. Default: false.
   */
  readonly inPieces?: boolean | undefined;
  /** Takes all records in place of the call tree, which stays empty. Default: none. */
  readonly visitor?: RecorderVisitor | undefined;
}

/** Returns a builder of the form that is asked for; undefined for none. */
export function timelineBuilder(
  form: TimelineForm | undefined,
): TimelineBuilder | PackedTimelineBuilder | undefined {
  if (!form) return undefined;
  return form === "packed" ? new PackedTimelineBuilder() : new TimelineBuilder();
}
