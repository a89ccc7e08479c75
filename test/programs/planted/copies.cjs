// Copies all of its settings for each request that it plays.
const settings = Object.fromEntries(
  Array.from({ length: 300 }, (_, i) => [`key${i}`, { on: i % 2 === 0, limit: i }]),
);

function requestSettings(user) {
  const own = JSON.parse(JSON.stringify(settings));
  own.user = user;
  return own;
}

let sum = 0;
for (let i = 0; i < 2500; i++) sum += requestSettings(i).key7.limit;
console.log(sum);
