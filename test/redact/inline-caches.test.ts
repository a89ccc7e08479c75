import { describe, expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { numberDifferences } from "../../src/redact/check.ts";
import { KeyedHash } from "../../src/redact/name-hash.ts";
import { redactProfile } from "../../src/redact/redact-profile.ts";
import { Redactor } from "../../src/redact/redactor.ts";
import { fixtureLog } from "../helpers/fixtures.ts";
import { chunksOf, logOf, NODE_26 } from "../helpers/logs.ts";
import { redactedLog } from "../helpers/redacted.ts";

const redactor = () => new Redactor(new KeyedHash(Buffer.from("key")));

describe("redacted rows of inline caches", () => {
  it("keep numbers, states and V8's words, and no name or key", () => {
    const rows = redactedLog(
      logOf(
        ...NODE_26,
        "LoadIC,0x10,5,2,3,0,1,0x20,creditCard,,my reason",
        "KeyedLoadIC,0x10,6,2,3,1,N,0x20,4915112345,.IGNORE_OOB,",
        "KeyedStoreIC,0x10,7,2,3,1,N,0x20,a, b,.secret,",
        "StoreIC,creditCard",
      ),
      redactor(),
    )
      .toString("latin1")
      .split("\n");
    expect(rows[2]).toMatch(/^LoadIC,0x10,5,2,3,0,1,0x20,k_[a-z2-7]{12},,t_[a-z2-7]{12}$/);
    expect(rows[3]).toMatch(/^KeyedLoadIC,0x10,6,2,3,1,N,0x20,k_[a-z2-7]{12},.IGNORE_OOB,$/);
    expect(rows[4]).toMatch(/^KeyedStoreIC,0x10,7,2,3,1,N,0x20,k_[a-z2-7]{12},t_[a-z2-7]{12},$/);
    expect(rows[5]).toBe("StoreIC,");
  });

  it.each(["node-12-ics", "node-26-ics"])("of %s count the same", async (name) => {
    const log = fixtureLog(name);
    const options = { name, inlines: true, ics: true, inferred: false };
    const original = await analyze(chunksOf(log), options);
    const other = await analyze(chunksOf(redactedLog(log, redactor())), options);
    expect(other.ics!.rows).toBeGreaterThan(100);
    expect(numberDifferences(original, other)).toEqual([]);
    const changed = { ...other, ics: { ...other.ics!, charges: other.ics!.charges.slice(1) } };
    expect(numberDifferences(original, changed)).toEqual(["inline caches"]);
    const { ics } = redactProfile(original, redactor());
    expect(ics!.sites.flatMap(({ keys }) => keys)).not.toContain("price");
    expect(ics!.sites.map(({ file }) => file)).not.toContain("/srv/app/ics.js");
  });
});

describe("a redacted profile", () => {
  it("keeps no text after the version and no build id of a private library", async () => {
    const log = logOf("v8-version,14,6,202,34,-acme.secret,0", "v8-platform,linux,linux");
    const original = await analyze(chunksOf(log), { name: "v8.log" });
    const library = { ...original.info.libraries[0]!, path: "/srv/acme.node", buildId: "abc123" };
    const { info } = redactProfile(
      { ...original, info: { ...original.info, libraries: [library] } },
      redactor(),
    );
    expect(info.v8[0]?.embedder).toBe("");
    expect(info.libraries[0]?.buildId).toBeUndefined();
    expect(redactedLog(log, redactor()).toString("latin1").split("\n")[0]).toBe("v8-version,14,6,202,34,0");
  });
});
