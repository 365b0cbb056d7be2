import { createDataSource } from '../../src/platform/database.js';
import type { DataSource } from 'typeorm';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { readHeld } from '../support/oracle/held.js';
import { ProjectedRecord } from '../support/oracle/projected-record.js';
import { differencesOf } from '../support/decided/compare.js';
import { decideLog } from '../support/decided/decide-log.js';
import { randomStory, type Story } from '../support/random-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { twinStory } from '../support/twin-log.js';

const FIRST = Number(process.env['FIRST'] ?? 1);
const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 1) }, (_, index) => index + FIRST);
const isStraight = true;
const isTerse = true;
const STORIES: Readonly<Record<string, (random: () => number) => Story>> = {
  'of a straight chain': (random) => randomStory(random, 150, { isStraight }),
  'that is slow': (random) => randomStory(random, 120, { isStraight, pace: 300 }),
  'whose rows tell less': (random) => randomStory(random, 300, { isStraight, isTerse }),
  'with twins': (random) => twinStory(random, 90, { isStraight }),
  'with twins that tell less': (random) => twinStory(random, 90, { isStraight, isTerse }),
  'with forks': (random) => randomStory(random, 150),
  'with forks, whose rows tell less': (random) => randomStory(random, 300, { isTerse }),
};
let database: TestDatabase;
let dataSource: DataSource;
let record: ProjectedRecord;

beforeAll(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
  record = new ProjectedRecord(dataSource);
});

afterAll(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

const WAYS = [
  undefined,
  { pageSize: 1, mostAtOnce: 0 },
  { pageSize: 7, mostAtOnce: 3 },
  { pageSize: 10_000, mostAtOnce: 0 },
];

describe.each(Object.entries(STORIES))('a made-up log %s', (_, make) => {
  it.each(SEEDS)('gives what the oracle says of it (%d)', async (seed) => {
    const random = seededRandom(seed);
    const { events } = make(random);
    const stops = Array.from({ length: 4 }, () => Math.floor(random() * events.length));
    const found: string[] = [];
    const size = 1 + Math.floor(random() * 60);
    const known: { position: bigint; held: string }[] = [];
    record = new ProjectedRecord(
      dataSource,
      process.env['WAY'] ? WAYS[Number(process.env['WAY'])] : undefined,
    );
    await record.begin();
    let done = 0;
    for (const stop of [...stops, events.length].sort((a, b) => a - b)) {
      await record.apply(events.slice(done, stop), size);
      done = stop;
      await record.workOff();
      const position = events[stop - 1]?.position ?? 0n;
      const held = await readHeld(dataSource, position);
      known.push({
        position,
        held: JSON.stringify(held, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      });
      for (const line of differencesOf(held, decideLog(events.slice(0, stop))))
        found.push(`at ${position}: ${line}`);
      if (found.length > 0) break;
    }
    expect({ seed, found }).toEqual({ seed, found: [] });
    void known;
  });
});
