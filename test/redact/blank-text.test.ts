import { describe, expect, it, vi } from "vitest";
import { blankField } from "../../src/redact/row-text.ts";

describe("a blanked text", () => {
  it("of a long script is made in pieces, and keeps lines and columns", () => {
    const replace = vi.spyOn(String.prototype, "replace");
    const field = blankField(`${"secret\u{1f511}\n".repeat(50_000)}\u2028end`);
    const longest = Math.max(...replace.mock.contexts.map((text) => String(text).length));
    replace.mockRestore();
    expect(field).toBe(`${`${" ".repeat(8)}\\n`.repeat(50_000)}\\u2028   `);
    expect(longest).toBeLessThan(100_000);
  });
});
