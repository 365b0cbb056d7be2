import { buffer } from 'node:stream/consumers';
import type { DataSource } from 'typeorm';
import { openExports } from '../../src/api/export/open-exports.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { readLogLines } from '../../src/event-log/log-lines.js';
import { restoreLog, type RestoredLog } from '../../src/event-log/restore-log.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

/** As nodes send them: blanks that JSON does not need, every kind of line end, numbers beyond 2^53, escapes. */
const ROWS = [
  '{ "id" :\t"a",\n "height": 9007199254740993123 }',
  `{"message":"line\u2028and\u2029paragraph, \\u0000 \\ud800 é 🦊 \\" \\\\ "}`,
  'no json at all',
];

describe('a log that is exported and restored', () => {
  const opened: { database: TestDatabase; dataSource: DataSource }[] = [];
  let original: DataSource;
  let exported: string;

  const open = async (): Promise<DataSource> => {
    const database = await startTestDatabase();
    const dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    opened.push({ database, dataSource });
    return dataSource;
  };
  const contentOf = async (dataSource: DataSource): Promise<unknown[]> => {
    const tables = ['event', 'stream_head', 'log_head'];
    return Promise.all(
      tables.map((table) => dataSource.query(`SELECT t::text FROM ${table} t ORDER BY t::text COLLATE "C"`)),
    );
  };
  /** In pieces that end anywhere, even within a character. */
  async function* pieces(text: string): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 1_001) yield bytes.subarray(at, at + 1_001);
  }
  const restore = (dataSource: DataSource, ...texts: string[]): Promise<RestoredLog> => {
    const files = texts.map((text, index) => ({ name: `part ${index + 1}`, pieces: pieces(text) }));
    return restoreLog(dataSource, readLogLines(files), () => undefined);
  };
  const exportOf = async (dataSource: DataSource, given = {}): Promise<string> => {
    const url = String((dataSource.options as { url?: string }).url);
    const reads = new ReadDatabase({ url, isReplica: false, poolSize: 1 });
    try {
      const exports = await openExports(reads, new SystemClock());
      const { stream } = await exports.open({ name: 'events', format: 'ndjson', given });
      return (await buffer(stream)).toString();
    } finally {
      await reads.close();
    }
  };

  beforeAll(async () => {
    original = await open();
    const store = new EventStore(original);
    const looks = { first: 1, last: 1, count: 1, longestGapMs: 0 };
    for (let version = 0; version < 30; version += 1) {
      const body = {
        looks,
        overlap: 0,
        anchored: true,
        source: 0,
        ring: 0,
        newestFirst: true,
        ringSize: 100,
      };
      await store.append({
        stream: `node-${version % 3}/submissions`,
        expectedVersion: BigInt(Math.floor(version / 3)),
        events: [
          {
            type: 'SubmissionsObserved',
            observedAt: 1_795_230_000_000.125 + version,
            body: { ...body, firstSequence: 1, rows: ROWS },
          },
        ],
        state: { version, text: 'é \u2028' },
      });
    }
    await store.append({
      stream: 'lab/operator',
      expectedVersion: 0n,
      events: [{ type: 'NodeRetired', observedAt: -5.5, body: {} }],
    });
    exported = await exportOf(original);
  });

  afterAll(async () => {
    for (const { database, dataSource } of opened) {
      await dataSource.destroy();
      await database.stop();
    }
  });

  it('is the same, to the last blank, and accepts new events', async () => {
    const copy = await open();
    expect(await restore(copy, exported)).toEqual({ events: 31, streams: 4 });
    expect(await contentOf(copy)).toEqual(await contentOf(original));
    const { hash } = await verifyLog(original, () => undefined);
    expect(await verifyLog(copy, () => undefined)).toEqual({ events: 31, streams: 4, hash });
    expect(await exportOf(copy)).toBe(exported);
    const appended = await new EventStore(copy).append({
      stream: 'lab/operator',
      expectedVersion: 1n,
      events: [{ type: 'NodeRetired', observedAt: 6, body: {} }],
    });
    expect(appended).toEqual({ won: true, version: 2n });
    expect((await verifyLog(copy, () => undefined)).fault).toBeUndefined();
    await expect(restore(copy, exported)).rejects.toThrow(
      'The log of this database is not empty: it has 32 events.',
    );
  });

  it('can come in parts', async () => {
    const copy = await open();
    const parts = [
      await exportOf(original, { positionTo: '10' }),
      await exportOf(original, { positionFrom: '11', positionTo: '12' }),
      await exportOf(original, { positionFrom: '13' }),
    ];
    await restore(copy, ...parts);
    expect(await contentOf(copy)).toEqual(await contentOf(original));
  });

  it('is refused as a whole if a line does not fit, and the line is named', async () => {
    const copy = await open();
    const lines = exported.trimEnd().split('\n');
    const without = (index: number): string => lines.filter((_line, at) => at !== index).join('\n');
    const changed = (index: number, from: string | RegExp, to: string): string =>
      lines.map((line, at) => (at === index ? line.replace(from, to) : line)).join('\n');
    const refusals: readonly (readonly [string, string])[] = [
      [
        without(4),
        'part 1, line 5 (position 6, node-2/submissions) cannot be imported: position 5 is missing before it',
      ],
      [
        lines.slice(1).join('\n'),
        'part 1, line 1 (position 2, node-1/submissions) cannot be imported: position 1 is',
      ],
      [
        changed(7, 'no json at all', 'no json at ALL'),
        'part 1, line 8 (position 8, node-1/submissions) cannot be imported: its hash',
      ],
      [
        changed(7, '007125Z', '007126Z'),
        'part 1, line 8 (position 8, node-1/submissions) cannot be imported: its hash',
      ],
      [changed(2, /^[^]*$/, '{"position":3}'), 'part 1, line 3 is not an event of an exported log: stream'],
      [
        changed(30, '"state":"null"', '"state":"{"'),
        'part 1, line 31 is not an event of an exported log: state is not JSON',
      ],
      [changed(2, /.$/, ''), 'part 1, line 3 is not an event of an exported log'],
      [lines.slice(0, 20).join('\n'), 'The export ends before the end of node-0/submissions'],
      // Rows that were known three events before the end, and were not there.
      [
        lines
          .map((line, at) => (at === 24 ? line.replace('"state":null', '"state":"{}"') : line))
          .map((line, at) => (at === 27 ? line.replace(/"state":"(?:[^"\\]|\\.)*"/, '"state":null') : line))
          .join('\n'),
        'The export ends before the end of node-0/submissions',
      ],
      [
        `${exported}${exported}`,
        'part 1, line 32 (position 1, node-0/submissions) cannot be imported: position 32 is missing',
      ],
    ];
    for (const [text, reason] of refusals) await expect(restore(copy, text)).rejects.toThrow(reason);
    expect(await new EventStore(copy).lastPosition()).toBe(0n);
    expect(await copy.query('SELECT count(*)::int AS count FROM event')).toEqual([{ count: 0 }]);
    expect(await restore(copy, exported)).toEqual({ events: 31, streams: 4 });
  });
});
