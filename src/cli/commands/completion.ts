import type { Command } from "commander";
import { joinLines, writeChunks } from "../../io/output.js";
import { optionTable } from "../usage/option-table.js";

const FOOTER = `
bash: add to ~/.bashrc:  source <(ticks completion bash)
zsh:  add to ~/.zshrc, after compinit:  source <(ticks completion zsh)
fish: ticks completion fish > ~/.config/fish/completions/ticks.fish`;

/** The shells that have a completion script. */
const SHELLS = ["bash", "zsh", "fish"] as const;

/** Adds the options and the action of `ticks completion`. */
export function configure(command: Command, completeAll: () => Promise<readonly Command[]>): void {
  command.registeredArguments[0]!.choices(SHELLS);
  command.addHelpText("after", FOOTER).action(async (shell: (typeof SHELLS)[number]) => {
    await completeAll();
    const table = optionTable(command.parent!);
    const { completionScript } = await loadScript(shell);
    await writeChunks(process.stdout, joinLines(completionScript(table)));
  });
}

function loadScript(shell: (typeof SHELLS)[number]) {
  if (shell === "bash") return import("./completion/bash-script.js");
  return shell === "zsh" ? import("./completion/zsh-script.js") : import("./completion/fish-script.js");
}
