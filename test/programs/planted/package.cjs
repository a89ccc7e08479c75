// Lets a package do its work, from one line.
const { tally, words } = require("tally");

let sum = 0;
for (let i = 0; i < 350; i++) sum += tally(words(4000 + i)).size;
console.log(sum);
