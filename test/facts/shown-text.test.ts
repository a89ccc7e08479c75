import { describe, expect, it } from "vitest";
import { SHOWN_NAME_LENGTH } from "../../src/base/limits.ts";
import { cutName, jsonText, printable, printableLines, wholeJsonText } from "../../src/base/shown-text.ts";
import { shortFiles } from "../../src/facts/short-files.ts";

describe("printable text", () => {
  it.each([
    ["plain", "plain"],
    ["naïve 計算 👍", "naïve 計算 👍"],
    ["\n\r\t\0\x1b\x7f\x9b", "\\n\\r\\t\\x00\\x1b\\x7f\\x9b"],
    ["a\u202eb\u2066c\u061c\u200f", "a\\u202eb\\u2066c\\u061c\\u200f"],
    ["\u2028\u2029\u200b\ufeff\u00ad", "\\u2028\\u2029\\u200b\\ufeff\\xad"],
    ["a\ud83d b\ude00", "a\\ud83d b\\ude00"],
    ["\u{e0041}\u{1d173}", "\\u{e0041}\\u{1d173}"],
    ["👨‍👩‍👧 ❤️‍🔥 1️⃣ ©️", "👨‍👩‍👧 ❤️‍🔥 1️⃣ ©️"],
    ["##[error]a ##vso[b ### #[ ##c ###[", "#\\x23[error]a #\\x23vso[b ### #[ ##c ##\\x23["],
    ["a\u200db \u200d計 計\u200d a\ufe0f", "a\\u200db \\u200d計 計\\u200d a\\ufe0f"],
  ])("%j", (text, shown) => {
    expect(printable(text)).toBe(shown);
    expect(printable(shown)).toBe(shown);
  });

  it("keeps the lines of a text of several", () => {
    expect(printableLines("a\x1b\nb\t")).toBe("a\\x1b\nb\\t");
  });

  it("has an end", () => {
    for (const text of [
      "x".repeat(SHOWN_NAME_LENGTH + 1),
      "\x1b".repeat(SHOWN_NAME_LENGTH),
      "😀".repeat(1e5),
    ]) {
      const shown = printable(text);
      expect(shown.length).toBeLessThanOrEqual(SHOWN_NAME_LENGTH);
      expect(shown).toMatch(/… \([\d,]+ more characters\)$/);
      expect(printable(shown)).toBe(shown);
    }
  });
});

describe("a cut name", () => {
  it("is itself up to the limit, and says past it what is left out", () => {
    const name = "x".repeat(SHOWN_NAME_LENGTH);
    expect(cutName(name)).toBe(name);
    const kept = SHOWN_NAME_LENGTH - 64;
    expect(cutName("y".repeat(kept + 1_234_567))).toBe(`${"y".repeat(kept)}… (1,234,567 more characters)`);
  });

  it("splits no character", () => {
    for (const lead of ["", "a"]) expect(cutName(lead + "😀".repeat(1e5))).not.toMatch(/\p{Cs}/u);
  });
});

describe("JSON", () => {
  it.each([
    ["\ud800", '"\ufffd"'],
    ["\\ud800 \ud83d\\", '"\\\\ud800 \ufffd\\\\"'],
    ["\u2028\x9b\u202e\u{e0041}", '"\\u2028\\u009b\\u202e\\udb40\\udc41"'],
    [{ a: [Number.POSITIVE_INFINITY, Number.NaN, 1.5] }, '{"a":[9007199254740991,0,1.5]}'],
    ['"é👍"', '"\\"é👍\\""'],
  ])("of %j", (value, text) => {
    expect(jsonText(value)).toBe(text);
  });

  it("is the same to a parser", () => {
    const value = { "k\u2028": "\x7f\u200d\u200dx👨‍👩‍👧\u{e0041}\\u0041\n" };
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });

  it.each([1, 100, 10_000])(
    "escapes what is hidden anywhere among plain text, and keeps what joins letters, %d times",
    (count) => {
      const hidden = "one\u200b\u202e two\u2028é\u200d three";
      const joined = "👨‍👩‍👧 four ❤️‍🔥1️⃣";
      const text = wholeJsonText(`${hidden}${joined}`.repeat(count));
      const escaped = "one\\u200b\\u202e two\\u2028é\\u200d three";
      expect(text).toBe(`"${`${escaped}${joined}`.repeat(count)}"`);
    },
  );
});

const short = (...files: string[]) => Array.from(shortFiles(files).values());

describe("the short names of files", () => {
  it("are base names where these differ", () => {
    expect(short("/srv/app/src/a.js", "/srv/app/test/b.js")).toEqual(["a.js", "b.js"]);
    expect(short("/srv/app/main.js")).toEqual(["main.js"]);
  });

  it("have as many folders as equal base names need", () => {
    expect(short("/p/x/lib/index.js", "/p/y/lib/index.js", "/p/src/index.js", "/p/a.js")).toEqual([
      "x/lib/index.js",
      "y/lib/index.js",
      "src/index.js",
      "a.js",
    ]);
  });

  it("leave out the folder that all lie in", () => {
    expect(short("/srv/app/index.js", "/srv/app/lib/index.js")).toEqual(["index.js", "lib/index.js"]);
  });

  it("begin with the package, the innermost one", () => {
    expect(
      short(
        "/srv/node_modules/express/lib/router.js",
        "/srv/node_modules/.pnpm/a@1/node_modules/@scope/a/index.js",
        "C:\\srv\\node_modules\\b\\index.js",
        "/srv/index.js",
      ),
    ).toEqual(["express/lib/router.js", "@scope/a/index.js", "b/index.js", "index.js"]);
  });

  it("tell two copies of a package apart", () => {
    expect(
      short("/srv/node_modules/ms/index.js", "/srv/node_modules/debug/node_modules/ms/index.js"),
    ).toEqual(["ms/index.js", "debug/node_modules/ms/index.js"]);
    const store = "/srv/node_modules/.pnpm";
    expect(
      short(`${store}/ms@2.0.0/node_modules/ms/index.js`, `${store}/ms@2.1.3/node_modules/ms/index.js`),
    ).toEqual(["ms@2.0.0/node_modules/ms/index.js", "ms@2.1.3/node_modules/ms/index.js"]);
  });

  it("end where a path of packages in packages ends", () => {
    const files = ["/node_modules/a/node_modules/b/index.js", "/x/node_modules/b/index.js", "/b/index.js"];
    expect(new Set(short(...files)).size).toBe(3);
    expect(short("/node_modules/node_modules/b/x", "/a/b/node_modules/@s/node_modules/b/x")).toEqual([
      "node_modules/b/x",
      "@s/node_modules/b/x",
    ]);
  });

  it("are Node's own as they are", () => {
    expect(
      short("node:fs", "node:internal/fs/utils", "/srv/fs.js", "internal/url.js", "", "wasm://wasm/7f"),
    ).toEqual(["node:fs", "node:internal/fs/utils", "fs.js", "internal/url.js", "", "wasm://wasm/7f"]);
  });

  it("are read off URLs and Windows paths too", () => {
    expect(
      short(
        "file:///srv/my%20app/a.mjs",
        "file:///C:/w/b.mjs",
        "C:\\w\\c.js",
        "\\\\host\\share\\d.js",
        "/srv/100%/e\\f.js",
      ),
    ).toEqual(["a.mjs", "b.mjs", "c.js", "d.js", "e\\f.js"]);
    expect(short("file:///srv/100%.mjs", "https://host/x.js?v=1", "webpack://app/./src/y.ts")).toEqual([
      "100%.mjs",
      "x.js?v=1",
      "y.ts",
    ]);
  });

  it("are whole where nothing shorter tells files apart", () => {
    expect(short("file:///srv/a.js", "/srv/a.js")).toEqual(["file:///srv/a.js", "/srv/a.js"]);
    expect(short("fs.js", "/srv/fs.js")).toEqual(["fs.js", "/srv/fs.js"]);
  });

  it("do not depend on the order, and a file given twice is one", () => {
    const files = ["/p/x/lib/index.js", "/p/lib/index.js", "/p/y/lib/index.js", "/p/index.js"];
    const forward = shortFiles([...files, ...files]);
    const backward = shortFiles(files.toReversed());
    expect(forward.size).toBe(4);
    for (const file of files) expect(backward.get(file)).toBe(forward.get(file));
    expect(new Set(forward.values()).size).toBe(4);
  });
});
