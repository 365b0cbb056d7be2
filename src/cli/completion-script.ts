import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command by its names after the program's, and what may follow it. */
interface Place {
  readonly path: readonly string[];
  readonly words: readonly Word[];
}

/** A command or a flag. */
interface Word {
  readonly text: string;
  readonly description: string;
}

/**
 * A script that completes the commands and long flags of a program. Other words are completed as file names.
 * @param program with all of its commands defined
 */
export function printCompletion(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  return shell === 'fish' ? fish(program.name(), places) : bash(program.name(), places, shell);
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const { commands } = command;
  const flags = command.options.flatMap(({ long, description, hidden }) =>
    typeof long !== 'string' || hidden ? [] : [{ text: long, description }],
  );
  const words = [
    ...commands.map((child) => ({ text: child.name(), description: child.description() })),
    ...flags,
    { text: '--help', description: 'show help' },
  ];
  return [{ path, words }, ...commands.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

/** Zsh runs the functions of bash. The longest path that the line begins with decides. */
function bash(name: string, places: readonly Place[], shell: Exclude<Shell, 'fish'>): string {
  const cases = places
    .toSorted((a, b) => b.path.length - a.path.length)
    .map(({ path, words }) => {
      const texts = words.map(({ text }) => text).join(' ');
      return `    "${[...path, ''].join(' ')}"*) words="${texts}" ;;\n`;
    });
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit\n'] : []),
    `_${name}() {\n`,
    '  local current="${COMP_WORDS[COMP_CWORD]}" words\n',
    '  local line="${COMP_WORDS[*]:1:COMP_CWORD-1} "\n',
    '  case "$line" in\n',
    ...cases,
    '  esac\n',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))\n',
    '}\n',
    `complete -o default -F _${name} ${name}\n`,
  ].join('');
}

function fish(name: string, places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const condition = path.length === 0 ? '__fish_use_subcommand' : seen;
    return words.map(({ text, description }) => {
      const word = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`;
      return `complete -c ${name} -n '${condition}' ${word} -d ${quoteForFish(description)}\n`;
    });
  });
  return lines.join('');
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, (character) => `\\${character}`).replaceAll(/\s+/g, ' ')}'`;
}
