// Asks for the same sums again, and again.
const coins = [1, 2, 5, 10, 20, 50, 100];

function ways(amount, first) {
  if (amount === 0) return 1;
  let sum = 0;
  for (let i = first; i < coins.length && coins[i] <= amount; i++) sum += ways(amount - coins[i], i);
  return sum;
}

let total = 0;
for (let i = 0; i < 3; i++) total += ways(260 + i, 0);
console.log(total);
