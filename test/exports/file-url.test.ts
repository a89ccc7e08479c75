import { describe, expect, it } from "vitest";
import { filePath } from "../../src/profile/stable-files.ts";

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
