import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sendWhole, startRewritingProxy, type WholeAnswer } from './rewriting-proxy.js';

/** A proxy to a node that damages some of its answers. */
export interface DamagingProxy {
  readonly url: string;
  /** Numbers of answers so far, and of damaged ones. */
  asked(): number;
  damaged(): number;
  close(): Promise<void>;
}

/** Sends a damaged answer. */
type Damage = (answer: WholeAnswer, random: () => number, response: ServerResponse) => void;

const NUMBERS =
  '0 -1 -0 0.1 60 1e99 1e400 -1e400 1e-400 2147483648 9007199254740993 4611686018427387905'.split(' ');
const LARGE_NUMBERS =
  '9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616'.split(' ');
const TEXTS = [
  '',
  'NaN',
  '0x',
  '====',
  'AAAA',
  'Success',
  'Other',
  '__proto__',
  'f'.repeat(64),
  'A'.repeat(70_000),
];
const TIMES = [
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '2099-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
];
const ESCAPED = ['"\\u0000"', '"\\ud800"', '"\\u202e"', '"\\u001b[31m"'];
const NESTED = [150, 5_000].map((depth) => '['.repeat(depth) + ']'.repeat(depth));
/** Replacements for any value. */
const VALUES = [
  ...NUMBERS,
  ...LARGE_NUMBERS,
  ...[...NUMBERS, ...LARGE_NUMBERS, ...TEXTS, ...TIMES].map((text) => JSON.stringify(text)),
  ...ESCAPED,
  ...NESTED,
  'true',
  'null',
  '[]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  `[${'0,'.repeat(5_000)}0]`,
];
const NAMES = ['"__proto__"', '"constructor"', '"toString"', '""', '"\\u0000"'];
const DATES = [
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Sat, 13 Sep 275760 00:00:00 GMT',
  '-271821-04-20T00:00:00Z',
  'garbage',
  '0',
  '',
];
const STATUSES = [204, 206, 301, 304, 400, 401, 404, 429, 500, 503, 599];
const ENCODINGS = ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, gzip'];
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?|true|false|null/g;

/** Each kind of damage, with its weight. */
const DAMAGES: readonly (readonly [weight: number, Damage])[] = [
  [70, (answer, random, to) => sendWhole({ ...answer, body: damageJson(answer.body, random) }, to)],
  [8, (answer, random, to) => sendWhole({ ...answer, body: damageBytes(answer.body, random) }, to)],
  [5, (answer, random, to) => sendWhole(withHeader(answer, 'date', pick(DATES, random)), to)],
  [3, (answer, random, to) => sendWhole({ ...answer, status: pick(STATUSES, random) }, to)],
  [3, (answer, random, to) => sendWhole(withHeader(answer, 'content-encoding', pick(ENCODINGS, random)), to)],
  [3, (answer, _, to) => sendWhole(packedAndMore(answer), to)],
  [3, (answer, random, to) => sendWhole({ ...answer, body: cut(answer.body, random) }, to)],
  [
    2,
    (answer, _, to) =>
      void to.writeHead(answer.status, { 'content-length': answer.body.length + 9 }).end(answer.body),
  ],
  [1, (_answer, _random, to) => void to.destroy()],
  [
    1,
    (answer, _, to) =>
      sendWhole({ ...answer, body: Buffer.concat([Buffer.from('\ufeff'), answer.body]) }, to),
  ],
];
const WEIGHT = DAMAGES.reduce((sum, [weight]) => sum + weight, 0);

/**
 * Starts a proxy in front of a node.
 *
 * @param share of damaged answers, from 0 to 1
 * @param random uniform in [0, 1); decides every damage, in the order of the answers
 */
export async function startDamagingProxy(
  target: string,
  share: number,
  random: () => number,
): Promise<DamagingProxy> {
  let [asked, damaged] = [0, 0];
  const server = await startRewritingProxy(target, (whole, response) => {
    asked += 1;
    if (random() >= share) return sendWhole(whole, response);
    damaged += 1;
    pickDamage(random)(whole, random, response);
  });
  return { url: server.url, asked: () => asked, damaged: () => damaged, close: () => server.close() };
}

function pickDamage(random: () => number): Damage {
  let left = random() * WEIGHT;
  for (const [weight, damage] of DAMAGES) {
    if (left < weight) return damage;
    left -= weight;
  }
  throw new RangeError('Not a number below 1');
}

/** Replaces, doubles or removes a value or a name. */
function damageJson(body: Buffer, random: () => number): Buffer {
  const text = body.toString();
  const tokens = [...text.matchAll(TOKEN)];
  if (tokens.length === 0) return body;
  const token = pick(tokens, random);
  const end = token.index + token[0].length;
  const isName = /^\s*:/.test(text.slice(end, end + 20));
  const choice = random();
  const put = isName
    ? pick(NAMES, random)
    : choice < 0.8
      ? pick(VALUES, random)
      : choice < 0.9
        ? `${token[0]},${token[0]}`
        : '';
  return Buffer.from(text.slice(0, token.index) + put + text.slice(end));
}

function damageBytes(body: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(body);
  for (let count = 0; count < 5 && bytes.length > 0; count += 1) {
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  }
  return bytes;
}

function packedAndMore(answer: WholeAnswer): WholeAnswer {
  const body = Buffer.concat([gzipSync(answer.body), Buffer.alloc(1_000)]);
  return withHeader({ ...answer, body }, 'content-encoding', 'gzip');
}

function cut(body: Buffer, random: () => number): Buffer {
  return body.subarray(0, Math.floor(random() * body.length));
}

function withHeader(answer: WholeAnswer, name: string, value: string): WholeAnswer {
  return { ...answer, headers: { ...answer.headers, [name]: value } };
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
