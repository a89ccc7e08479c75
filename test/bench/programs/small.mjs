// Calls 2,000 small functions one after the other, again and again.
const COUNT = 2000;
const functions = [];
const text = Array.from(
  { length: COUNT },
  (_, i) => `function s${i}(x) {
  let sum = x;
  for (let k = 0; k < ${20 + (i % 50)}; k++) sum = (sum * 33 + k) % 10007;
  return sum;
}
functions.push(s${i});`,
);
new Function("functions", text.join("\n"))(functions);
const end = Date.now() + 1000 * Number(process.argv[2]);
let total = 0;
while (Date.now() < end) {
  for (let i = 0; i < COUNT; i++) total += functions[i](i);
}
process.stdout.write(`${total}\n`);
