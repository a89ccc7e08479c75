import { describe, expect, it } from "vitest";
import { roleOf } from "../../src/symbolizer/function-sources.ts";

/** The role of the function whose parameters begin at `@`. */
function role(text: string, isCut = false): string | undefined {
  return roleOf(text.slice(0, text.indexOf("@")), isCut);
}

describe("what a function without a name is for", () => {
  it.each([
    ["app.get('/auth', @(req, res) => {})", "app.get('/auth') handler"],
    ['app.get("/auth", check, async @(req) => {})', "app.get('/auth') handler"],
    ["app.get('/a', check({ deep: [1, ')'] }), async function @(req) {})", "app.get('/a') handler"],
    ["server.on(\n  'request',\n  function* @() {})", "server.on('request') handler"],
    ["setInterval(@() => {}, 5)", "setInterval callback"],
    ["promise.then(@x => x)", "promise.then callback"],
    ["load(1).then(@x => x)", "load().then callback"],
    ["http.createServer(function @(req) {})", "http.createServer callback"],
    ["new Promise(@(resolve) => {})", "new Promise callback"],
    ["list\n  .filter(Boolean)\n  .map(@x => x)", "list.filter().map callback"],
    ["this.queue?.push(@() => {})", "this.queue.push callback"],
    ["handlers[name].add(@() => {})", "handlers[…].add callback"],
    ["[1, 2].map(@x => x)", "[…].map callback"],
    ["(await load()).then(@x => x)", "(…).then callback"],
    ["`a`.replace(@x => x)", "….replace callback"],
    ["t.forEach((@e=>e))", "t.forEach callback"],
    ["router.use([log, @(req) => {}])", "router.use callback"],
    ["table[key] = @() => {}", "table[…]"],
    ["module.exports = function @() {}", "module.exports"],
    ["cache.get ??= @() => {}", "cache.get"],
    ["app.get('/x', // it's (odd\n  @(req) => {})", "app.get('/x') handler"],
    ['text.replace(/[("]/g, @(all) => all)', "text.replace callback"],
  ])("%s", (text, expected) => {
    expect(role(text)).toBe(expected);
  });

  it.each([
    "(@() => {})()",
    "(function @() {})()",
    "return @() => {}",
    "if (@() => {}) {}",
    "x => @y => x + y",
    "a === @() => {}",
    "[@() => {}]",
    "function f(g, @() => {}) {}",
    "@() => {}",
  ])("is not known of %s", (text) => {
    expect(role(text)).toBeUndefined();
  });

  it("shows that a name goes on before what was read", () => {
    expect(role("Table.each(@() => {})", true)).toBe("…Table.each callback");
  });

  it("cuts long callees and texts", () => {
    expect(role(`get('/${"a".repeat(50)}', @() => {})`)).toBe(`get('/${"a".repeat(38)}…') handler`);
    expect(role(`${"abcdefghij.".repeat(9)}on(@() => {})`)).toMatch(/^….{30,60} callback$/);
  });

  it.each(["(", "[", ")", "'", "`", "/", "//", "a.", ",(", "((", " \n", "async ", "new "])(
    "ends on %s again and again",
    (part) => {
      const text = part.repeat(100_000).slice(-2000);
      const start = performance.now();
      for (let i = 0; i < 50; i++) roleOf(`${text}(`, true);
      expect(performance.now() - start).toBeLessThan(5000);
    },
  );
});
