import { describe, expect, it } from "vitest";
import { besideScript, dataText, mapUrl } from "../../src/symbolizer/map-url.ts";

describe("mapUrl", () => {
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
    ["//# sourceMappingURL=a.map\nf()", undefined],
    ["//# sourceMappingURL=a.map\nsourceMappingURL=", undefined],
  ])("of %j is %j", (source, url) => {
    expect(mapUrl(source)).toBe(url);
  });

  it("takes no longer for spaces without an end", () => {
    const spaces = " ".repeat(10e6);
    expect(mapUrl(`//# sourceMappingURL=a${spaces}x`)).toBeUndefined();
    expect(mapUrl(`//# sourceMappingURL=a${spaces}`)).toBe("a");
    expect(mapUrl(`//#${spaces}sourceMappingURL=a`)).toBeUndefined();
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
