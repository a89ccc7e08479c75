import { describe, expect, it } from "vitest";
import { mixColors, packColor, paletteOf } from "../../src/flame-page/colors.ts";

/** As WCAG 2 defines it: of red, green and blue from 0 to 255. */
function luminance(packed: number): number {
  const [red, green, blue] = [0, 8, 16].map((shift) => {
    const part = ((packed >>> shift) & 0xff) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [a, b].map((hex) => luminance(packColor(hex))).sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

describe("colours", () => {
  it.each(["light", "dark"] as const)("%s: text can be read on every fill", (theme) => {
    const { kinds, packages, slower, faster, same, root, text, background, axis } = paletteOf(theme);
    const changes = [...slower, ...faster, same];
    for (const fill of [...Object.values(kinds), ...packages, ...changes, root, background]) {
      expect(contrast(text, fill), fill).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(axis, background)).toBeGreaterThanOrEqual(4.5);
  });

  it("are bytes of a pixel, and can be mixed", () => {
    expect(packColor("#0180ff")).toBe(0xffff8001);
    expect(mixColors(0xff000000, 0xffffffff, 0.5)).toBe(0xff808080);
    expect(mixColors(0xff102030, 0xffffffff, 0)).toBe(0xff102030);
  });
});
