import { describe, expect, it } from "vitest";
import { Script } from "../../src/recorder/scripts.ts";
import { besideScript, commentValue, dataText, MAP_URL_COMMENT } from "../../src/symbolizer/source-maps.ts";

function mapUrl(text: string): string | undefined {
  const bytes = new Uint8Array(Buffer.from(text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")));
  const script = new Script({ type: "script-source", id: 1, url: "a.js", source: bytes }, 1);
  return commentValue(MAP_URL_COMMENT, script.occurrences(MAP_URL_COMMENT));
}

describe("the last comment that names a source map", () => {
  it.each([
    ["f();\n//# sourceMappingURL=a.map", "a.map"],
    ["f();\n//@ sourceMappingURL=a.map\n\n \t", "a.map"],
    ["f();\n//#sourceMappingURL=a.map", "a.map"],
    ["/*# sourceMappingURL=a.map */", "a.map"],
    ["/*# sourceMappingURL=a.map*/\n", "a.map"],
    ["//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map", "b.map"],
    ["", undefined],
    ["sourceMappingURL=a.map", undefined],
    ["// sourceMappingURL=a.map", undefined],
    ["//# sourceMappingURL=", undefined],
    ["//# sourceMappingURL='a.map'", undefined],
    ["//# sourceMappingURL=a.map b", undefined],
    ["//# sourceMappingURL=a.map\nf()", "a.map"],
    ["(function () {//# sourceMappingURL=a.map\n}})", "a.map"],
    ["//# sourceMappingURL=a.map\r\n}", "a.map"],
    ["//# sourceMappingURL=a.map\nsourceMappingURL=", "a.map"],
    ["//# sourceMappingURL=a.map\n//# sourceMappingURL=\nf()", "a.map"],
    ["//# sourceMappingURL=a.map\ns = '//# sourceMappingURL=' + url", "a.map"],
    ["//# sourceMappingURL=a.map\ns = `\n//# sourceMappingURL=$" + "{url}\n`", "a.map"],
    ["//# sourceMappingURL=a.map\neval('f()\\n//# sourceMappingURL=b.map\\n')", "a.map"],
    [
      "//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map\nf() //@ sourceMappingURL= c.map \n}})",
      "c.map",
    ],
  ])("of %j is %j", (source, url) => {
    expect(mapUrl(source)).toBe(url);
  });

  it("takes no longer for spaces without an end", () => {
    const spaces = " ".repeat(10e6);
    expect(mapUrl(`//# sourceMappingURL=a${spaces}x`)).toBeUndefined();
    expect(mapUrl(`//# sourceMappingURL=a${spaces}`)).toBe("a");
    expect(mapUrl(`//#${spaces}sourceMappingURL=a`)).toBeUndefined();
  });

  it("takes no longer for many that are none", () => {
    for (const one of ["//#sourceMappingURL= ", "//# sourceMappingURL=a 1 ", "//# sourceMappingURL='\n"]) {
      expect(mapUrl(one.repeat(200_000))).toBeUndefined();
    }
  });
});

describe("dataText", () => {
  it("reads base64 and escapes", () => {
    expect(dataText("data:application/json;charset=utf-8;base64,e30=")).toBe("{}");
    expect(dataText("data:application/json,%7B%7d,")).toBe("{},");
  });

  it("refuses what has no data, and escapes that are none", () => {
    for (const url of ["data:", "data:application/json", "data:,%", "data:,%ff"]) {
      expect(() => dataText(url)).toThrow(Error);
    }
  });
});

describe("besideScript", () => {
  it.each([
    ["/srv/app.js", "../a.map", "/a.map"],
    ["/srv/app.js", "/maps/./a.map", "/maps/a.map"],
    ["/srv/app.js", "https://example.org/a.map", "https://example.org/a.map"],
    ["C:\\srv\\app.js", "maps/a.map", "C:\\srv\\maps\\a.map"],
    ["file:///srv/app.mjs", "../a.map", "file:///a.map"],
    ["app.js", "a.map", "a.map"],
  ])("of %s, %s is %s", (script, named, place) => {
    expect(besideScript(script, named)).toBe(place);
  });

  it("refuses URLs and escapes that are none", () => {
    expect(() => besideScript("/srv/app.js", "%")).toThrow(Error);
    expect(() => besideScript("file://[", "a.map")).toThrow(Error);
  });
});
