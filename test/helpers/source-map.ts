const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A place in a generated script, from 0: its column, source, line there, column there, and the name's index. */
export type Segment = readonly [number] | readonly [number, number, number, number, number?];

/** The text of a source map whose generated lines have these segments. */
export function mapOf(lines: readonly (readonly Segment[])[], rest: object): string {
  const last = [0, 0, 0, 0, 0];
  const mappings = lines.map((segments) => {
    last[0] = 0;
    return segments
      .map((segment) =>
        segment
          .map((value = 0, i) => {
            const difference = value - last[i]!;
            last[i] = value;
            return vlq(difference);
          })
          .join(""),
      )
      .join(",");
  });
  return JSON.stringify({ version: 3, names: [], mappings: mappings.join(";"), ...rest });
}

/** Source: the source map specification (ECMA-426), "Base64 VLQ". */
function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
