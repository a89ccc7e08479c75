import { describe, expect, it } from "vitest";
import { turnsOf } from "../../src/facts/profile-turns.ts";
import type { TurnOptions } from "../../src/facts/turns.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { profileOverTime } from "../helpers/timed-stacks.ts";

type Tick = readonly [time: number, stack: string];

const IDLE = "idle:cpp:epoll_wait";
const TIMERS = "js:~processTimers·node:internal/timers:1:1 js:~listOnTimeout·node:internal/timers:2:1";
const PARSER = "js:~parserOnIncoming·node:_http_server:1:1";
const SWEEP = "js:~sweep·/srv/cache.js:7:15@8 js:*expired·/srv/cache.js:3:10";
const HANDLER = `${PARSER} js:~handler·/srv/app.js:9:3@10`;

/** Ticks a millisecond apart, from a moment in milliseconds on. */
const ticks = (from: number, count: number, stack: string): Tick[] =>
  Array.from({ length: count }, (_, i) => [(from + i) * 1000, stack]);
/** A thread that wakes at a moment: V8 ticks it then. */
const wake = (at: number): Tick => [at * 1000, IDLE];

function turnsIn(
  rows: readonly (readonly Tick[])[],
  options: Partial<TurnOptions> = {},
  change = (profile: Profile) => profile,
) {
  const profile = change(profileOverTime(...rows.flat()));
  return turnsOf(profile, { least: 10_000, most: 10, lines: 2, ...options })![0]!;
}

/** What is listed: `start+length name [least, most]`, in milliseconds. */
const listed = (rows: readonly (readonly Tick[])[], options: Partial<TurnOptions> = {}) =>
  turnsIn(rows, options).longest.map(({ start, length, least, most, callback, kind }) => {
    const [from, time, low, high] = [start, length, least, most].map((micros) => micros / 1000);
    return `${from}+${time} ${kind} ${callback?.title ?? "none"} [${low}, ${high}]`;
  });

/** A turn of 80 ms every 700 ms. */
const sweeps = (times: number, stack = `${TIMERS} ${SWEEP}`) =>
  Array.from({ length: times }, (_, i) => [
    wake(i * 700),
    ...ticks(i * 700 + 1, 80, stack),
    wake(i * 700 + 120),
  ]);

describe("turnsOf", () => {
  it("is sure of turns of a timer that recur evenly, and says how often", () => {
    const { longest, counts, holder } = turnsIn(sweeps(5));
    const { start, length, least, most, kind, callback, lines, recurrence } = longest[0]!;
    expect([start, length, least, most]).toEqual([0, 80_500, 79_000, 82_000]);
    expect([kind, callback?.title, callback?.line]).toEqual(["timer", "sweep", 7]);
    expect(lines.map(({ function: { title }, line, ticks }) => [title, line, ticks])).toEqual([
      ["expired", 0, 80],
    ]);
    expect(recurrence).toEqual({ period: 700_000, times: 5 });
    expect(counts.map(({ over, sure, most, time }) => [over, sure, most, time])).toEqual([
      [10_000, 5, 5, 402_500],
      [50_000, 5, 5, 402_500],
      [100_000, 0, 0, 0],
      [500_000, 0, 0, 0],
    ]);
    expect([holder?.turns, holder?.sure, holder?.longest]).toEqual([5, 5, longest[0]]);
  });

  it("does not see that turns recur if some start late, or if they are too few", () => {
    expect(turnsIn(sweeps(3)).longest[0]).toMatchObject({ recurrence: undefined, least: 0 });
    const late = [0, 300, 900, 1000, 2100].map((at) => [
      wake(at),
      ...ticks(at + 1, 60, `${TIMERS} ${SWEEP}`),
      wake(at + 90),
    ]);
    expect(turnsIn(late).longest[0]).toMatchObject({ recurrence: undefined, least: 0 });
  });

  it("gives only an upper limit for what may be several calls", () => {
    // A timer that is due again, an immediate that starts the next, a promise, and a callback that Node's frames do not tell of.
    const immediate = "js:~processImmediate·node:internal/timers:3:1 js:~chunk·/srv/app.js:3:1";
    const promise = "builtin:AsyncFunctionAwaitResolveClosure js:~work·/srv/app.js:5:1";
    expect(
      listed([
        [wake(0), ...ticks(1, 60, `${TIMERS} js:~once·/srv/app.js:1:1`), wake(100)],
        [...ticks(101, 50, immediate), wake(200)],
        [...ticks(201, 40, promise), wake(300)],
        [...ticks(301, 30, "js:~other·/srv/app.js:7:1"), wake(400)],
      ]),
    ).toEqual([
      "0+60.5 timer once [0, 62]",
      "100+50.5 immediate chunk [0, 54]",
      "200+40.5 microtask work [0, 44]",
      "300+30.5 other other [0, 34]",
    ]);
  });

  it("is sure of the code of a script, unless it goes on after a promise", () => {
    const load = "js:~·node:internal/main/run_main_module:1:1 js:~·/srv/app.js:1:1";
    const rest = "builtin:AsyncModuleFulfilled js:~·/srv/late.mjs:1:1";
    expect(listed([ticks(0, 60, load), [wake(90), ...ticks(91, 20, rest), wake(130)]])).toEqual([
      "0+59.5 load <anonymous> [59, 61]",
      "90+20.5 microtask <anonymous> [0, 24]",
    ]);
  });

  it("is sure that a script is one turn, whatever else its ticks say and however late they came", () => {
    const load = "js:~·node:internal/main/run_main_module:1:1 js:~·/srv/app.js:1:1";
    const node =
      "js:~·node:internal/main/run_main_module:1:1 js:~Module._load·node:internal/modules/cjs/loader:9:1";
    const rows = [
      ...ticks(0, 20, load),
      ...ticks(20, 3, node),
      ...ticks(23, 20, load),
      ...ticks(400, 20, load),
      wake(500),
    ];
    expect(listed([[wake(-1)], rows])).toEqual(["-1+420.5 load <anonymous> [419, 501]"]);
    // Of deep recursion V8 keeps the innermost calls alone: those ticks are the script's too.
    const deep = [
      ...ticks(0, 20, load),
      ...ticks(20, 30, "js:*from·/srv/app.js:4:1"),
      ...ticks(50, 20, load),
    ];
    const { ticks: all, lines } = turnsIn([[wake(-1)], deep]).longest[0]!;
    expect([all, lines.map((line) => line.ticks)]).toEqual([70, [40, 30]]);
  });

  it("takes the times of a profile as they are, and those of a log as when its ticks were written", () => {
    const at = (time: number): Tick => [time, HANDLER];
    const burst = Array.from({ length: 40 }, (_, i) => at(44_000 + i * 17));
    const rows = [burst, [at(60_000), at(61_000), at(62_000)]];
    const inputOf = (input: "cpuprofile" | undefined) =>
      turnsIn(rows, {}, (profile) => ({ ...profile, info: { ...profile.info, input } })).longest[0];
    expect(inputOf(undefined)!.length).toBeGreaterThan(30_000);
    expect(inputOf("cpuprofile")).toBeUndefined();
  });

  it("ends a turn where another function is called, and where Node is outside of JavaScript", () => {
    const dispatch = `external:cpp:uv__read`;
    const rows = [
      wake(0),
      ...ticks(1, 20, HANDLER),
      ...ticks(21, 1, dispatch),
      ...ticks(22, 30, HANDLER),
      ...ticks(52, 2, PARSER),
      ...ticks(54, 40, HANDLER),
      wake(200),
    ];
    expect(listed([rows])).toEqual([
      "53.5+40 other handler [0, 42]",
      "21.5+30 other handler [0, 32]",
      "0+20.5 other handler [0, 21]",
    ]);
  });

  it("is sure of a turn during which it would have met Node between shorter ones", () => {
    const short = Array.from({ length: 40 }, (_, i) => [
      ...ticks(i * 4, 3, HANDLER),
      ...ticks(i * 4 + 3, 1, `external:cpp:uv__read`),
    ]);
    const long = [wake(200), ...ticks(201, 70, HANDLER), wake(300)];
    expect(listed([[wake(-1)], ...short, long])).toEqual(["200+70.5 other handler [69, 74]"]);
    // Of 20 ms it is not: that many short ones met none now and then.
    expect(listed([[wake(-1)], ...short, [wake(200), ...ticks(201, 20, HANDLER), wake(300)]])).toEqual([
      "200+20.5 other handler [0, 24]",
    ]);
  });

  it("counts V8's own work, which has no stack, to the callback in which it is met", () => {
    const stack = `${TIMERS} ${SWEEP}`;
    const collected = (at: number) => [
      wake(at),
      ...ticks(at + 1, 20, stack),
      ...ticks(at + 21, 10, "gc:cpp:Scavenge"),
      ...ticks(at + 31, 30, stack),
      wake(at + 100),
    ];
    const [turn] = turnsIn([0, 700, 1400, 2100].map(collected)).longest;
    expect([turn?.length, turn?.least, turn?.ticks, turn?.gc]).toEqual([60_500, 59_000, 60, 10]);
  });

  it("says that garbage collection at the end can be in a callback that had some, or behind it", () => {
    const rows = [
      wake(0),
      ...ticks(1, 20, HANDLER),
      ...ticks(21, 10, "gc:cpp:Scavenge"),
      ...ticks(31, 10, HANDLER),
      ...ticks(41, 20, "gc:cpp:MarkCompact"),
      wake(100),
    ];
    const { length, most, gc } = turnsIn([rows]).longest[0]!;
    expect([length, most, gc]).toEqual([50_500, 62_000, 30]);
  });

  it("does not count garbage collection to a callback that made none, but says that it can be", () => {
    const rows = [wake(0), ...ticks(1, 30, HANDLER), ...ticks(31, 20, "gc:cpp:MarkCompact"), wake(100)];
    expect(listed([[...ticks(-9, 1, HANDLER)], rows])).toEqual([
      "0+30.5 other handler [0, 54]",
      "30.5+20 other none [0, 22]",
    ]);
  });

  it("counts a tick whose stack lacks the callback, as V8 skips the caller of a builtin", () => {
    const skipped = [...ticks(31, 1, `${TIMERS} builtin:MapIteratorPrototypeNext`)];
    const rows = [
      wake(0),
      ...ticks(1, 30, `${TIMERS} ${SWEEP}`),
      ...skipped,
      ...ticks(32, 30, `${TIMERS} ${SWEEP}`),
      wake(100),
    ];
    expect(listed([rows])).toEqual(["0+61.5 timer sweep [0, 63]"]);
    // Two of them are no chance.
    const twice = [
      ...skipped,
      ...ticks(32, 1, `${TIMERS} builtin:Other`),
      ...ticks(33, 30, `${TIMERS} ${SWEEP}`),
    ];
    expect(listed([[wake(0), ...ticks(1, 30, `${TIMERS} ${SWEEP}`), ...twice, wake(100)]])).toHaveLength(2);
  });

  it("is not sure of the time of a gap, which is a part of the turn, nor that it had a CPU at its end", () => {
    const gap = (at: number, length: number) => [
      wake(at),
      ...ticks(at + 1, 20, `${TIMERS} ${SWEEP}`),
      ...ticks(at + 21 + length, 40, `${TIMERS} ${SWEEP}`),
      wake(at + 400),
    ];
    expect(
      listed(
        [0, 1000, 2000, 3000].map((at) => gap(at, 50)),
        { most: 1 },
      ),
    ).toEqual(["0+110.5 timer sweep [39, 161]"]);
    expect(listed([gap(0, 300)])).toEqual(["0+360.5 timer sweep [0, 400]"]);
  });

  it("takes a gap for a sleep in a thread that has no idle ticks", () => {
    const rows = [ticks(0, 20, HANDLER), ticks(50, 30, HANDLER)];
    expect(listed(rows)).toEqual(["49.5+30 other handler [0, 33]", "0+19.5 other handler [0, 21]"]);
  });

  it("takes a gap in one callback for a part of its turn on a busy machine, without idle ticks too", () => {
    const turns = (length: number, got: number) =>
      turnsIn([ticks(0, 20, HANDLER), ticks(20 + length, 30, HANDLER)], {}, (profile) => {
        const sampling = { ...profile.info.sampling, got };
        return { ...profile, info: { ...profile.info, sampling } };
      }).longest.map(({ length, least }) => [length, least]);
    expect(turns(40, 1700)).toEqual([[89_500, 0]]);
    expect(turns(40, 1000)).toHaveLength(2);
    expect(turns(90, 1700)).toHaveLength(2);
  });

  it("has limits that hold where the thread had no CPU as a callback began or ended", () => {
    const other = `${TIMERS} js:~other·/srv/app.js:3:1`;
    // Other code had no tick for 25 ms, so this had none for as long, either before or behind.
    const rows = [wake(0), ...ticks(1, 5, other), ...ticks(30, 30, HANDLER), wake(90)];
    expect(listed([rows])[0]).toBe("29.5+30 other handler [0, 79]");
    const idle = [wake(0), ...ticks(1, 40, HANDLER), wake(1000), ...ticks(1001, 5, other), wake(1100)];
    expect(listed([idle])).toEqual(["0+40.5 other handler [0, 42]"]);
  });

  it("does not believe the time of a tick that was written late", () => {
    const rows = [wake(0), wake(1), wake(2), wake(40), ...ticks(41, 20, HANDLER), ...ticks(75, 20, HANDLER)];
    // The idle tick can have been taken at 3; that there was no CPU for 15 ms in a row shows behind it.
    expect(listed([rows])[0]).toBe("40+54.5 other handler [0, 84]");
    const bunch: Tick[] = Array.from({ length: 40 }, (_, i) => [110_000 + i, HANDLER]);
    expect(listed([[wake(0), ...ticks(1, 80, HANDLER)], bunch])).toHaveLength(1);
  });

  it("takes a gap for either on a busy machine without idle ticks", () => {
    const busy = (rows: Tick[]) =>
      turnsIn([rows], {}, (profile) => {
        const sampling = { ...profile.info.sampling, got: 1700 };
        return { ...profile, info: { ...profile.info, sampling } };
      });
    const other = `${TIMERS} js:~other·/srv/app.js:3:1`;
    const { longest, bounds } = busy([
      ...ticks(0, 20, other),
      ...ticks(40, 20, HANDLER),
      ...ticks(200, 30, HANDLER),
      ...ticks(240, 1, other),
    ]);
    const times = longest.map(({ length, most }) => [length / 1000, most / 1000]);
    // From one tick of other code to the next.
    expect(times).toContainEqual([30, 221]);
    expect(times).toContainEqual([20, 221]);
    expect(bounds.most).toBeGreaterThanOrEqual(221_000);
  });

  it("takes a chain of microtasks for one turn, with what Node does between them and with the callback that began it", () => {
    const queue = "js:~processTicksAndRejections·node:internal/process/task_queues:67:1";
    const step = "js:~step·/srv/app.js:5:1";
    const began = `${TIMERS} js:~start·/srv/app.js:1:1 ${step}`;
    const chain = [...ticks(21, 40, `${queue} ${step}`), ...ticks(61, 1, queue)];
    expect(
      listed([[wake(0)], ticks(1, 20, began), chain, ticks(62, 30, `${queue} ${step}`), [wake(100)]]),
    ).toEqual(["0+91.5 microtask step [0, 93]"]);
    // A microtask of another function, and one that no turn began, are turns of their own.
    const other = `${queue} js:~other·/srv/app.js:9:1`;
    expect(listed([[wake(0)], ticks(1, 20, began), ticks(21, 40, other), [wake(70)]])).toHaveLength(2);
  });

  it("puts ticks that V8 wrote at once back to where they were taken", () => {
    const late: Tick[] = Array.from({ length: 30 }, (_, i) => [30_000 + i, HANDLER]);
    expect(listed([[wake(-1)], late, [wake(100)]])).toEqual(["-1+31.529 other handler [0, 33.058]"]);
  });

  it("leaves out short turns, the start of Node and the loading of scripts where they do not belong", () => {
    expect(
      listed([ticks(0, 90, "external:cpp:Deserialize"), [wake(95), ...ticks(96, 9, HANDLER), wake(120)]]),
    ).toEqual([]);
    const load = ticks(0, 90, "js:~·/srv/app.js:1:1");
    expect(turnsIn([load, [wake(100)]])).toMatchObject({ holder: undefined, longest: [{ kind: "load" }] });
    // Nor is what the recorder does at the end of a heap profile.
    const finish =
      "js:~emit·node:events:1:1 js:~finish·/opt/v8-ticks/dist/record/thread-profile.cjs:55:18 cpp:post";
    const end = turnsIn([ticks(0, 80, finish), [wake(80)]]);
    expect(end).toMatchObject({
      holder: undefined,
      longest: [{ kind: "load", callback: { name: "finish" } }],
    });
  });

  it("lists turns from a length on", () => {
    const rows = [[wake(0), ...ticks(1, 5, HANDLER), wake(20), ...ticks(21, 30, HANDLER), wake(60)]];
    expect(listed(rows, { least: 3000 })).toHaveLength(2);
    expect(listed(rows, { least: 40_000 })).toHaveLength(0);
  });

  it("knows nothing without all ticks or without their times", () => {
    const profile = profileOverTime(...sweeps(1).flat());
    expect(turnsOf({ ...profile, timeline: undefined })).toBeUndefined();
    expect(turnsOf({ ...profile, info: { ...profile.info, excluded: 1 } })).toBeUndefined();
    const sampling = { ...profile.info.sampling, hasTimes: false };
    expect(turnsOf({ ...profile, info: { ...profile.info, sampling } })).toEqual([]);
  });

  it("survives times that go back", () => {
    const back: Tick[] = [5, 4, 90, 3, 80, 2, 1].map((at) => [at * 1000, HANDLER]);
    expect(listed([back])).toEqual([]);
  });
});
