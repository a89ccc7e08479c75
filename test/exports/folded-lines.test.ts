import { describe, expect, it } from "vitest";
import { foldedLines } from "../../src/exports/folded.ts";
import type { CallTree } from "../../src/profile/call-tree.ts";

const ROOT_FRAME = -1;

function treeOf(nodes: readonly (readonly [parent: number, frame: number])[]): CallTree {
  return {
    length: nodes.length + 1,
    parent: Int32Array.from([-1, ...nodes.map(([parent]) => parent)]),
    frame: Int32Array.from([ROOT_FRAME, ...nodes.map(([, frame]) => frame)]),
  };
}

/** The lines as they are meant, made one by one. */
function plainLines({ parent, frame, length }: CallTree, names: readonly string[]): string {
  let text = "";
  for (let leaf = 1; leaf < length; leaf++) {
    if (leaf % 3 === 0) continue;
    const stack: string[] = [];
    for (let node = leaf; node > 0; node = parent[node]!) stack.unshift(names[frame[node]!]!);
    text += `${stack.join(";")} ${leaf}\n`;
  }
  return text;
}

function linesOf(tree: CallTree, names: readonly string[]): string {
  return Array.from(foldedLines(tree, names, (leaf) => (leaf % 3 === 0 ? undefined : `${leaf}`))).join("");
}

describe("foldedLines", () => {
  it("has the callers of each node, whatever the order of the nodes", () => {
    const names = ["main", "é", `语${"x".repeat(40)}`, "😀", "f 2x", ""];
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647;
      return seed % below;
    };
    const nodes = Array.from({ length: 3000 }, (_, i): [number, number] => [
      random(4) === 0 ? random(i + 1) : i,
      random(names.length),
    ]);
    const tree = treeOf(nodes);
    expect(linesOf(tree, names) === plainLines(tree, names)).toBe(true);
  });

  it("writes names that are longer than what is passed on together", () => {
    const names = ["a".repeat(50_000), "b", "c".repeat(70_000)];
    const nodes = Array.from({ length: 70 }, (_, i): [number, number] => [i === 40 ? 10 : i, i % 3]);
    const tree = treeOf(nodes);
    expect(linesOf(tree, names) === plainLines(tree, names)).toBe(true);
  });
});
