/** The visible part of a chart, in its unit: ticks, or microseconds over time. */
export interface Viewport {
  readonly start: number;
  readonly span: number;
}

/** The smallest width. */
const CLOSEST = 1 / 4;

/** Returns the view of the whole chart. */
export function wholeOf(total: number): Viewport {
  return { start: 0, span: Math.max(total, CLOSEST) };
}

/** Returns a view zoomed in by `factor` (out if below 1) that keeps `point` in place. */
export function zoomAt(view: Viewport, total: number, point: number, factor: number): Viewport {
  const span = Math.min(Math.max(total, CLOSEST), Math.max(CLOSEST, view.span / factor));
  const share = (point - view.start) / view.span;
  return within({ start: point - share * span, span }, total);
}

/** Returns a view moved to the right. */
export function panBy(view: Viewport, total: number, by: number): Viewport {
  return within({ start: view.start + by, span: view.span }, total);
}

/** Returns a view moved and resized as little as needed to show a box wider than a sliver. */
export function reveal(view: Viewport, total: number, start: number, span: number): Viewport {
  const isTiny = span < view.span / 50;
  const isWider = span > view.span;
  const width = isTiny ? span * 20 : isWider ? span : view.span;
  const isSeen = start >= view.start && start + span <= view.start + view.span;
  if (isSeen && width === view.span) return view;
  return within({ start: start + span / 2 - width / 2, span: Math.min(width, total) }, total);
}

/** Returns the view at `share` of the way between two. */
export function between(from: Viewport, to: Viewport, share: number): Viewport {
  const mix = (a: number, b: number) => a + (b - a) * share;
  return { start: mix(from.start, to.start), span: mix(from.span, to.span) };
}

function within(view: Viewport, total: number): Viewport {
  return { start: Math.max(0, Math.min(view.start, total - view.span)), span: view.span };
}

interface TimeLabel {
  /** In pixels from the left. */
  readonly x: number;
  readonly text: string;
}

/** Pixels between two labels, at least. */
const DISTANCE = 90;

/** Returns the labels of the time axis above the visible part of a chart, which begins at a time: evenly spaced round times. */
export function timeLabels({ start, span }: Viewport, from: number, width: number): TimeLabel[] {
  const least = (span * DISTANCE) / width;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least) ?? least);
  const labels: TimeLabel[] = [];
  const last = from + start + span;
  for (let i = Math.ceil((from + start) / step); i * step <= last; i++)
    labels.push({ x: ((i * step - from - start) * width) / span, text: labelText(i * step, step) });
  return labels;
}

/** Returns a time with the digits that tell it from the one a step away: `1.25 s`, `12 ms`, `2:05 min`. */
function labelText(micros: number, step: number): string {
  const [unit, name] = step < 1e5 && micros < 1e6 ? ([1e3, "ms"] as const) : ([1e6, "s"] as const);
  const digits = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
  if (step >= 1e6 && micros >= 60e6) {
    const seconds = Math.round(micros / 1e6);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
  }
  return `${(micros / unit).toFixed(digits)} ${name}`;
}
