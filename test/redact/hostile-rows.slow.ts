import { describe, expect, it } from "vitest";
import { analyze } from "../../src/load/analyze.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { LogCheck, numberDifferences } from "../../src/redact/check.ts";
import { KeyedHash } from "../../src/redact/name-hash.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { hostileLog } from "../helpers/hostile-log.ts";
import { chunksOf, logOf, NODE_26 } from "../helpers/logs.ts";
import { recordsOfLog, redactedLog } from "../helpers/redacted.ts";

describe("rows that nobody expects", () => {
  const logs = Array.from({ length: 100 }, (_, seed) => hostileLog(seed + 1));
  const torn = ["tick,0x10", "code-deopt,1", "map,1", "qxsec", "", "code-creation,JS,1,1,0x10000,9,a\nqxsec"];
  const rest = ["tick,0x10000,3,0,0x0,0", "tick,0x", "code-move,0x1,0x2", "map,1", "qxsec", ""];
  const holes = torn.flatMap((before) => rest.map((after) => `${before}${"\0".repeat(600)}${after}`));
  logs.push(logOf(...NODE_26, ...holes, "tick,0x10000,3,0,0x0,0"), logOf("delete,a", ...holes.toReversed()));

  it("do not get through, whatever is in them", () => {
    for (const [i, log] of logs.entries()) {
      const redacted = redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))), 997);
      expect(redacted.toString("latin1").toLowerCase(), `log ${i}`).not.toContain("qxsec");
    }
  });

  it("are the same records without their names, with as many faults of each kind but mixed line ends", () => {
    for (const [i, log] of logs.entries()) {
      const redacted = redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))));
      const faults = (bytes: Buffer) => {
        const diagnostics = new Diagnostics();
        return {
          types: recordsOfLog(bytes, diagnostics).map(({ type }) => type),
          faults: diagnostics
            .list()
            .filter(({ code }) => code !== "crlf")
            .map(({ code, count }) => `${code} ${count}`)
            .sort(),
        };
      };
      expect(faults(redacted), `log ${i}`).toEqual(faults(log));
    }
  });

  it("are what a check leaves as it is", () => {
    for (const [i, log] of logs.entries()) {
      const check = new LogCheck();
      check.push(redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key")))));
      expect(check.end(), `log ${i}`).toEqual({ strings: [], count: 0, otherByte: -1 });
    }
  });

  it.each([false, true])("count the same, with inlined functions: %s", async (inlines) => {
    for (const [i, log] of logs.entries()) {
      const redacted = redactedLog(log, new Redactor(new KeyedHash(Buffer.from("key"))));
      const profileOf = (bytes: Buffer) =>
        analyze(chunksOf(bytes), { inlines, deopts: true, timeline: true }).catch(
          (error: Error) => error.message,
        );
      const [original, other] = [await profileOf(log), await profileOf(redacted)];
      if (typeof original === "string" || typeof other === "string") expect(other, `log ${i}`).toBe(original);
      else expect(numberDifferences(original, other), `log ${i}`).toEqual([]);
    }
  });
});
