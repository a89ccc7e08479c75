import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { CASES, exported, FOLDERS, ticksOf } from "./fixture.ts";
import { npmPeer } from "./peer.ts";

/** The trace engine of the Performance panel, as it is published for other tools. */
const { folder } = npmPeer("@paulirish/trace_engine@0.0.65");
const { analyzeEvents } = await import(
  pathToFileURL(join(folder, "node_modules/@paulirish/trace_engine/analyze-trace.mjs")).href
);

const { threadsInTrace } = await import(
  pathToFileURL(join(folder, "node_modules/@paulirish/trace_engine/models/trace/handlers/Threads.js")).href
);

describe("a trace, read by the engine of DevTools", () => {
  it.each(FOLDERS)(
    "%s: has a main track, which DevTools opens and colours, and a track a worker",
    async (name) => {
      const { traceEvents } = JSON.parse(readFileSync(await exported(name, "trace.json"), "utf8"));
      const { data } = (await analyzeEvents(traceEvents)).parsedTrace;
      expect(data.Meta.traceIsGeneric).toBe(false);
      const [main, ...others] = threadsInTrace(data);
      expect(main).toMatchObject({ type: "MAIN_THREAD", processIsOnMainFrame: true });
      const workers = others.filter(({ type }: { type: string }) => type === "WORKER");
      expect(workers.length).toBeGreaterThan(0);
      for (const { tid } of workers) {
        const url = data.Workers.workerURLById.get(data.Workers.workerIdByThread.get(tid));
        expect(url).toContain("worker");
      }
    },
  );

  it("has deoptimizations as marks", async () => {
    const { traceEvents } = JSON.parse(
      readFileSync(await exported("node-12-builtins", "trace.json"), "utf8"),
    );
    const { data } = (await analyzeEvents(traceEvents)).parsedTrace;
    const marks = traceEvents.filter(({ cat }: { cat: string }) => cat === "blink.user_timing");
    expect(marks).toHaveLength(1);
    expect(data.UserTimings.performanceMarks).toHaveLength(marks.length);
  });

  it.each(FOLDERS)("%s: has a track a thread", async (name) => {
    const { traceEvents } = JSON.parse(readFileSync(await exported(name, "trace.json"), "utf8"));
    const { parsedTrace } = await analyzeEvents(traceEvents);
    const names: (string | null)[] = [];
    let ticks = 0;
    for (const [pid, threads] of parsedTrace.data.Samples.profilesInProcess) {
      for (const [tid, { parsedProfile }] of threads) {
        const idle = parsedProfile.idleNode?.id;
        ticks += parsedProfile.samples.filter((id: number) => id !== idle).length;
        names.push(parsedTrace.data.Renderer.processes.get(pid).threads.get(tid).name);
      }
    }
    expect(names).toEqual(threadNames(traceEvents));
    expect(names.length).toBeGreaterThan(1);
    expect(ticks).toBe(await ticksOf(name));
  });

  it.each(CASES)("%s: has its ticks in a track with calls", async (name) => {
    const { traceEvents } = JSON.parse(readFileSync(await exported(name, "trace.json"), "utf8"));
    const { parsedTrace } = await analyzeEvents(traceEvents);
    const { Samples, Renderer } = parsedTrace.data;
    const { parsedProfile } = Samples.profilesInProcess.get(1).get(1);
    const idle = parsedProfile.idleNode?.id;
    const ticks = parsedProfile.samples.filter((id: number) => id !== idle);
    expect(ticks).toHaveLength(await ticksOf(name));
    const { profileCalls } = Renderer.processes.get(1).threads.get(1);
    expect(profileCalls.length).toBeGreaterThan(0);
    expect(profileCalls.length).toBeGreaterThan(parsedProfile.nodes().length / 2);
  });
});

function threadNames(
  events: readonly { readonly name: string; readonly args: { readonly name?: string } }[],
) {
  return events.filter(({ name }) => name === "thread_name").map(({ args }) => args.name);
}
