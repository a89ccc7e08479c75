import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { flameDocument } from "../../../src/exporters/flame/flame-document.ts";
import { timedProfile } from "../../helpers/flame.ts";

const parts = {
  html: '<meta content="{{policy}}"><style>{{style}}</style><script type="application/json">{{data}}</script><script>{{script}}</script>',
  style: "p { color: red }",
  script: "const cost = '$&';",
};
const HOSTILE = "</script><img·src=x·onerror=alert(1)>·<!--·{{script}}·$&";

describe("the document", () => {
  const html = flameDocument(timedProfile(`js:${HOSTILE}`), parts);

  it("has what a log says as data that is no markup", () => {
    expect(html.match(/<\/script/g)).toHaveLength(2);
    expect(html).not.toContain("<img");
    expect(html).not.toContain("<!--");
    const data = /json">(.*?)<\/script>/s.exec(html)![1]!;
    expect(JSON.parse(data).functions.titles).toEqual([HOSTILE.replaceAll("·", " ")]);
  });

  it("lets nothing run but its own script", () => {
    const sum = createHash("sha256").update(parts.script).digest("base64");
    expect(html).toContain(`default-src 'none'; script-src 'sha256-${sum}'; style-src 'sha256-`);
    expect(html).toContain("<script>const cost = '$&';</script>");
    expect(html).not.toMatch(/unsafe/);
  });
});
