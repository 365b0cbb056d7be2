import { existsSync, rmSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { requireKnownNames } from '../statistics/read/known-names.query.js';
import { findStreams } from '../api/events/event-streams.query.js';
import { Redaction } from '../domain/redaction.js';
import { FIRST_HASH } from '../domain/hash-chain.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import { readPage } from '../event-log/log-pages.js';
import type { LogRow } from '../event-log/logged-event.js';
import { UserError } from '../platform/errors.js';
import { type Database, onConnection } from '../platform/sql.js';
import { findPositionAt } from '../statistics/read/plan/log-position.query.js';
import { VERIFIER } from './evidence-verifier.js';
import { toMarkdownText } from '../api/post-mortem/markdown-text.js';
import { readHosts } from './known-redaction.js';
import { type Write, writeHashed, writing } from './output-file.js';

/** The content of a bundle: everything recorded of some nodes in a time. */
export interface EvidenceScope {
  readonly nodes: readonly string[];
  readonly fromUs: Micros;
  /** Excluded. */
  readonly toUs: Micros;
}

export interface EvidenceRequest extends EvidenceScope {
  /** Addresses and names of people are replaced. Names of nodes remain: each hash covers them. */
  readonly isRedacted: boolean;
}

export interface WrittenBundle {
  readonly events: number;
  /** SHA-256 of the manifest, which names all other files. */
  readonly manifest: string;
}

type OnProgress = (events: number, total: number) => void;

const EVENTS = 'events.ndjson';
const PAGE_EVENTS = 1_000;
/** A larger bundle is too large to hand over. */
const MOST_BYTES = 4_000_000_000;

/**
 * Writes a folder with the events of nodes as they are stored, their hashes, and a program that verifies them. Events are read
 * and written page by page.
 * @param folder is created, and must not exist; its name ends in `.part` until it is complete
 * @param onProgress called after each page with the number of events written, and of all events, estimated
 * @throws UserError for an unknown node, a folder that exists or cannot be written, or too many bytes
 */
export async function writeEvidence(
  dataSource: Database,
  request: EvidenceRequest,
  folder: string,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<WrittenBundle> {
  await requireKnownNames(dataSource, request, { log: true });
  const streams = (await findStreams(dataSource, { nodes: [...request.nodes] })) ?? [];
  const draft = `${resolve(folder)}.part`;
  requireNone(folder, 'Give --out a folder that does not exist yet.');
  requireNone(draft, 'Remove it: it has an unfinished bundle. Or give --out another folder.');
  await writing(folder, () => mkdir(draft));
  try {
    const bundle = await writeBundle(dataSource, { ...request, streams }, draft, signal, onProgress);
    await writing(folder, () => rename(draft, folder));
    return bundle;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

/** @throws UserError if the folder exists */
function requireNone(folder: string, remedy: string): void {
  if (existsSync(folder)) throw new UserError(`Cannot make the folder ${folder}: it exists.`, remedy);
}

async function writeBundle(
  dataSource: Database,
  request: EvidenceRequest & { readonly streams: readonly string[] },
  folder: string,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<WrittenBundle> {
  const [after, upTo] = await onConnection(dataSource, async (query) => [
    await findPositionAt(query, request.fromUs - 1n),
    await findPositionAt(query, request.toUs - 1n),
  ]);
  let events = 0;
  const { sha256 } = await writeHashed(join(folder, EVENTS), async (write) => {
    const redaction = request.isRedacted ? new Redaction({ host: await readHosts(dataSource) }) : undefined;
    const stretch = { streams: request.streams, after, upTo, redaction };
    // A first pass meets the hosts that a later event names.
    if (redaction) await writeEvents(dataSource, stretch, () => Promise.resolve(), signal, onProgress);
    events = await writeEvents(dataSource, stretch, write, signal, onProgress);
  });
  const files: Record<string, string> = { [EVENTS]: sha256 };
  for (const [name, text] of [
    ['README.md', toReadme(request, events)],
    ['verify.mjs', VERIFIER],
  ] as const)
    files[name] = (await writeHashed(join(folder, name), (write) => write(text))).sha256;
  const manifest = `${JSON.stringify({ format: 1, events, files }, null, 2)}\n`;
  const { sha256: digest } = await writeHashed(join(folder, 'manifest.json'), (write) => write(manifest));
  return { events, manifest: digest };
}

interface StreamRange {
  readonly streams: readonly string[];
  readonly after: bigint;
  readonly upTo: bigint;
  readonly redaction: Redaction | undefined;
}

async function writeEvents(
  dataSource: Database,
  { streams, after, upTo, redaction }: StreamRange,
  write: Write,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<number> {
  const tails = new Map<string, string>();
  let events = 0;
  let bytes = 0;
  for (let position = after; ;) {
    signal.throwIfAborted();
    const selection = {
      where: 'position > $1 AND position <= $2 AND stream = ANY ($3)',
      parameters: [position, upTo, streams],
      key: 'position',
      direction: 'ASC',
    } as const;
    const { rows } = await readPage(dataSource, selection, PAGE_EVENTS);
    for (const row of rows) {
      const previous = tails.get(row.stream) ?? (await findPrevious(dataSource, row));
      tails.set(row.stream, row.hash);
      const line = toLine(row, previous, redaction);
      bytes += line.length;
      if (bytes > MOST_BYTES)
        throw new UserError(`A bundle holds ${MOST_BYTES} bytes at most.`, 'Give a shorter time.');
      await write(line);
    }
    const last = rows.at(-1);
    if (last === undefined) return events;
    events += rows.length;
    position = last.position;
    // Events are assumed to be spread evenly over the positions of the time.
    onProgress(events, (events * Number(upTo - after)) / Number(position - after));
  }
}

async function findPrevious(dataSource: Database, { stream, version }: LogRow): Promise<string> {
  if (version === 1n) return FIRST_HASH;
  const [row] = await dataSource.query<{ hash: string }[]>(
    `SELECT encode(hash, 'hex') AS hash FROM event WHERE stream = $1 AND version = $2`,
    [stream, version - 1n],
  );
  if (row) return row.hash;
  throw new UserError(
    `The log lacks version ${version - 1n} of ${stream}.`,
    '`hindsight verify` says what is wrong with the log.',
  );
}

/** In ASCII, because some programs end lines at other characters, too. 64-bit numbers are texts. */
function toLine(
  { body: stored, hash, observedAt, recordedAt, ...row }: LogRow,
  previous: string,
  redaction: Redaction | undefined,
): string {
  const body = redaction ? redactBody(stored, redaction) : stored;
  const { position, stream, version, type, schema } = row;
  const event = {
    position: String(position),
    stream,
    version: String(version),
    type,
    schema,
    observedAtUs: String(observedAt),
    recordedAtUs: String(recordedAt),
    body,
    previous,
    hash,
    ...(body !== stored && { redacted: true }),
  };
  const escaped = JSON.stringify(event).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}

/** Texts that were kept as bytes are removed, as they may hold addresses as well. */
function redactBody(body: string, redaction: Redaction): string {
  return redaction
    .redactJson(body)
    .replace(/"original":"[^"]*"/g, '"original":""')
    .replace(/"originals":\{[^}]*\}/g, '"originals":{}')
    .replace(/"by":"(?!(?:command line|loopback)")(?:[^"\\]|\\.)*"/g, '"by":"person"');
}

function toReadme({ nodes, fromUs, toUs, isRedacted }: EvidenceRequest, events: number): string {
  const time = (us: Micros): string => formatTime(microsToNanos(us));
  return `# Evidence of ${nodes.length === 1 ? 'node' : 'nodes'} ${toMarkdownText(nodes.join(', '))}

${events} events, recorded from ${time(fromUs)} up to ${time(toUs)} by the clock of the database. Anyone with Node 20 or newer can verify them by

    node verify.mjs

The program needs nothing else. If a byte was changed, it names the file and exits with 1. Someone who changes all files could change
verify.mjs as well: compare the SHA-256 of manifest.json with the one that was printed when the bundle was made.

| file | holds |
| --- | --- |
| ${EVENTS} | one event per line, as it is stored: rows of a node's list and blocks are in \`body\` as the node sent them |
| manifest.json | the SHA-256 of each other file |
| verify.mjs | the program |

The hash of an event is SHA-256 over the 32 bytes of \`previous\`, and then position, stream, version, type, schema, observedAtUs, recordedAtUs and
body. Each of these is written as text, after its length in UTF-16 units and a colon. \`previous\` is the hash of the event before it in its stream.
${
  isRedacted
    ? `
Addresses and names of people were replaced. An event that had any has \`"redacted": true\`, and cannot be verified: hashes cover what is
gone. The whole event has the hash that is named here, so compare with the unredacted bundle if an event is disputed.
`
    : ''
}`;
}
