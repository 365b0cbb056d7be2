import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { rowText, rowTexts, startListNode } from '../hostile-nodes.js';
import {
  answerByHeaders,
  answerEndlessly,
  answerOf,
  answerPastTheEnd,
  startHostileServer,
} from '../hostile-server.js';
import { hostileAt, pick, type Circumstances, type Hostile } from './hostile.js';

const MEGABYTE = 1_048_576;
/** More than any client reads of one body. */
const POURED = 256 * MEGABYTE;
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);
const WILD_NUMBERS = [
  '1e99',
  '-1e400',
  '9223372036854775807',
  '18446744073709551615',
  '-1',
  '0.5',
  `1${'0'.repeat(400)}`,
];
const WILD_TEXTS = [
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999999999Z"',
  '"\\u0000\\ud800"',
  DEEP,
  'null',
  '{}',
];
const WILD = [...WILD_NUMBERS, ...WILD_NUMBERS.map((text) => `"${text}"`), ...WILD_TEXTS];

/** Answers every request with a complete compressed body, followed by endless zeros. */
export function packed(): Promise<Hostile> {
  return serve(answerPastTheEnd('gzip', gzipSync(listOf(rowTexts(1, 20)))).listener);
}

/** Its list never ends; any other answer never gets beyond its headers. */
export async function endless(): Promise<Hostile> {
  const rows = Buffer.from(`${rowTexts(1, 500).join(',')},`);
  const list = answerEndlessly('{"submissions":[', rows, POURED);
  const headers = answerByHeaders(500);
  return serve((request, response) =>
    (request.url === '/da/submissions' ? list : headers)(request, response),
  );
}

/** Returns a new list without known rows each time: one row of 30 MB, or 40,000 rows. */
export async function huge(): Promise<Hostile> {
  const noise = randomBytes(22 * MEGABYTE).toString('base64');
  let turn = 0;
  return serveList(() => {
    turn += 1;
    if (turn % 2 === 1) return [rowText(turn, { status_code: 'Error', message: `${turn} ${noise}` })];
    const from = turn * 100_000;
    const message = 'x'.repeat(300);
    return Array.from({ length: 40_000 }, (_, index) => rowText(index, { message, sequence: from + index }));
  });
}

/** Rows in which any value may be wrong: numbers that no column can store, and far too deep lists. */
export async function odd({ random }: Circumstances): Promise<Hostile> {
  const rows: string[] = [];
  const spoil = (text: string): string => {
    const cells = text.slice(1, -1).split(/,(?=")/);
    const at = Math.floor(random() * cells.length);
    const name = (cells[at] ?? '').split(':', 1)[0] ?? '';
    return `{${cells.with(at, `${name}:${pick(WILD, random)}`).join(',')}}`;
  };
  return serveList(() => {
    for (let added = 0; added < 5; added += 1) rows.push(spoil(rowText(rows.length)));
    return rows.slice(-60);
  });
}

/** A list behind a cache that returns any older state, and at the end only those. */
export async function stale({ random }: Circumstances): Promise<Hostile> {
  const rows = rowTexts(1, 64);
  let turn = 0;
  return serveList(() => {
    turn += 1;
    const newest = 40 + 2 * Math.min(turn, 12);
    const age = random() < 0.4 || turn > 12 ? Math.floor(30 * random()) + 5 : 0;
    return rows.slice(Math.max(0, newest - age - 100), newest - age);
  });
}

/** An address without a server. */
export async function dead(): Promise<Hostile> {
  const server = await startHostileServer(answerOf(''));
  await server.close();
  return { url: server.url, asked: undefined, close: () => Promise.resolve() };
}

async function serve(listener: RequestListener): Promise<Hostile> {
  return hostileAt(await startHostileServer(listener));
}

/** A node with only a list, which is created for each request. */
async function serveList(next: () => readonly string[]): Promise<Hostile> {
  const node = await startListNode();
  node.answers.set('/da/submissions', (request, response) => answerOf(listOf(next()))(request, response));
  return { url: node.url, asked: () => node.asked, close: () => node.close() };
}

function listOf(rows: readonly string[]): string {
  return `{"submissions":[${rows.toReversed().join(',')}],"total":${rows.length}}`;
}
