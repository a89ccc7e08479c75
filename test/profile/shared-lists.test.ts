import { expect, it } from "vitest";
import { SharedLists } from "../../src/profile/shared-lists.ts";

it("maps each list and each single object once", () => {
  const seen: number[] = [];
  const lists = new SharedLists(({ id }: { id: number }) => {
    seen.push(id);
    return id * 10;
  });
  const [one, two] = [{ id: 1 }, { id: 2 }];
  const list = [one, two];
  expect(lists.of(list)).toEqual([10, 20]);
  expect(lists.of(list)).toBe(lists.of(list));
  expect(lists.ofOne(two)).toBe(lists.ofOne(two));
  expect(seen).toEqual([1, 2, 2]);
});
