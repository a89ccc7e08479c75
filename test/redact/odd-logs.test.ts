import { expect, it } from "vitest";
import { faultOf, inputOf } from "../fuzz/cases.ts";
import { redact } from "../fuzz/targets/redact.ts";

// `npm run fuzz -- --target redact` makes as many as one likes.
it.each([1, 2, 3])(
  "odd logs of seed %i are redacted: nothing private is left, the check holds, numbers stay",
  async (seed) => {
    for (let number = 0; number < 25; number++) {
      expect(await faultOf(redact, inputOf(redact, seed, number)), `case ${number}`).toBeUndefined();
    }
  },
);
