#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";

// V8's young generation would grow with what survives, to three times 16 MB, and that buys nothing here: what a log leaves
// behind lives to the end. So it keeps the size that it starts with. The flag is of the whole process, and the heap of a new
// thread sets it back. Source: V8, src/heap/new-spaces.cc, `SemiSpaceNewSpace::Grow`; heap.cc, `Heap::ConfigureHeap`.
const keepYoungGenerationSmall = () => setFlagsFromString("--semi-space-growth-factor=1");
keepYoungGenerationSmall();
process.on("worker", (worker) => worker.once("online", keepYoungGenerationSmall));

await import("../dist/program/main.js");
