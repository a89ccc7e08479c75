import { expect, it } from "vitest";
import { unmatchedFilters } from "../../src/views/unmatched-filters.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const profile = profileFromStacks(
  "js:main·/srv/app/main.js:1:1 js:parse·/srv/app/router.js:10:3 cpp:node::Parse(int)",
  "js:main·/srv/app/main.js:1:1 js:parse·/srv/app/router.js:10:3",
);

it("values of filters that match nothing are found, with what may be meant", () => {
  const found = unmatchedFilters(profile, {
    focus: [/pasre/, /^main$/, /routr\.js/],
    ignore: [/PARSE/, /pars(e|er)x/],
    hide: [/^Builtin: /],
    only: ["deps", "app"],
  });
  const none = { matchesOtherCase: false, suggestions: [] };
  expect(found).toEqual([
    { option: "focus", value: "pasre", matchesOtherCase: false, suggestions: ["parse"] },
    { option: "focus", value: "routr\\.js", matchesOtherCase: false, suggestions: ["/srv/app/router.js"] },
    { option: "ignore", value: "PARSE", matchesOtherCase: true, suggestions: [] },
    { option: "ignore", value: "pars(e|er)x", ...none },
    { option: "hide", value: "^Builtin: ", ...none },
    { option: "only", value: "deps", matchesOtherCase: false, suggestions: ["js", "native", "app"] },
  ]);
});

it("values that match something are not", () => {
  expect(unmatchedFilters(profile, { focus: [/main/], hide: [/PARSE/i], only: ["js"] })).toEqual([]);
  expect(unmatchedFilters(profile, {})).toEqual([]);
});
