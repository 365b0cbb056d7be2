/** A process of the bench `poll`: answers a list of submissions, the same one always or one that moves on. */
import { readOptions, serveParent } from './support/child.js';
import { listenRaw, toAnswer } from './support/raw-server.js';
import { listBody, submissionAt } from './support/submission-texts.js';

const { windows, fresh } = readOptions<{ windows: number; fresh: number }>();
const START_MS = 1_790_000_000_000;
const texts = Array.from(
  { length: 100 + windows * fresh },
  (_, index) => submissionAt(1, index, START_MS).text,
);
const date = new Date(START_MS).toUTCString();
const answers = Array.from({ length: windows }, (_, index) =>
  toAnswer(200, 'application/json', listBody(texts, 100 + index * fresh), date),
);

let turn = 0;
const { port } = await listenRaw(({ path }) => {
  const answer = path.startsWith('/same') ? answers[0] : answers[turn++ % answers.length];
  return answer as Buffer;
});
serveParent({ port });
