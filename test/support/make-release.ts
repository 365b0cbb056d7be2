// Writes the files of package.json's release for the upgrade tests of later releases: its log and its dump. A service of this release
// makes them from two recorded nodes, a price and claims. A published release keeps its files; before that, remove them and run this again.
//   node --no-warnings --import ./test/support/typescript.mjs test/support/make-release.ts
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase } from './database.js';
import { EmbeddedFolder } from './embedded-folder.js';
import { appendTo, recordLog } from './record-log.js';
import { dumpDatabase, RELEASES } from './release-dump.js';
import { ServiceHome } from './service-process.js';
import { waitUntilSettled } from './settled-record.js';

const CHAIN = 'lab-1';
/** The played length of the recordings, milliseconds. */
const LENGTH_MS = 150_000;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
if (existsSync(new URL(`${version}.log.ndjson.br`, RELEASES))) {
  throw new Error(
    `What ${version} left is there already. Raise the version, or remove it if ${version} is not out.`,
  );
}
const server = process.env['DATABASE_URL'] === undefined ? new EmbeddedFolder() : undefined;
const home = new ServiceHome();
try {
  if (server) process.env['DATABASE_URL'] = (await server.open()).url;
  await make();
} finally {
  await home.clear();
  await server?.clear();
}

async function make(): Promise<void> {
  const database = await startTestDatabase();
  const dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  try {
    await append(new EventStore(dataSource), writeEvents());
    const service = home.launch(['start', '--role', 'archive', '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    await waitUntilSettled(dataSource);
    await service.kill('SIGTERM');
    const out = join(home.dataDir, 'log.ndjson');
    const { code, error } = await home.run(['export', 'events', '--format', 'ndjson', '--out', out], {
      databaseUrl: database.url,
    });
    if (code !== 0) throw new Error(error);
    mkdirSync(RELEASES, { recursive: true });
    write('log', readFileSync(out));
    write('dump', Buffer.from(`${(await dumpDatabase(database.url)).join('\n')}\n`));
  } finally {
    await dataSource.destroy();
    await database.stop();
  }
}

function write(file: 'log' | 'dump', text: Buffer): void {
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
  const packed = brotliCompressSync(text, { params });
  writeFileSync(new URL(`${version}.${file}.ndjson.br`, RELEASES), packed);
  process.stdout.write(`${version}.${file}.ndjson.br: ${text.length} bytes, ${packed.length} packed\n`);
}

function writeEvents(): RecordedEvent[] {
  const events = recordLog({ nodes: ['aggregator', 'follower'], every: 2_000, to: LENGTH_MS });
  const observedAt = Number((events.at(-1)?.observedAt ?? 0n) / 1_000n);
  const price = { effectiveFrom: null, subject: 'GAS_PRICE', value: { utia: '0.004' } } as const;
  appendTo(events, `${CHAIN}/operator`, [
    { type: 'PriceSet', observedAt, body: { entries: [price], source: 'a test', by: 'settings' } },
  ]);
  const looks = { first: observedAt, last: observedAt, count: 1, longestGapMs: 0 };
  appendTo(events, 'aggregator/claims', [
    {
      type: 'DaHealthClaimed',
      observedAt,
      body: { looks, status: 'healthy', body: { status: 'healthy' } },
    },
    { type: 'ServiceClaimed', observedAt, body: { kind: 'genesis', body: { height: '3' } } },
  ]);
  return events;
}

async function append(store: EventStore, events: readonly RecordedEvent[]): Promise<void> {
  const versions = new Map<string, bigint>();
  for (const { stream, type, body, observedAt } of events) {
    const event = { type, body, observedAt: Number(observedAt / 1_000n) } as NewEvent;
    const expectedVersion = versions.get(stream) ?? 0n;
    await store.append({ stream, expectedVersion, events: [event] });
    versions.set(stream, expectedVersion + 1n);
  }
}
