// Makes its tables as it loads.
const rows = [];
for (let i = 0; i < 250000; i++) rows.push(`row ${(i * 7919) % 100003}`);
exports.tables = Array.from(new Set(rows)).sort();
exports.zlib = require("node:zlib").gzipSync(rows.join("\n")).length;
