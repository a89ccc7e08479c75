import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  moveTicks,
  PackedTimeline,
  PackedTimelineBuilder,
  soundTicksOf,
  TimelineJoiner,
  ticksOf,
} from "../../src/profile/moved-ticks.ts";
import { type TickColumns, type Timeline, TimelineBuilder } from "../../src/profile/timeline.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";

type Tick = readonly [sample: number, time: number];

const TIME = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.maxSafeNat(),
  fc.double(),
  fc.constantFrom(-1, 2 ** 28, 2 ** 53, 2 ** 63, 0.1),
);
const TICKS = fc.array(fc.tuple(fc.oneof(fc.nat(5), fc.nat(2 ** 31 - 3)), TIME), { maxLength: 60 });
/** Ticks of few samples. */
const FEW = fc.array(fc.tuple(fc.nat(9), TIME), { maxLength: 60 });

function built<Builder extends { add(sample: number, time: number): void; finish(): Timeline }>(
  builder: Builder,
  ticks: readonly Tick[],
): Timeline {
  for (const [sample, time] of ticks) builder.add(sample, time);
  return builder.finish();
}

function both(ticks: readonly Tick[]): { packed: Timeline; plain: Timeline } {
  return { packed: built(new PackedTimelineBuilder(), ticks), plain: built(new TimelineBuilder(), ticks) };
}

function listOf(batches: Iterable<TickColumns>): Tick[] {
  return Array.from(batches).flatMap(({ length, sample, timestamp }) =>
    Array.from({ length }, (_, i): Tick => [sample[i]!, timestamp[i]! + 0]),
  );
}

/** The ticks of a timeline, one batch after the other: batches are reused. */
function ticksIn(batches: Iterable<TickColumns>): Tick[] {
  const ticks: Tick[] = [];
  for (const batch of batches) ticks.push(...listOf([batch]));
  return ticks;
}

function columns({ length, sample, timestamp }: Timeline): Tick[] {
  return listOf([{ length, sample, timestamp }]);
}

describe("PackedTimeline", () => {
  it("has the ticks that were added, whatever their times", () => {
    fc.assert(
      fc.property(TICKS, (ticks) => {
        const { packed, plain } = both(ticks);
        expect(packed).toBeInstanceOf(PackedTimeline);
        expect(packed.length).toBe(ticks.length);
        expect(ticksIn(ticksOf(packed))).toEqual(columns(plain));
        expect(columns(packed)).toEqual(columns(plain));
        expect(ticksIn(soundTicksOf(packed))).toEqual(ticksIn(soundTicksOf(plain)));
      }),
    );
  });

  it("moves and renumbers ticks as columns do", () => {
    const rows = fc.array(fc.integer({ min: -1, max: 9 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(FEW, rows, rows, (ticks, first, second) => {
        const { packed, plain } = both(ticks);
        const [some, all] = [Int32Array.from(first), Int32Array.from(second, (row) => Math.abs(row))];
        const moved = (timeline: Timeline) => {
          const once = moveTicks(timeline, some);
          return moveTicks(moveTicks(once, all), Int32Array.from(second));
        };
        const [left, right] = [moved(packed), moved(plain)];
        expect(left.length).toBe(right.length);
        expect(ticksIn(ticksOf(left))).toEqual(columns(right));
      }),
    );
  });

  it("is joined to others, packed or not", () => {
    fc.assert(
      fc.property(FEW, FEW, FEW, (a, b, c) => {
        for (const isPacked of [true, false]) {
          const joiner = new TimelineJoiner();
          joiner.add(both(a).packed);
          joiner.add(isPacked ? both(b).packed : both(b).plain);
          joiner.add(both(c).packed);
          expect(joiner.timeline instanceof PackedTimeline).toBe(isPacked);
          expect(columns(joiner.timeline!)).toEqual(columns(both([...a, ...b, ...c]).plain));
        }
      }),
    );
  });

  it("spaces ticks without times evenly, those left out too", () => {
    const builder = new PackedTimelineBuilder();
    for (const sample of [0, 1, 0, 2]) builder.add(sample, 0);
    builder.space(50, 100);
    const moved = moveTicks(builder.finish(), Int32Array.of(0, -1, 1));
    expect(columns(moved)).toEqual([
      [0, 50],
      [0, 250],
      [1, 350],
    ]);
  });

  it("keeps many ticks over the ends of its pieces", () => {
    const ticks = Array.from({ length: 60_000 }, (_, i): Tick => [(i * 7919) % 50_000, i * 1000 + (i % 97)]);
    const { packed, plain } = both(ticks);
    expect(ticksIn(ticksOf(packed))).toEqual(columns(plain));
  });

  it.each(FIXTURE_NAMES)("has the times of %s", async (name) => {
    const plain = await fixtureProfile(name, { inlines: true, timeline: true });
    const packed = await fixtureProfile(name, { inlines: true, timeline: "packed" });
    expect(packed.timeline).toBeInstanceOf(PackedTimeline);
    expect(columns(packed.timeline!)).toEqual(columns(plain.timeline!));
  });
});
