/**
 * Serves a list of submissions, as a process of the bench `poll`. The list is constant under `/same`; under any other path it
 * advances with each request to that path.
 */
import { readOptions, serveParent } from './support/child.js';
import { listenRaw, toAnswer } from './support/raw-server.js';
import { listBody, submissionAt } from './support/submission-texts.js';

const { windows, fresh } = readOptions() as { windows: number; fresh: number };
const START_MS = 1_790_000_000_000;
const texts = Array.from(
  { length: 100 + windows * fresh },
  (_, index) => submissionAt(1, index, START_MS).text,
);
const date = new Date(START_MS).toUTCString();
const answers = Array.from({ length: windows }, (_, index) =>
  toAnswer(200, 'application/json', listBody(texts, 100 + index * fresh), date),
);

const turns = new Map<string, number>();
const { port } = await listenRaw(({ path }) => {
  const turn = turns.get(path) ?? 0;
  turns.set(path, turn + 1);
  return answers[path.startsWith('/same') ? 0 : turn % answers.length] ?? Buffer.alloc(0);
});
serveParent({ port });
