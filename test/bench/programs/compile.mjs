// Compiles the kernels again and again with the compiler of this package: deep stacks that seldom repeat.
import fs from "node:fs";
import asc from "assemblyscript/asc";

const folder = new URL("../../../src/kernels/assembly/", import.meta.url);
const end = Date.now() + 1000 * Number(process.argv[2]);
let bytes = 0;
while (Date.now() < end) {
  for (const file of ["tick-rows.ts", "stacks.ts", "elf-symbols.ts"]) {
    const { error } = await asc.main([file, "--outFile", "out.wasm", "--optimize"], {
      readFile: (name) =>
        fs.existsSync(new URL(name, folder)) ? fs.readFileSync(new URL(name, folder), "utf8") : null,
      writeFile(_, contents) {
        bytes += contents.length;
      },
      listFiles: () => [],
    });
    if (error) throw error;
  }
}
process.stdout.write(`${bytes} bytes\n`);
