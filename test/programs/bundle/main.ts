// Bundled into bundle.js, which fixtures run, by esbuild 0.28.2:
// esbuild main.ts --bundle --minify --platform=node --sourcemap=inline --outfile=bundle.js
import { Renderer } from "./vector";

function sortNumbers(howMany: number): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < howMany; i++) numbers.push((i * 7919) % 10007);
  return numbers.sort((left, right) => left - right);
}

async function runRounds(milliseconds: number): Promise<number> {
  const renderer = new Renderer({ x: 1, y: 2, z: 3 });
  const end = Date.now() + milliseconds;
  let checksum = 0;
  while (Date.now() < end) {
    renderer.shadePoints(20000);
    checksum += sortNumbers(2000)[10];
    await null;
  }
  return checksum + renderer.sum;
}

runRounds(Number(process.argv[2] ?? 1500)).then((result) => console.log(result > 0));
