/** What has the focus, as far as it uses keys itself. */
export type KeyTarget = "nothing" | "chart" | "button" | "choice" | "text" | "scroller" | "dialog";

/** The keys that a target uses itself. */
const OWN_KEYS: Readonly<Record<KeyTarget, RegExp | undefined>> = {
  nothing: undefined,
  chart: undefined,
  button: /^(Enter| )$/,
  choice: /^(Enter| |Arrow.*)$/,
  text: /^/,
  scroller: /^( |Arrow.*|Home)$/,
  dialog: /^/,
};

/** Returns whether a key that is pressed while `target` has the focus is for the charts. */
export function isForCharts(target: KeyTarget, key: string): boolean {
  return OWN_KEYS[target]?.test(key) !== true;
}
