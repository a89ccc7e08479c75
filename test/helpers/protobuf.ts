/** A field of a protobuf message: a number, bytes, or numbers that follow each other. */
export function field(number: number, value: number | Uint8Array | readonly number[]): Buffer {
  if (typeof value === "number") return Buffer.concat([varint(number * 8), varint(value)]);
  const bytes = value instanceof Uint8Array ? value : Buffer.concat(value.map(varint));
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
