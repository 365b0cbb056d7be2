import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { findStreams } from '../api/events/event-streams.query.js';
import { FIRST_HASH } from '../domain/hash-chain.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import { readPage } from '../event-log/log-pages.js';
import type { LogRow } from '../event-log/logged-event.js';
import { codeOf, UserError } from '../platform/errors.js';
import { type Database, onConnection } from '../platform/sql.js';
import { findPositionAt } from '../statistics/read/plan/log-position.query.js';
import { VERIFIER } from './evidence-verifier.js';
import { toMarkdownText } from '../api/post-mortem/markdown-text.js';

/** What a bundle is of: all that was recorded of some nodes in a time. */
export interface EvidenceWish {
  readonly nodes: readonly string[];
  readonly fromUs: Micros;
  /** Excluded. */
  readonly toUs: Micros;
}

/** What was written. */
export interface WrittenBundle {
  readonly events: number;
  /** SHA-256 of its manifest, which names all other files. */
  readonly manifest: string;
}

const EVENTS = 'events.ndjson';
const PAGE_EVENTS = 1_000;
/** A bundle that is larger is no longer one that somebody hands over. */
const MOST_BYTES = 4_000_000_000;

/**
 * Writes a folder with the events of nodes as they are stored, their hashes, and a program that verifies them. Events are read and
 * written page by page.
 * @param folder is made, and must not exist
 * @throws UserError for a node that is not known, a folder that exists, too many bytes
 */
export async function writeEvidence(
  dataSource: Database,
  wish: EvidenceWish,
  folder: string,
  signal: AbortSignal,
): Promise<WrittenBundle> {
  const streams = (await findStreams(dataSource, { nodes: [...wish.nodes] })) ?? [];
  if (streams.length === 0)
    throw new UserError(
      `There is no node ${wish.nodes.map((node) => JSON.stringify(node)).join(', ')}.`,
      'hindsight status lists the nodes.',
      2,
    );
  makeFolder(folder);
  const [after, upTo] = await onConnection(dataSource, async (query) => [
    await findPositionAt(query, wish.fromUs - 1n),
    await findPositionAt(query, wish.toUs - 1n),
  ]);
  const file = new HashedFile(join(folder, EVENTS));
  const events = await writeEvents(dataSource, { streams, after, upTo }, file, signal);
  const files: Record<string, string> = { [EVENTS]: await file.end() };
  for (const [name, text] of [
    ['README.md', toReadme(wish, events)],
    ['verify.mjs', VERIFIER],
  ] as const) {
    writeFileSync(join(folder, name), text);
    files[name] = sha256(text);
  }
  const manifest = `${JSON.stringify({ format: 1, events, files }, null, 2)}\n`;
  writeFileSync(join(folder, 'manifest.json'), manifest);
  return { events, manifest: sha256(manifest) };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const why = codeOf(error) === 'EEXIST' ? 'it exists' : String(codeOf(error));
    throw new UserError(
      `Cannot make the folder ${folder}: ${why}.`,
      'Give --out a folder that is not there yet.',
      1,
      {
        cause: error,
      },
    );
  }
}

interface Stretch {
  readonly streams: readonly string[];
  readonly after: bigint;
  readonly upTo: bigint;
}

async function writeEvents(
  dataSource: Database,
  { streams, after, upTo }: Stretch,
  file: HashedFile,
  signal: AbortSignal,
): Promise<number> {
  const tails = new Map<string, string>();
  let events = 0;
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
      await file.write(toLine(row, previous));
    }
    const last = rows.at(-1);
    if (last === undefined) return events;
    events += rows.length;
    position = last.position;
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
    'hindsight verify names what is wrong with it.',
  );
}

/** In ASCII: some programs end lines at other characters, too. Numbers of 64 bits are texts. */
function toLine({ body, hash, observedAt, recordedAt, ...row }: LogRow, previous: string): string {
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
  };
  const escaped = JSON.stringify(event).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${escaped}\n`;
}

/** A file whose hash is computed while it is written. */
class HashedFile {
  private readonly stream;
  private readonly hash = createHash('sha256');
  private bytes = 0;

  constructor(path: string) {
    this.stream = createWriteStream(path);
  }

  /** @throws UserError for more bytes than a bundle may have */
  async write(text: string): Promise<void> {
    this.bytes += text.length;
    if (this.bytes > MOST_BYTES)
      throw new UserError(`A bundle holds ${MOST_BYTES} bytes at most.`, 'Give a shorter time.');
    this.hash.update(text);
    if (!this.stream.write(text)) await once(this.stream, 'drain');
  }

  async end(): Promise<string> {
    this.stream.end();
    await finished(this.stream);
    return this.hash.digest('hex');
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function toReadme({ nodes, fromUs, toUs }: EvidenceWish, events: number): string {
  const time = (us: Micros): string => formatTime(microsToNanos(us));
  return `# Evidence of ${nodes.length === 1 ? 'node' : 'nodes'} ${toMarkdownText(nodes.join(', '))}

${events} events, recorded from ${time(fromUs)} up to ${time(toUs)} by the clock of the database. Whoever has Node 20 or newer verifies them by

    node verify.mjs

It needs nothing else. Where a byte was changed it names the file and exits with 1. Whoever changes all files at once could change verify.mjs
as well. So compare the SHA-256 of manifest.json with the one that was printed when the bundle was made.

| file | holds |
| --- | --- |
| ${EVENTS} | an event a line, as it is stored: rows of a node's list and blocks stand in \`body\` as the node sent them |
| manifest.json | the SHA-256 of each other file |
| verify.mjs | the program |

The hash of an event is SHA-256 over the 32 bytes of \`previous\`, and then position, stream, version, type, schema, observedAtUs, recordedAtUs and
body. Each of these is text, after its length in UTF-16 units and a colon. \`previous\` is the hash of the event before it in its stream.
`;
}
