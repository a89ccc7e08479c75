import { describe, expect, it } from "vitest";
import { parseFrameName, parseLoggedName } from "../../src/profile/logged-name.ts";

describe("functionPlace", () => {
  const cases: [string, string, string | undefined, number | undefined, number | undefined][] = [
    ["handler file:///srv/app.js:10:5", "handler", "file:///srv/app.js", 10, 5],
    ["get a b /my dir/x.js:1:2", "get a b", "/my dir/x.js", 1, 2],
    ["GET /users/:id file:///srv/app.js:10:5", "GET /users/:id", "file:///srv/app.js", 10, 5],
    ["GET /users/:id /srv/app.js:10:5", "GET /users/:id", "/srv/app.js", 10, 5],
    ["open C:\\x file:///C:/a/b.js:1:2", "open C:\\x", "file:///C:/a/b.js", 1, 2],
    ["get http://x/y D:\\srv\\a.js:1:2", "get http://x/y", "D:\\srv\\a.js", 1, 2],
    ["GET /users :1:20", "GET /users", "", 1, 20],
    [" node:fs:1:2", "", "node:fs", 1, 2],
    ["parse node:internal/url:1:2", "parse", "node:internal/url", 1, 2],
    ["f C:\\a b\\x.js:1:2", "f", "C:\\a b\\x.js", 1, 2],
    ["tryOnTimeout timers.js:3:4", "tryOnTimeout", "timers.js", 3, 4],
    ["f :1:20", "f", "", 1, 20],
    ["file:///only/script.js:1:1", "", "file:///only/script.js", 1, 1],
    ["a\nb x.js:1:1", "a\nb", "x.js", 1, 1],
    ["wasm-function[3]", "wasm-function[3]", undefined, undefined, undefined],
    ["", "", undefined, undefined, undefined],
    ["f x.js:2147483647:1", "f", "x.js", 2147483647, 1],
    ["f x.js:2147483648:1", "f x.js:2147483648:1", undefined, undefined, undefined],
    ["f x.js:1:99999999999999999999", "f x.js:1:99999999999999999999", undefined, undefined, undefined],
    [":1:1", "", "", 1, 1],
    ["f:1", "f:1", undefined, undefined, undefined],
    ["f x.js::1", "f x.js::1", undefined, undefined, undefined],
  ];
  for (const [logged, name, file, line, column] of cases) {
    it(JSON.stringify(logged), () => expect(parseLoggedName(logged)).toEqual({ name, file, line, column }));
  }
});

describe("parseFrameName", () => {
  it("splits a name where the script is known to begin", () => {
    const frame = { kind: "js", type: "JS", tier: "*", line: 0, inlined: false } as const;
    const name = "GET /users my script.js:10:5";
    const position = { line: 10, column: 5 };
    expect(parseFrameName({ ...frame, name })).toMatchObject({ name: "GET", file: "/users my script.js" });
    expect(parseFrameName({ ...frame, name, scriptAt: 11 })).toEqual({
      ...{ name: "GET /users", file: "my script.js" },
      ...position,
    });
    expect(parseFrameName({ ...frame, name, scriptAt: 0 })).toEqual({
      ...{ name: "", file: "GET /users my script.js" },
      ...position,
    });
  });
});
