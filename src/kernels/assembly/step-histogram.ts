import {
  FIRST_BUCKET_BITS,
  STEP_BUCKETS,
  STEPS_COLUMNS,
  STEPS_COUNT,
  STEPS_TIME,
  STEPS_WORKING,
} from "../layout";

// The offsets of the columns.
const COUNT: usize = (STEPS_COUNT * STEP_BUCKETS) << 3;
const TIME: usize = (STEPS_TIME * STEP_BUCKETS) << 3;
const WORKING: usize = (STEPS_WORKING * STEP_BUCKETS) << 3;

/** The histogram of all steps so far, laid out as layout.ts says. */
export const steps: usize = memory.data((STEP_BUCKETS << 3) * STEPS_COLUMNS, 16);

/** Counts a step from tick to tick. `isWorking` says that both ticks have frames. */
export function addStep(step: f64, unit: f64, isWorking: bool): void {
  const bits = <i32>((reinterpret<i64>(step / unit) - 1) >> 48);
  const bucket = min(STEP_BUCKETS - 1, max(0, bits - FIRST_BUCKET_BITS));
  const at = steps + ((<usize>bucket) << 3);
  store<f64>(at, load<f64>(at, COUNT) + 1, COUNT);
  store<f64>(at, load<f64>(at, TIME) + step, TIME);
  if (isWorking) store<f64>(at, load<f64>(at, WORKING) + 1, WORKING);
}
