import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { flameDocument } from "../../../src/exports/flame/flame-document.ts";
import { pageData } from "../../../src/exports/flame/page-data.ts";
import { timedProfile } from "../../helpers/flame.ts";

const parts = {
  html: '<meta content="{{policy}}"><style>{{style}}</style><script type="application/json">{{data}}</script><script>{{script}}</script>',
  style: "p { color: red }",
  script: "const cost = '$&';",
};
const HOSTILE = "</script><img·src=x·onerror=alert(1)>·<!--·{{script}}·$&";

describe("the document", () => {
  const html = Array.from(flameDocument(timedProfile(`js:${HOSTILE}`), parts)).join("");

  it("has what a log says as data that is no markup", () => {
    expect(html.match(/<\/script/g)).toHaveLength(2);
    expect(html).not.toContain("<img");
    expect(html).not.toContain("<!--");
    const data = /json">(.*?)<\/script>/s.exec(html)![1]!;
    expect(JSON.parse(data).functions.titles).toEqual([HOSTILE.replaceAll("·", " ")]);
  });

  it("is the same in parts as in one text", () => {
    const stacks = Array.from(
      { length: 5000 },
      (_, i) => `js:f·a.js:${i + 1}:1 js:é${i % 3}·<b>.js:1:1@${i + 1}`,
    );
    const profile = timedProfile(...stacks);
    const pieces = Array.from(flameDocument(profile, parts));
    expect(pieces.filter((piece) => piece.length > 4096).length).toBeGreaterThan(1); // Columns of their own.
    const data = /json">(.*?)<\/script>/s.exec(pieces.join(""))![1]!;
    expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(pageData(profile))));
  });

  it("lets nothing run but its own script", () => {
    const sum = createHash("sha256").update(parts.script).digest("base64");
    expect(html).toContain(`default-src 'none'; script-src 'sha256-${sum}'; style-src 'sha256-`);
    expect(html).toContain("<script>const cost = '$&';</script>");
    expect(html).not.toMatch(/unsafe/);
  });
});
