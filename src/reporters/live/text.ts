import { shareOf } from "../layout/numbers.js";
import { shortSymbol } from "../layout/short-symbol.js";
import { shownMiddle } from "../layout/width.js";
import type { LiveReport } from "./json.js";
import { newestOf, seconds, shownRate } from "./live-words.js";

/** Functions on a line. */
const FUNCTIONS = 3;
/** The width of a name, and of a position. */
const NAME_COLUMNS = 60;
/** Categories on a line that have at least this share of the ticks. */
const LEAST_SHARE = 0.01;

/**
 * Returns one line for people: the time of the logs, the ticks of all the time and a second, then, of the last ten
 * seconds, what they were spent on and the functions with most self ticks.
 */
export function liveText({ view, readPercent, leftLogs }: LiveReport): string {
  const { ticks, categories, rows, names } = view;
  const parts = [
    `${seconds(view.span)}  ${ticks.all} ticks, ${shownRate(view.ticksPerSecond)}`,
    ...(readPercent === undefined ? [] : [`reading ${readPercent} %`]),
    ...(leftLogs === 0 ? [] : [newestOf(view, leftLogs)]),
    categories
      .filter(({ recent }) => recent > 0 && recent >= LEAST_SHARE * ticks.recent)
      .sort((a, b) => b.recent - a.recent)
      .map(({ category, recent }) => `${category} ${shareOf(recent, ticks.recent)}`)
      .join(" "),
    rows
      .slice(0, FUNCTIONS)
      .map(({ function: found, self }) => {
        const { title, position, isSymbol } = names.function(found);
        const name = shownMiddle(isSymbol ? shortSymbol(title) : title, NAME_COLUMNS);
        const where = shownMiddle(position, NAME_COLUMNS);
        return `${shareOf(self.recent, ticks.recent)} ${name} ${where}`.trimEnd();
      })
      .join(", "),
    ...(view.deoptCount > 0 ? [`${view.deoptCount} deopts`] : []),
  ];
  return parts.filter((part) => part !== "").join("  ");
}
