// Bundles the program as rolldown.config.mjs says. The command of rolldown does the same, and prints a line for each of its files.
import { rolldown } from "rolldown";
import configs from "../rolldown.config.mjs";

for (const { output, ...input } of configs) {
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}
