import fc from 'fast-check';
import type { RecordedEvent } from '../../src/domain/events.js';
import { decodeBody } from '../../src/event-log/logged-event.js';
import { badRows, goodStory, type LoggedRow } from '../support/bad-neighbour.js';
import { differencesOf, differencesOfChains } from '../support/decided/compare.js';
import { decideLog } from '../support/decided/decide-log.js';
import { readChains, readHeld } from '../support/decided/held.js';
import { ProjectedRecord, type Way } from '../support/decided/projected-record.js';
import { STORIES } from '../support/decided/stories.js';
import { HEADER_NAMESPACE, recordLog, type RecordLogOptions } from '../support/record-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { tellStepped } from '../support/stepped-log.js';
import { useDatabase } from '../support/use-database.js';
import { wildEvent } from '../support/wild-events.js';
import { logWith } from '../support/wild-log.js';

/** More seeds find rarer cases. */
const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 1) }, (_, index) => index + 1);
const WAYS: readonly Way[] = [
  {},
  { pageSize: 1, mostAtOnce: 0, killEvery: 5 },
  { pageSize: 7, mostAtOnce: 3, killEvery: 1 },
  { mostAtOnce: 0 },
];

const dataSource = useDatabase();

/**
 * Projects a log, some of it in time slices. Compares the tables with the oracle at the end and at two earlier positions, once nothing is
 * left to decide. Compares what the end says about these positions, and about two others, with the state at that time.
 */
async function findDifferences(events: readonly RecordedEvent[], seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const somewhere = () => Math.floor(random() * events.length);
  const stops = [somewhere(), somewhere(), events.length].sort((a, b) => a - b);
  const batchSize = 1 + Math.floor(random() * 60);
  const record = new ProjectedRecord(dataSource, WAYS[seed % WAYS.length]);
  await record.begin();
  const taken: RecordedEvent[] = [];
  const found: string[] = [];
  const compare = async (known: readonly RecordedEvent[]) => {
    const position = known.at(-1)?.position ?? 0n;
    const held = await readHeld(dataSource, position);
    const decided = decideLog(known);
    const differences = differencesOf(held, decided, known.length < taken.length);
    for (const line of differences) found.push(`of ${position} at ${taken.length}: ${line}`);
    return { held, decided };
  };
  let done = 0;
  for (const stop of stops) {
    for (const event of await record.apply(events.slice(done, stop), batchSize)) taken.push(event);
    done = stop;
    await record.workOff();
    await compare(taken);
  }
  for (const stop of [...stops.slice(0, 2), somewhere(), somewhere()]) {
    const known = taken.filter(({ position }) => position <= (events[stop - 1]?.position ?? 0n));
    await compare(known);
  }
  await record.rollUp();
  const { held, decided } = await compare(taken);
  return [...found, ...differencesOfChains(await readChains(dataSource), held, decided)];
}

describe.each(Object.entries(STORIES))('a synthetic log %s', (_, make) => {
  it.each(SEEDS)('gives the result of the oracle (%d)', async (seed) => {
    const { events } = make(seededRandom(seed));
    expect({ seed, found: await findDifferences(events, seed) }).toEqual({ seed, found: [] });
  });
});

describe('a log that contains others', () => {
  it.each(SEEDS)(
    "gives the oracle's result for a chain next to others whose logs are damaged (%d)",
    async (seed) => {
      const random = seededRandom(seed);
      const { rows } = goodStory(random, 150);
      const bad = badRows(random, 150, { good: rows.length, chains: ['bad', 'worse'] });
      const found = await findDifferences(inOrder([...rows, ...bad]), seed);
      expect({ seed, found: found.filter((line) => !/bad|worse/.test(line)) }).toEqual({ seed, found: [] });
    },
  );

  it.each(SEEDS)("gives the oracle's result, however wild it is (%d)", async (seed) => {
    const wild = fc.array(wildEvent('INTEGERS'), { minLength: 10, maxLength: 40, size: 'max' });
    const events = fc.sample(wild, { seed, numRuns: 1 }).flatMap(logWith);
    expect({ seed, found: await findDifferences(events, seed) }).toEqual({ seed, found: [] });
  });

  it.each(SEEDS)("gives the oracle's result where clocks are set (%d)", async (seed) => {
    const random = seededRandom(seed);
    const place = () => Math.floor(random() * 300);
    const steps = [place(), place()]
      .sort((a, b) => a - b)
      .map((at) => ({ at, offBy: Math.round(random() * 4_000 - 2_000) }));
    const { events } = tellStepped({ lasts: 300, steps, isShared: random() < 0.5, down: [[100, 130]] });
    expect({ seed, found: await findDifferences(events, seed) }).toEqual({ seed, found: [] });
  });
});

describe('the recording', () => {
  const withoutIds = (row: Readonly<Record<string, unknown>>) => ({
    timestamp: row['timestamp'],
    num_blobs: row['num_blobs'],
    status: row['status_code'],
    gas_price: row['gas_price'],
    error_message: row['message'],
  });
  const withIds = (row: Readonly<Record<string, unknown>>) => ({
    ...withoutIds(row),
    blob_ids: row['blob_ids'],
  });
  const withoutEnvelope = (row: Readonly<Record<string, unknown>>) =>
    row['namespace'] === HEADER_NAMESPACE && row['blob_size'] !== 0
      ? { ...row, blob_size: Number(row['blob_size']) - 66 * Number(row['num_blobs']) }
      : row;
  const cut = { from: 60_000, to: 180_000 };
  /** The recording up to here has a loss, a restart of the node, and both kinds of blobs. */
  const SHORT_MS = 300_000;
  const alone = { nodes: ['aggregator'], every: 3_000 } as const;

  const all: readonly (readonly [string, RecordLogOptions])[] = [
    ['of both nodes, with two minutes unseen', { nodes: ['aggregator', 'follower'], every: 3_000, cut }],
    ['of a node without namespaces', { ...alone, tellsNoNamespaces: true }],
    ['of headers without envelopes', { ...alone, rewrite: withoutEnvelope, cut }],
    ['of the aggregator', alone],
    ['of a node without namespaces, with two minutes unseen', { ...alone, tellsNoNamespaces: true, cut }],
    ['as specified', { ...alone, tellsNoNamespaces: true, rewrite: withIds, cut }],
    ['as specified, without ids', { ...alone, tellsNoNamespaces: true, rewrite: withoutIds, cut }],
  ];
  // One of each kind, cut short; the others are parts of these, and nodes with fewer fields are also covered by the synthetic logs above.
  const isLong = SEEDS.length > 1;
  it.each(isLong ? all : all.slice(0, 3))("%s gives the oracle's result", async (_, options) => {
    const events = recordLog(isLong ? options : { to: SHORT_MS, ...options });
    expect(events.length).toBeGreaterThan(150);
    expect(await findDifferences(events, 3)).toEqual([]);
  });
});

/** Merges rows at given positions of several logs into the events of one. */
function inOrder(rows: readonly LoggedRow[]): RecordedEvent[] {
  const sorted = rows.toSorted((a, b) => a.place - b.place);
  return sorted.map(({ stream, type, observedAt, body }, index) => {
    const position = BigInt(index + 1);
    const head = { position, stream, version: position, schema: 1, observedAt, recordedAt: observedAt, type };
    return { ...head, body: decodeBody(type as RecordedEvent['type'], body) } as RecordedEvent;
  });
}
