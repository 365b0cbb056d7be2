import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../src/domain/events.js';
import { decodeBody } from '../../src/event-log/event-codec.js';
import { createDataSource } from '../../src/platform/database.js';
import { badRows, goodStory, type LoggedRow } from '../support/bad-neighbour.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import type { Fault } from '../support/oracle/fault.js';
import { readChains, readHeld, type Held } from '../support/oracle/held.js';
import { countShown, judgeChains } from '../support/oracle/judge-chains.js';
import { judge } from '../support/oracle/judge.js';
import { ProjectedRecord } from '../support/oracle/projected-record.js';
import { holdAgainstTruth } from '../support/oracle/truth.js';
import { randomStory, type Story, type TruePost } from '../support/random-log.js';
import { HEADER_NAMESPACE, recordLog, type RecordLogOptions } from '../support/record-log.js';
import { loadTruth } from '../support/recording.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { tellStepped } from '../support/stepped-log.js';
import { twinStory } from '../support/twin-log.js';
import { wildEvent } from '../support/wild-events.js';
import { logWith } from '../support/wild-log.js';

/** More of them find rarer things. */
const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 1) }, (_, index) => index + 1);

/** What lists forget need not come back where others show what they like. */
const FREE_BESIDE_BAD: readonly Fault['rule'][] = ['MISSING'];
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

interface Trial {
  readonly events: readonly RecordedEvent[];
  /** Left out where the truth is not known. */
  readonly posts?: readonly TruePost[] | undefined;
  /** Whose attempts they are. */
  readonly chain?: string;
  readonly random?: () => number;
  readonly stops?: number;
  readonly except?: readonly Fault['rule'][];
}

/**
 * Projects a log, and holds the tables against the oracle at its end and at positions before it, where what is known
 * must also be what is later said to have been known then.
 *
 * @returns faults, but those of the rules in `except`; and what is held in the end
 */
async function tryLog({
  events,
  posts,
  chain = 'made-up',
  random = seededRandom(1),
  stops = 2,
  except = [],
}: Trial) {
  const cuts = Array.from({ length: stops }, () => Math.floor(random() * events.length));
  const known: { position: bigint; held: Held }[] = [];
  const taken: RecordedEvent[] = [];
  const faults: string[] = [];
  await record.begin();
  for (const cut of [...cuts, events.length].sort((a, b) => a - b)) {
    const next = await record.apply(events.slice(taken.length, cut), 1 + Math.floor(random() * 60));
    for (const event of next) taken.push(event);
    const position = taken.at(-1)?.position ?? 0n;
    const held = await readHeld(dataSource, position);
    known.push({ position, held });
    const found = [...judge(taken, held), ...(posts ? holdAgainstTruth(taken, posts, held, chain) : [])];
    for (const { rule, text } of found)
      if (!except.includes(rule)) faults.push(`at ${position}: ${rule} ${text}`);
  }
  for (const { position, held } of known) {
    expect([position, nameKnown(await readHeld(dataSource, position))]).toEqual([position, nameKnown(held)]);
  }
  await record.rollUp();
  const held = await readHeld(dataSource, taken.at(-1)?.position ?? 0n);
  const chains = await readChains(dataSource);
  for (const { rule, text } of judgeChains(held, chains)) faults.push(`${rule} ${text}`);
  return { faults, held, chains };
}

/** What a table keeps a history of. */
function nameKnown({ rows, groups, losses }: Held): string[] {
  return [
    ...rows.map(({ node, sequence, evidence }) => `${node} ${sequence} ${evidence}`),
    ...groups.map(({ lineage, kind, daHeight, blobCount }) => `${lineage} ${kind} ${daHeight} ${blobCount}`),
    ...losses.map(({ position, minLost, maxLost }) => `loss ${position} ${minLost} ${maxLost}`),
  ];
}

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

describe.each(Object.entries(STORIES))('a made-up log %s', (_, make) => {
  it.each(SEEDS)('gives what the oracle says of it (%d)', async (seed) => {
    const random = seededRandom(seed);
    const { events, posts } = make(random);
    const { faults, held } = await tryLog({ events, posts, random });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    expect(held.rows).toHaveLength(countRows(events));
  });
});

describe('the attempts of a chain', () => {
  it.each(SEEDS)('are as many as were made and shown, with twins or without (%d)', async (seed) => {
    const random = seededRandom(seed);
    const { events, posts } = seed % 2 === 0 ? randomStory(random, 150) : twinStory(random, 90);
    const { held, chains } = await tryLog({ events, posts, random, stops: 0 });
    const counted = chains.find(({ chain }) => chain === 'made-up')?.attempts ?? 0n;
    expect(counted).toBe(BigInt(countShown(held, posts, 'made-up')));
  });
});

describe('what others leave in the log', () => {
  it.each(SEEDS)(
    'changes nothing of what is true of a chain, where they are of another one (%d)',
    async (seed) => {
      const random = seededRandom(seed);
      const { rows, posts } = goodStory(random, 150);
      const events = inOrder([
        ...rows,
        ...badRows(random, 150, { good: rows.length, chains: ['bad', 'worse'] }),
      ]);
      const { faults } = await tryLog({
        events,
        posts,
        random,
        except: FREE_BESIDE_BAD,
      });
      expect({ seed, faults }).toEqual({ seed, faults: [] });
    },
  );

  it.each(SEEDS)(
    'leaves the rows of a node as it sent them, where they say they are of its chain (%d)',
    async (seed) => {
      const random = seededRandom(20 + seed);
      const { rows } = goodStory(random, 150);
      const events = inOrder([
        ...rows,
        ...badRows(random, 150, { good: rows.length, chains: ['made-up', 'bad'] }),
      ]);
      const { faults } = await tryLog({ events, random, except: FREE_BESIDE_BAD });
      expect({ seed, faults }).toEqual({ seed, faults: [] });
    },
  );

  it.each(SEEDS)('is judged as far as it can be, however wild it is (%d)', async (seed) => {
    const wild = fc.array(wildEvent('INTEGERS'), { minLength: 10, maxLength: 40, size: 'max' });
    const events = fc.sample(wild, { seed, numRuns: 1 }).flatMap(logWith);
    const { faults } = await tryLog({ events, random: seededRandom(seed) });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  });

  it.each(SEEDS)('is judged alike where clocks are set (%d)', async (seed) => {
    const random = seededRandom(seed);
    const place = () => Math.floor(random() * 300);
    const steps = [place(), place()]
      .sort((a, b) => a - b)
      .map((at) => ({ at, offBy: Math.round(random() * 4_000 - 2_000) }));
    const { events } = tellStepped({ lasts: 300, steps, isShared: random() < 0.5, down: [[100, 130]] });
    const { faults } = await tryLog({ events, random });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  });
});

describe('the recordings', () => {
  /** Whether an attempt that failed landed all the same nobody wrote down; of those recorded none did. */
  const posts = loadTruth().map(({ row }): TruePost => {
    const isSuccess = row['status_code'] === 'Success';
    return {
      lineage: 1,
      kind: row['namespace'] === HEADER_NAMESPACE ? 'HEADER' : 'DATA',
      isSuccess,
      hasLanded: isSuccess,
      daHeight: BigInt(Number(row['height'])),
      blobCount: Number(row['num_blobs']),
      timestamp: String(row['timestamp']),
    };
  });
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

  it.each<[string, RecordLogOptions]>([
    ['of the aggregator', { nodes: ['aggregator'], every: 3_000 }],
    ['of both nodes, with two minutes unseen', { nodes: ['aggregator', 'follower'], every: 3_000, cut }],
    ['of a node without namespaces', { nodes: ['aggregator'], tellsNoNamespaces: true, every: 3_000 }],
    [
      'of the same, with two minutes unseen',
      { nodes: ['aggregator'], tellsNoNamespaces: true, every: 3_000, cut },
    ],
    ['as specified', { nodes: ['aggregator'], tellsNoNamespaces: true, rewrite: withIds, every: 3_000, cut }],
    [
      'as specified, without ids',
      { nodes: ['aggregator'], tellsNoNamespaces: true, rewrite: withoutIds, every: 3_000, cut },
    ],
    ['of headers without envelopes', { nodes: ['aggregator'], rewrite: withoutEnvelope, every: 3_000, cut }],
  ])('%s: are held as the oracle says', async (_, options) => {
    const { faults, held } = await tryLog({
      events: recordLog(options),
      posts,
      chain: 'lab-1',
      random: seededRandom(3),
    });
    expect(faults).toEqual([]);
    expect(held.rows.length).toBeGreaterThan(30);
  });
});

describe('the oracle', () => {
  it('notices what is wrong', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }, { da: 10, blobs: 2, bytes: 662 }]);
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 10 },
      { height: 4, headerDa: 10 },
      { height: 5, headerDa: 12 },
    ]);
    log.now += 1_000;
    log.lose('a', 'SubmissionHistoryMissing').watch('a');
    const { faults, held } = await tryLog({ events: log.events });
    expect(faults).toEqual([]);
    expect(held.groups).toHaveLength(1);
    const [row, ...rows] = held.rows;
    const [group] = held.groups;
    if (!row || !group) throw new Error('nothing is held');
    const wrong: [Fault['rule'], Partial<Held>][] = [
      ['ROW', { rows }],
      ['ROW', { rows: [{ ...row, status: 'ERROR' }, ...rows] }],
      ['KIND', { rows: [{ ...row, kind: 'DATA' }, ...rows] }],
      ['CHAIN', { rows: [{ ...row, lineage: 'two/1' }, ...rows] }],
      ['EVIDENCE', { rows: [{ ...row, evidence: 'UNCONFIRMED' }, ...rows] }],
      ['MISSING', { groups: [] }],
      ['GROUP', { groups: [group, { ...group, daHeight: 12n }] }],
      ['GROUP', { groups: [{ ...group, blobCount: 2 }] }],
      [
        'SUCCESS',
        {
          rows: [
            ...held.rows,
            { ...row, sequence: 3, daHeight: 7n, kind: 'UNKNOWN', evidence: 'OBSERVED', blobCount: null },
          ],
        },
      ],
      ['LOSS', { losses: held.losses.map((loss) => ({ ...loss, minLost: 5n })) }],
    ];
    for (const [rule, change] of wrong) {
      expect(judge(log.events, { ...held, ...change }).map((fault) => fault.rule)).toContain(rule);
    }
    expect(judgeChains(held, [])).not.toEqual([]);
  });
});

function countRows(events: readonly RecordedEvent[]): number {
  return events.reduce(
    (sum, event) => sum + (event.type === 'SubmissionsObserved' ? event.body.rows.length : 0),
    0,
  );
}

/** Rows at places of several logs as the events of one. */
function inOrder(rows: readonly LoggedRow[]): RecordedEvent[] {
  const sorted = rows.toSorted((a, b) => a.place - b.place);
  return sorted.map(({ stream, type, observedAt, body }, index) => {
    const position = BigInt(index + 1);
    const head = { position, stream, version: position, schema: 1, observedAt, recordedAt: observedAt, type };
    return { ...head, body: decodeBody(type as RecordedEvent['type'], body) } as RecordedEvent;
  });
}
