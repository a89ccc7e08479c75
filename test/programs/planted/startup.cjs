// Loads what it needs for a command that it does not run.
const { tables } = require("tables");
const { tally } = require("tally");

console.log(tally(["one", "two"]).size, tables.length);
