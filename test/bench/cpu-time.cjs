// Loaded into a measured program before its own code: writes its CPU time in seconds, of all its threads, to the file that is named in
// TICKS_BENCH_CPU. The system tells no parent the CPU time of a single child that has ended.
const { writeFileSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

const path = process.env.TICKS_BENCH_CPU;
if (isMainThread && path !== undefined) {
  delete process.env.TICKS_BENCH_CPU; // Programs that it starts are not measured.
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(path, String((user + system) / 1e6));
  });
}
