import { describe, expect, it } from "vitest";
import { filePath, locatedName } from "../../src/exporters/located-name.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function nameOf(stack: string): string {
  const { frames } = profileFromStacks(stack.replaceAll(" ", "·"));
  return locatedName(new FunctionTable(frames).functions[0]!);
}

describe("locatedName", () => {
  it.each([
    ["js:run /srv/releases/7/src/app.js:10:5", "run src/app.js:10:5"],
    ["js:run file:///srv/app.js:10:5", "run srv/app.js:10:5"],
    ["js:run C:\\srv\\src\\app.js:10:5", "run src/app.js:10:5"],
    ["js:run /app.js:10:5", "run app.js:10:5"],
    ["js:run https://host/app.js:10:5", "run host/app.js:10:5"],
    ["js: /srv/node_modules/.pnpm/a@1/node_modules/@s/a/lib/b.js:1:2", "<anonymous> @s/a/lib/b.js:1:2"],
    ["js:run D:\\x\\node_modules\\a\\lib\\b.js:1:2", "run a/lib/b.js:1:2"],
    ["js:run node:internal/fs/promises:1:2", "run node:internal/fs/promises:1:2"],
    ["js:run evalmachine.<anonymous>:1:2", "run evalmachine.<anonymous>:1:2"],
    ["js:run :1:2", "run 1:2"],
    ["js:run", "run"],
    ["builtin:ArrayMap", "Builtin: ArrayMap"],
    ["cpp:node::Run(int)", "node::Run(int)"],
    ["lib:/lib/libc.so.6", "/lib/libc.so.6"],
    ["?", "UNKNOWN"],
  ])("%s is %s", (stack, name) => {
    expect(nameOf(stack)).toBe(name);
  });
});

describe("filePath", () => {
  it.each([
    ["file:///srv/my%20app.js", "/srv/my app.js"],
    ["file:///C:/srv/app.js", "C:/srv/app.js"],
    ["file:///srv/100%.js", "/srv/100%.js"],
    ["file://host/share/app.js", "file://host/share/app.js"],
    ["/srv/app%20.js", "/srv/app%20.js"],
    ["node:fs", "node:fs"],
  ])("%s is %s", (file, path) => {
    expect(filePath(file)).toBe(path);
  });
});
