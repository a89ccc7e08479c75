import type { ProfileInfo, ThreadInfo } from "./profile.js";
import { nodeMajor } from "./v8-version.js";

/** The most titles that are listed in full. */
const TITLES_LIMIT = 10;
/** The number of titles that are named if there are more. */
const TITLES_NAMED = 3;

/** Returns a title for several logs or folders of logs. */
export function joinTitles(titles: readonly string[]): string {
  if (titles.length <= TITLES_LIMIT) return titles.join(", ");
  return `${titles.slice(0, TITLES_NAMED).join(", ")} and ${titles.length - TITLES_NAMED} more`;
}

/** More versions than this are counted, not listed. */
const VERSIONS_LIMIT = 3;

/** Returns ` and `-joined versions of Node, as `Node 20.20.2 and 22.1.0`; undefined if one is not known. */
export function nodeText({ threads, v8 }: Pick<ProfileInfo, "threads" | "v8">): string | undefined {
  const stated = threads.map(({ program }) => program?.node ?? "");
  const isStated = threads.length > 0 && !stated.includes("");
  const versions = isStated ? stated : v8.map((version) => String(nodeMajor(version) ?? ""));
  const all = Array.from(new Set(versions));
  if (all.length === 0 || all.includes("")) return undefined;
  const more = all.length > VERSIONS_LIMIT ? ` and ${all.length - VERSIONS_LIMIT} more` : "";
  return `Node ${all.slice(0, VERSIONS_LIMIT).join(more === "" ? " and " : ", ")}${more}`;
}

/** Returns the title of a report: what ran, or its logs, and the version of Node: `node app.js, pid 6244, Node 20.20.2`. */
export function reportTitle(info: Pick<ProfileInfo, "title" | "threads" | "v8">): string {
  const node = nodeText(info);
  return node === undefined ? info.title : `${info.title}, ${node}`;
}

/**
 * Returns which program ran how often: `node app.js, pid 6244`, `3 processes of npm test`; undefined if that is not known of one of the
 * threads, or if they are of several programs.
 */
export function whatRan(threads: readonly ThreadInfo[]): string | undefined {
  const programs = threads.flatMap(({ program }) => program ?? []);
  if (programs.length === 0 || programs.length < threads.length) return undefined;
  const processes = new Map(threads.map(({ pid, program }) => [`${pid} ${program!.folder}`, pid]));
  const own = onlyOne(programs.map(({ command }) => command));
  if (own === "") return undefined; // A program that tells nothing of itself, such as workerd.
  if (processes.size === 1) return `${own}, pid ${Array.from(processes.values())[0]}`;
  const typed = onlyOne(programs.map(({ recorded }) => recorded));
  const runs = new Set(programs.map(({ folder }) => folder)).size;
  if (runs > 1) return typed && `${runs} runs of ${typed}`;
  return `${processes.size} processes of ${own ?? typed}`;
}

function onlyOne(texts: readonly string[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined;
}
