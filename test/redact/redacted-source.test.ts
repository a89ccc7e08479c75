import { describe, expect, it } from "vitest";
import { callSites } from "../../src/infer/call-sites.ts";
import { scriptText } from "../../src/log/rows/row-decoders.ts";
import { splitPlaceholders } from "../../src/profile/placeholders.ts";
import { HashCheck, KeptStrings, KeyedHash } from "../../src/redact/name-hash.ts";
import { sourceField } from "../../src/redact/redact-log.ts";
import { PublicNames, SourceRedactor } from "../../src/redact/redacted-source.ts";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { createRandom } from "../helpers/random.ts";
import { recordsOfLog } from "../helpers/redacted.ts";

const sources = (names = new PublicNames()) =>
  new SourceRedactor(new KeyedHash(Buffer.from("key")), new KeptStrings(), names);
const redact = (text: string) => sources().redact(text);
const bare = (text: string) => splitPlaceholders(redact(text)).text;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are templates of the texts.
describe("a redacted text", () => {
  it("keeps words of JavaScript, marks, and the length of all else", () => {
    expect(
      bare("export class Invoice extends Base { #sum = 4915.5; get vat() { return this.#sum / 0x1F; } }"),
    ).toBe("export class A000000 extends A000 { #a00 = 1111.1; get a00() { return this.#a00 / 0x11; } }");
    expect(
      bare('"use strict";\nlet key = "hunter2\\n" + `a${ key }b`; // secret\nx = /sec[/]ret/gi.test(y) / 2'),
    ).toBe('"use strict";\nlet a00 = "         " + ` ${ a00 } `; //       \na = /         /gi.test(b) / 1');
    expect(bare("#!/bin/secret\nif (a) /secret/.exec(b); c++ /d/ e; f = g\n/* secret\nh */ / i")).toBe(
      "             \nif (a) /      /.exec(b); c++ /d/ e; f = g\n/*       \n  */ / h",
    );
  });

  it("begins comments and private names at their marks", () => {
    expect(bare("a//secret\n/*secret*/ b#secret")).toBe("a//      \n/*      */ b#a00000");
  });

  it("has the same words for the same ones in all texts of a log, and says once which names they stand for", () => {
    const all = sources();
    const [first = "", second = ""] = ["payInvoice(alice)", "alice = payInvoice"].map((text) =>
      all.redact(text),
    );
    expect(first).toMatch(
      /^a000000000\(a0000\)\n\/\/# redacted=t_\w{12};a000000000=f_\w{12};a0000=f_\w{12}$/,
    );
    expect(second).toMatch(/^a0000 = a000000000\n\/\/# redacted=t_\w{12}$/);
  });

  it("names functions of Node's by hashes that need no key", () => {
    const names = new PublicNames();
    names.add("Hash.readFileSync");
    const { placeholders } = splitPlaceholders(sources(names).redact("secret(readFileSync)"));
    expect(Array.from(placeholders!.words.keys(), (hash) => hash[0])).toEqual(["f", "f", "w"]);
    const ofNode = splitPlaceholders(sources().redact("function readFileSync() {}", true)).placeholders!;
    expect(ofNode.words.get(Array.from(placeholders!.words.keys())[2]!)).toBe("a00000000000");
  });

  it.each([
    "a = 'open",
    "`open ${",
    "a(]}",
    "/* open",
    "}}}}`${`${",
    "x = a\\u0062c",
    "\ufffd\ufffdsecret\ufffd",
    "#",
    "0secret",
    "\u{1f511}secret",
  ])("keeps nothing more where it is no JavaScript: %s", (text) => {
    const { text: shown } = splitPlaceholders(redact(text));
    expect(shown).toHaveLength(text.length);
    expect(shown).not.toMatch(/secret|open/);
  });

  it("is what a second time leaves as it is, whatever it was", () => {
    const pieces =
      "a|secret|/|//|/*|*/|'|\"|`|${|}|{|(|)|[|]|\\|\n|\r\n|\u2028|if|return|.|+|++|=|0x1f|1.5e3|#|#x|\ufffd|,|\t|\u{1f511}|push|\n//# redacted=t_aaaaaaaaaaaa;a0=f_aaaaaaaaaaaa".split(
        "|",
      );
    for (let seed = 1; seed <= 400; seed++) {
      const random = createRandom(seed);
      const text = Array.from({ length: 1 + random(60) }, () => pieces[random(pieces.length)]).join(
        random(2) ? " " : "",
      );
      const once = [text, "secret(a)"];
      const all = sources();
      const redacted = once.map((one) => all.redact(one));
      const hash = new HashCheck();
      const again = new SourceRedactor(hash, new KeptStrings(), new PublicNames());
      expect(redacted.map((one) => again.redact(one))).toEqual(redacted);
      expect(hash.found).toEqual([]);
      expect(redacted.join()).not.toMatch(/secret/);
    }
  });

  it.each(FIXTURE_NAMES.filter((name) => /^node-(?:1[68]|2)/.test(name)))(
    "can be parsed where the original can: %s",
    (name) => {
      const all = sources();
      for (const record of recordsOfLog(fixtureLog(name))) {
        if (record.type !== "script-source") continue;
        const text = scriptText(record.source);
        const redacted = splitPlaceholders(all.redact(text)).text;
        expect(redacted).toHaveLength(text.length);
        expect(redacted.split("\n").map(({ length }) => length)).toEqual(
          text.split("\n").map(({ length }) => length),
        );
        expect(callSites(redacted) === undefined).toBe(callSites(text) === undefined);
      }
    },
  );

  it("is written with V8's escapes", () => {
    expect(sourceField('a,\\\n\t"\u00a0\u2028\ufffd')).toBe('a\\x2C\\\\\\n\\x09"\\xa0\\u2028\ufffd');
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.
