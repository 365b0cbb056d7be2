import { Argument, type Command } from 'commander';
import { printCompletion, SHELLS, type Shell } from './completion-script.js';

/** `hindsight completion`: a script with which a shell completes commands and flags. */
export function define(command: Command): void {
  command
    .description(
      'print a script that completes commands and flags; load it with: eval "$(hindsight completion bash)", ' +
        'the same with zsh, or: hindsight completion fish | source',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => {
      if (command.parent) process.stdout.write(printCompletion(shell, command.parent));
    });
}
