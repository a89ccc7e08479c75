// Awaits what is there already, step by step.
const steps = [async (x) => x + 1, async (x) => x * 2, (x) => x % 1000003];

async function run(value) {
  let now = value;
  for (const step of steps) now = await step(now);
  return now;
}

async function main() {
  let sum = 0;
  for (let i = 0; i < 16000; i++) {
    const all = await Promise.all(Array.from({ length: 40 }, (_, k) => run(i + k)));
    sum += all[0];
  }
  console.log(sum);
}

main();
