/** A table that cannot be read as it is. The message says why, in half a sentence. */
export class DamagedTable extends Error {
  override readonly name = "DamagedTable";
}
