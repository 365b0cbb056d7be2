import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startDevnode } from '../../src/devnode/devnode.js';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { HIGHEST_HEIGHT } from '../../src/domain/bounds.js';
import { startBlockNode } from './block-node.js';
import { buildChain } from './chain-builder.js';
import { startDamagingProxy } from './damaging-proxy.js';
import { rowText, rowTexts, startListNode, startSharedAddress } from './hostile-nodes.js';
import {
  answerByHeaders,
  answerEndlessly,
  answerOf,
  answerPastTheEnd,
  startHostileServer,
} from './hostile-server.js';
import { sendWhole, startRewritingProxy } from './rewriting-proxy.js';
import { seededRandom } from './seeded-random.js';

/** A node that does its worst. */
export interface Hostile {
  readonly url: string;
  /** How often it answered or did something instead; undefined: nobody is there who could count. */
  readonly asked: (() => number) | undefined;
  close(): Promise<void>;
}

/** What a hostile node is made with. */
interface Circumstances {
  /** The chain of the node that behaves. */
  readonly chain: string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** One of each kind. */
const KINDS: Readonly<Record<string, (around: Circumstances) => Promise<Hostile>>> = {
  packed,
  endless,
  huge,
  odd,
  heights,
  stale,
  impostor,
  balanced,
  damaged,
  dead,
};

const MEGABYTE = 1_048_576;
/** More than anybody reads of one body. */
const POURED = 256 * MEGABYTE;
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);
const FAR_HEIGHTS = ['18446744073709551615', '9223372036854775807', String(HIGHEST_HEIGHT), '1'];
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

/** Starts all of them; `seed` decides what they do at random. By the kind of each. */
export async function startHostileCrowd(chain: string, seed: number): Promise<ReadonlyMap<string, Hostile>> {
  const crowd = new Map<string, Hostile>();
  for (const [index, [kind, start]] of Object.entries(KINDS).entries()) {
    crowd.set(kind, await start({ chain, random: seededRandom(seed + index) }));
  }
  return crowd;
}

/** Whatever it is asked: a packed answer that is whole, and behind its end zeros without end. */
function packed(): Promise<Hostile> {
  return serve(answerPastTheEnd('gzip', gzipSync(listOf(rowTexts(1, 20)))).listener);
}

/** Its list goes on and on; any other answer never gets beyond its headers. */
async function endless(): Promise<Hostile> {
  const rows = Buffer.from(`${rowTexts(1, 500).join(',')},`);
  const list = answerEndlessly('{"submissions":[', rows, POURED);
  const headers = answerByHeaders(500);
  return serve((request, response) =>
    (request.url === '/da/submissions' ? list : headers)(request, response),
  );
}

/** Each time another list that nobody has seen a row of: one row of 30 MB, or 40,000 rows. */
async function huge(): Promise<Hostile> {
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

/** Rows in which any value may be something else: numbers that no column holds, and far too deep lists. */
async function odd({ random }: Circumstances): Promise<Hostile> {
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

/**
 * A chain that begins just below the highest height there can be, so that all heights before are pruned. The DA heights
 * of its blocks fall, leap and repeat, some blocks cannot be read, and its counters lie beyond all heights.
 */
async function heights({ random }: Circumstances): Promise<Hostile> {
  const node = await startBlockNode();
  const wild = (n: number): bigint => BigInt(random() < 0.4 ? pick(FAR_HEIGHTS, random) : 5_000 - n);
  let blocks = buildChain({ chainId: 'heights-1', count: 0 });
  const grow = (): void => {
    const longer = buildChain({
      chainId: 'heights-1',
      after: blocks,
      count: 3,
      firstHeight: HIGHEST_HEIGHT - 9_999n,
    });
    blocks = longer.map((block, n) =>
      n < blocks.length ? block : { ...block, headerDaHeight: wild(n), dataDaHeight: wild(n) },
    );
    const unreadable = blocks[blocks.length - 1 - Math.floor(3 * random())]?.header.height ?? 0n;
    node.oddAnswers.set(unreadable, { status: 200, body: '{"block":[]}' });
    node.metadata.set('d', 2n ** 64n - 1n).set('last-submitted-header-height', 2n ** 63n);
    node.blocks = blocks;
  };
  grow();
  const address = await startRewritingProxy(node.url, (answer, response, { path }) => {
    if (!path.endsWith('/GetState')) return sendWhole(answer, response);
    grow();
    const told =
      random() < 0.3
        ? answer.body.toString().replace(/"lastBlockHeight":"\d+"/, `"lastBlockHeight":"${2n ** 64n - 1n}"`)
        : answer.body;
    sendWhole({ ...answer, body: Buffer.from(told) }, response);
  });
  return { ...counted(address), close: closing(address, node) };
}

/** A list behind a cache that gives any of its older states, and in the end none but those. */
async function stale({ random }: Circumstances): Promise<Hostile> {
  const rows = rowTexts(1, 4_000);
  let turn = 0;
  return serveList(() => {
    turn += 1;
    const newest = 40 + 2 * Math.min(turn, 12);
    const age = random() < 0.4 || turn > 12 ? Math.floor(30 * random()) + 5 : 0;
    return rows.slice(Math.max(0, newest - age - 100), newest - age);
  });
}

/** Says that it is of the chain of the node that behaves: with rows of its own, and blocks of its own that nobody signed. */
async function impostor({ chain }: Circumstances): Promise<Hostile> {
  const node = await startNode({ chainId: chain, seed: 'impostor' });
  const address = await startRewritingProxy(node.url, (answer, response, { path }) => {
    if (!path.endsWith('/GetBlock')) return sendWhole(answer, response);
    const unsigned = answer.body.toString().replace(/"signature":"[^"]*",/, '');
    sendWhole({ ...answer, body: Buffer.from(unsigned) }, response);
  });
  return { ...counted(address), close: closing(address, node) };
}

/** Two nodes of two chains behind one address, which turns at every request. */
async function balanced(): Promise<Hostile> {
  const left = await startNode({ chainId: 'left-1' });
  const right = await startNode({ chainId: 'right-1' });
  const address = await startSharedAddress([left, right]);
  address.answers = 'TURNS';
  return { url: address.url, asked: address.asked, close: closing(address, left, right) };
}

/** A node that behaves, of whose answers every third is damaged on the way. */
async function damaged({ random }: Circumstances): Promise<Hostile> {
  const node = await startNode({ chainId: 'damaged-1' });
  const proxy = await startDamagingProxy(node.url, 0.33, random);
  return { url: proxy.url, asked: proxy.damaged, close: closing(proxy, node) };
}

/** Nobody is there. */
async function dead(): Promise<Hostile> {
  const server = await startHostileServer(answerOf(''));
  await server.close();
  return { url: server.url, asked: undefined, close: () => Promise.resolve() };
}

async function serve(listener: Parameters<typeof startHostileServer>[0]): Promise<Hostile> {
  return counted(await startHostileServer(listener));
}

/** A node that has nothing but a list, which is made anew for each question. */
async function serveList(next: () => readonly string[]): Promise<Hostile> {
  const node = await startListNode();
  node.answers.set('/da/submissions', (request, response) => answerOf(listOf(next()))(request, response));
  return { url: node.url, asked: () => node.asked, close: () => node.close() };
}

function listOf(rows: readonly string[]): string {
  return `{"submissions":[${rows.toReversed().join(',')}],"total":${rows.length}}`;
}

async function startNode(options: DevnodeOptions): Promise<{ readonly url: string; close(): Promise<void> }> {
  const node = await startDevnode({ blockTimeMs: 500, daBlockTimeMs: 500, ...options });
  return { url: node.url, close: () => node.stop() };
}

function counted({ url, requests, close }: Awaited<ReturnType<typeof startHostileServer>>): Hostile {
  return { url, asked: () => requests.length, close };
}

function closing(...parts: readonly { close(): Promise<void> }[]): () => Promise<void> {
  return async () => {
    for (const part of parts) await part.close();
  };
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
