import { readFileSync } from 'node:fs';

/** Answers of the real node's handlers in sample situations: each with its title, and its answers by path. */
export function loadHandlers(): { title: string; answers: ReadonlyMap<string, string> }[] {
  const text = readFileSync(new URL('../fixtures/ev-node-da-handlers.txt', import.meta.url), 'utf8');
  return text
    .split(/^--- /m)
    .slice(1)
    .map((part) => {
      const answers = [...part.matchAll(/^(\/da\/\w+) 200 application\/json\n([\s\S]*?)\n\n/gm)];
      return {
        title: part.split('\n', 1)[0] ?? '',
        answers: new Map(answers.map(([, path = '', body = '']) => [path, body])),
      };
    });
}
