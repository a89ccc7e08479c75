import { describe, expect, it } from "vitest";
import { VM_STATES } from "../../../src/profile/vm-state.ts";
import { logOf, parse } from "../../helpers/logs.ts";

/** The tick of a log, its frames leaf first and in hex and its state by name. */
function tick(version: string, row: string) {
  const { records, faults } = parse(logOf(...(version === "" ? [] : [`v8-version,${version}`]), row));
  const record = records.find((r) => r.type === "tick");
  if (record === undefined) return { faults: faults.map(({ code }) => code) };
  const { pc, timestamp, isExternal, tos, vmState, frames } = record;
  const stack = Array.from(frames, (frame) => frame.toString(16)).reverse();
  return { pc, timestamp, isExternal, tos, state: VM_STATES[vmState], stack };
}

const V8_3 = "3,14,5,9,0";
const NODE_26 = "14,6,202,34,-node.34,0";

describe("tick rows", () => {
  it("of Node 4 and later: pc,µs,ext,tos,state,frames", () => {
    expect(tick(NODE_26, "tick,0x7fc6a916c170,16630,0,0x12,5,0x10d0aff,0x2A")).toEqual({
      pc: 0x7fc6a916c170,
      timestamp: 16630,
      isExternal: false,
      tos: 0x12,
      state: "other",
      stack: ["10d0aff", "2a"],
    });
  });

  it("of 2013: pc,sp,µs,ext,tos,state,frames", () => {
    expect(tick("", "tick,0xf776d430,0xffcbb8e0,152,1,0x5,3,0x10,0x20")).toMatchObject({
      pc: 0xf776d430,
      timestamp: 152,
      isExternal: true,
      tos: 5,
      stack: ["10", "20"],
    });
  });

  it("to V8 3.14: pc,sp,ext,tos,state,frames", () => {
    expect(tick("", "tick,0xb6f1,0xffcb,1,0x5,0,0x10")).toMatchObject({
      pc: 0xb6f1,
      timestamp: 0,
      isExternal: true,
      tos: 5,
      stack: ["10"],
    });
  });

  it("of 2010: pc,sp,tos,state,frames", () => {
    expect(tick("", "tick,0xb6f1,0xffcb,0x5,1,0x10")).toMatchObject({ tos: 5, state: "gc", stack: ["10"] });
  });

  it("of V8 1.x: pc,sp,state,frames", () => {
    expect(tick(V8_3, "tick,0xb6f1,0xffcb,1,0x10,0x20")).toMatchObject({
      pc: 0xb6f1,
      timestamp: 0,
      isExternal: false,
      tos: 0,
      state: "gc",
      stack: ["10", "20"],
    });
    expect(tick(V8_3, "tick,0xb6f1,0xffcb,2")).toMatchObject({ state: "compiler", stack: [] });
  });

  it("are told apart by their columns where the top of the stack is a bare 0", () => {
    const layouts = [
      ["tick,0xb6f1,152,1,0,2", { timestamp: 152, isExternal: true }],
      ["tick,0xb6f1,0xffcb,152,1,0,2", { timestamp: 152, isExternal: true }],
      ["tick,0xb6f1,0xffcb,1,0,2", { timestamp: 0, isExternal: true }],
      ["tick,0xb6f1,0xffcb,0,2", { timestamp: 0, isExternal: false }],
    ] as const;
    for (const [head, expected] of layouts) {
      const common = { pc: 0xb6f1, tos: 0, state: "compiler", ...expected };
      expect(tick(V8_3, head), head).toMatchObject({ ...common, stack: [] });
      expect(tick(V8_3, `${head},0x10,0x20`), head).toMatchObject({ ...common, stack: ["10", "20"] });
      expect(tick(V8_3, `${head},overflow,0x10`), head).toMatchObject({ ...common, stack: ["10"] });
    }
  });

  it("of Windows without 0x", () => {
    const row = "tick,000000BABADD9640,1234,0,0000000000000000,0,000000BABADD0010";
    expect(tick("5,8,283,41,0", row)).toMatchObject({
      pc: 0xbabadd9640,
      timestamp: 1234,
      tos: 0,
      stack: ["babadd0010"],
    });
  });

  it("hold addresses of any length", () => {
    const long = "tick,0xffffffffff600000,2,0,0x0,0,0xffffffffff600000,0x7fffffffffff,0x0000000000001234";
    expect(tick(NODE_26, long)).toMatchObject({
      pc: 0xffffffffff600000,
      stack: ["ffffffffff600000", "7fffffffffff", "1234"],
    });
  });

  it("number their states by V8 version, and by whether it is Node's", () => {
    const states = (version: string) =>
      Array.from({ length: 12 }, (_, number) => tick(version, `tick,0x1,2,0,0x0,${number}`).state).filter(
        (state) => state !== "unknown",
      );
    const old = ["js", "gc", "compiler", "other", "external"];
    const parserFirst = ["js", "gc", "parser", "bytecode-compiler", "compiler", "other", "external"];
    const before = { "3,11,10,26,0": old, "3,26,33,0,0": [...old, "idle"], "6,1,534,50,0": [...old, "idle"] };
    for (const [version, expected] of Object.entries(before))
      expect(states(version), version).toEqual(expected);
    for (const version of ["3,12,19,0,0", "3,14,5,11,0", "3,19,18,0,0"]) {
      expect(states(version), version).toEqual(["js", "gc", "compiler", "compiler", "other", "external"]);
    }
    // Node 8 has the parser's states last, V8's own 6.2 of Node 9 has them first.
    expect(states("6,2,414,50,0")).toEqual([...old, "idle", "parser", "bytecode-compiler"]);
    for (const version of ["6,2,414,32,-node.8,0", "6,3,292,48,0", "7,9,317,25,-node.39,0", "8,1,307,28,0"]) {
      expect(states(version), version).toEqual([...parserFirst, "idle"]);
    }
    const waits = [...parserFirst, "atomics-wait", "idle"];
    expect(states("8,1,307,30,-node.33,0")).toEqual(waits);
    for (const version of ["8,2,308,0,0", "8,6,395,17,-node.28,0", "11,8,172,17,-node.20,0", NODE_26]) {
      expect(states(version), version).toEqual([...waits, "logging", "idle-external"]);
    }
  });

  it("without a version and with a stack pointer have no idle state, which is younger", () => {
    const quoted = 'shared-library,"/x/node",0x400000,0xb3e000';
    const { records } = parse(logOf(quoted, "tick,0x40,0xffcb,1,0x5,5", "tick,0x40,7,1,0x5,5"));
    const states = records.map((record) => (record.type === "tick" ? VM_STATES[record.vmState] : ""));
    expect(states).toEqual(["", "external", "idle"]);
  });

  it("of V8 5.4 to 6.0 on Linux write null pointers as (nil), wherever an address can stand", () => {
    const version = "5,4,500,45,0";
    expect(tick(version, "tick,0x7fd6,1053,0,(nil),4")).toMatchObject({ pc: 0x7fd6, tos: 0, stack: [] });
    expect(tick(version, "tick,(nil),1053,0,(nil),3,0x12,(nil),0x14")).toMatchObject({
      pc: 0,
      timestamp: 1053,
      state: "other",
      stack: ["12", "0", "14"],
    });
    expect(tick(version, "tick,(null),9,1,0x55,4,(null)")).toMatchObject({ pc: 0, tos: 0x55, stack: ["0"] });
    expect(tick(version, "tick,(nil),(nil),0,(nil),4,0x9")).toMatchObject({ timestamp: 0, stack: ["9"] });
    expect(tick(version, "tick,0x1,2,0,(nil,4")).toEqual({ faults: ["malformed-row"] });
    expect(tick(version, "tick,0x1,2,0,nil,4")).toEqual({ faults: ["malformed-row"] });
  });

  it("end in half a (nil) where the row was cut", () => {
    const head = "tick,0xb01ad9,551,0,(nil),4";
    const row = `${head}${",0x12".repeat(403)},(`;
    expect(tick("5,8,283,41,0", `${row}${"nil)".slice(0, 2047 - row.length)}`).stack?.length).toBe(403);
  });

  it("may hold frames relative to the last relative one, the first to the pc", () => {
    expect(tick(NODE_26, "tick,0x100,2,0,0x0,0,+0x10,0x900,-0x8").stack).toEqual(["110", "900", "108"]);
    expect(tick(NODE_26, "tick,0x100,2,1,0x500,0,+0x10").stack).toEqual(["510"]);
  });

  it("lose the last frame where V8 to Node 8 cut the row at 2047 bytes", () => {
    const head = "tick,0xb01ad9,551,0,0x0,4";
    const row = (head + ",0x123456789abc".repeat(200)).slice(0, 2047);
    const whole = Math.floor((2047 - head.length) / 15);
    const { stack } = tick("4,5,103,53,0", row);
    expect(stack).toHaveLength(whole);
    expect(new Set(stack)).toEqual(new Set(["123456789abc"]));
    expect(tick(NODE_26, row).stack).toHaveLength(whole + 1);
  });

  it.each([
    [",", 0],
    [",0x", 0],
    [",0", 0],
    [",0x1", 0],
    [",0x123456789abc", 0],
    [",over", 0],
    [",", 1],
  ])("keep the last whole frame where the row was cut after %j (external: %i)", (end, external) => {
    const head = `tick,0xb01ad9,551,${external},0x0,4`;
    const frames = ",0x12".repeat(500).slice(0, 2047 - head.length - end.length - ",0x12345".length);
    const whole = Math.floor(frames.length / 5);
    const row =
      head +
      frames.slice(0, 5 * whole) +
      ",0x".padEnd(2047 - head.length - 5 * whole - end.length, "7") +
      end;
    expect(row).toHaveLength(2047);
    const { stack, faults } = { faults: [], ...tick("4,5,103,53,0", row) };
    expect(stack?.slice(0, whole)).toEqual(new Array(whole).fill("12"));
    expect(stack).toHaveLength(whole + 1);
    expect(faults).toEqual([]);
    expect(tick("5,1,281,84,0", row)).toEqual(tick("4,5,103,53,0", row));
  });

  it("grow with the stack", () => {
    expect(tick(NODE_26, `tick,0x1,2,0,0x0,0${",0x7f00".repeat(5000)}`).stack).toHaveLength(5000);
  });

  it("are malformed without a state", () => {
    expect(tick(NODE_26, "tick,0x1,2,0,0x0")).toEqual({ faults: ["malformed-row"] });
    expect(tick(NODE_26, "tick,0x1,x,0,0x0,0")).toEqual({ faults: ["malformed-row"] });
  });
});
