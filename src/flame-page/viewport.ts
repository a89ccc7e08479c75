/** The visible part of a chart, in ticks from the left. */
export interface Viewport {
  readonly start: number;
  readonly ticks: number;
}

/** The smallest width, in ticks. */
const CLOSEST = 1 / 4;

/** Returns the view of the whole chart. */
export function wholeOf(total: number): Viewport {
  return { start: 0, ticks: Math.max(total, CLOSEST) };
}

/** Returns a view zoomed in by `factor` (out if below 1) that keeps `tick` in place. */
export function zoomAt(view: Viewport, total: number, tick: number, factor: number): Viewport {
  const ticks = Math.min(Math.max(total, CLOSEST), Math.max(CLOSEST, view.ticks / factor));
  const share = (tick - view.start) / view.ticks;
  return within({ start: tick - share * ticks, ticks }, total);
}

/** Returns a view moved to the right by a number of ticks. */
export function panBy(view: Viewport, total: number, ticks: number): Viewport {
  return within({ start: view.start + ticks, ticks: view.ticks }, total);
}

/** Returns a view moved and resized as little as needed to show a box wider than a sliver. */
export function reveal(view: Viewport, total: number, start: number, ticks: number): Viewport {
  const isTiny = ticks < view.ticks / 50;
  const isWider = ticks > view.ticks;
  const width = isTiny ? ticks * 20 : isWider ? ticks : view.ticks;
  const isSeen = start >= view.start && start + ticks <= view.start + view.ticks;
  if (isSeen && width === view.ticks) return view;
  return within({ start: start + ticks / 2 - width / 2, ticks: Math.min(width, total) }, total);
}

/** Returns the view at `share` of the way between two. */
export function between(from: Viewport, to: Viewport, share: number): Viewport {
  const mix = (a: number, b: number) => a + (b - a) * share;
  return { start: mix(from.start, to.start), ticks: mix(from.ticks, to.ticks) };
}

function within(view: Viewport, total: number): Viewport {
  return { start: Math.max(0, Math.min(view.start, total - view.ticks)), ticks: view.ticks };
}
