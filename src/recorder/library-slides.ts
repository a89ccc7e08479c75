import type { Address, Ticks } from "../profile/units.js";
import type { PendingFrame, RecordedFrame } from "./recorded-frame.js";
import type { Recording } from "./recording.js";

/**
 * Decides by the ticks where the libraries of a log are, and returns the frames with their libraries. Call it
 * after the last record. Does nothing if the addresses of the libraries are certain. Frames keep their
 * numbers.
 */
export function locateFrames({
  frames,
  tree,
  samples,
  libraries,
  builtins,
}: Pick<Recording, "frames" | "tree" | "samples" | "libraries" | "builtins">): readonly RecordedFrame[] {
  if (libraries.areAddressesKnown) return frames;
  const ticks = new Map<Address, Ticks>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (frame.kind !== "pending") continue;
    ticks.set(frame.address, (ticks.get(frame.address) ?? 0) + samples.ticks[i]!);
  }
  libraries.chooseSlides(ticks);
  const located = (frame: PendingFrame): RecordedFrame => {
    const library = libraries.find(frame.address);
    const mayCopy = frame.reason === "unmapped" && builtins.mayCopy(frame.address);
    return library >= 0 || mayCopy ? { ...frame, library } : { kind: "unknown", reason: frame.reason };
  };
  return frames.map((frame) => (frame.kind === "pending" ? located(frame) : frame));
}
