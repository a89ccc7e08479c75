import type { Profile, ThreadInfo } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { profileFromStacks } from "./stacks.ts";

/** A tick: its time in µs, and its stack as {@link profileFromStacks} has it. */
type TimedStack = readonly [time: number, stack: string];

/** A profile of ticks over time, the sampler being asked for one every 1,000 µs. */
export function profileOverTime(...ticks: readonly TimedStack[]): Profile {
  const stacks = ticks.map(([, stack]) => stack);
  const profile = profileFromStacks(...stacks);
  // The rows of samples are in the order in which their stacks came first.
  const rows = Array.from(new Set(stacks));
  const timeline = new TimelineBuilder();
  for (const [time, stack] of ticks) timeline.add(rows.indexOf(stack), time);
  const { info } = profile;
  return { ...profile, timeline, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
}

/** The same profile of another thread. */
export function onThread(profile: Profile, thread: Partial<ThreadInfo>): Profile {
  const threads = profile.info.threads.map((info) => ({ ...info, ...thread }));
  return { ...profile, info: { ...profile.info, threads } };
}
