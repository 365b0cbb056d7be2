import { EventStore } from '../../src/event-log/event-store.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { projectAll } from '../support/read-models.js';
import { loadRecording, loadTruth } from '../support/recording.js';
import {
  canonicalText,
  holdAgainstTruth,
  uncovered,
  type PostedRow,
  type Span,
} from '../support/truth/hold-against-truth.js';
import { readTold, type ChainTold } from '../support/truth/read-told.js';

const CHAIN = 'lab-1';
const SEED = Number(process.env['HINDSIGHT_CHAOS_SEED'] ?? 11);
/** Two addresses of the recorded list, and a node without a list. */
const NODES = [
  { id: 'aggregator', file: 'aggregator' },
  { id: 'again', file: 'aggregator' },
  { id: 'follower', file: 'follower' },
] as const;
const LISTS = ['aggregator', 'again'] as const;
/** Polls are two seconds apart at most; their jitter is a tenth of that. */
const LOOK_MS = 2_500;
/** The list has been seen with rows twice by then. */
const SEEN_TWICE_MS = 5_000;

describe('the record of the lists of the recorded node', () => {
  const recording = loadRecording('aggregator');
  const { startMs } = recording;
  const end = startMs + recording.lengthMs;
  const posted: readonly PostedRow[] = loadTruth().map(({ t, row }) => ({
    text: canonicalText(row),
    at: startMs + t,
  }));
  /** Times without answers: from each death to the next life. */
  const dead = recording.lines.get('GET /da/submissions')?.flatMap(({ t, answer }, index, lines): Span[] => {
    if (answer) return [];
    return [{ from: startMs + t, to: startMs + (lines[index + 1]?.t ?? recording.lengthMs) }];
  }) as readonly Span[];
  let database: TestDatabase;
  let api: ApiServer;
  let told: ChainTold;

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url);
    await liveThroughRecording(new EventStore(api.dataSource), { nodes: NODES, seed: SEED });
    await projectAll(api.dataSource);
    const ids = NODES.map(({ id }) => id);
    told = await readTold((query, variables) => api.read(query, variables), CHAIN, ids);
  }, 240_000);

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  /** Rows after the last poll that could see them are no fault. */
  const judged = posted.map((row) => (row.at > end - LOOK_MS ? { ...row, isTooLate: true } : row));
  const mayBeLost = (at: number): boolean => dead.some(({ from }) => at <= from && at > from - LOOK_MS);

  it.each(LISTS)(
    'has each row of %s once, or reports that it may be missing, and covers no time in which one is',
    (id) => {
      const node = told.nodes.get(id);
      const found = holdAgainstTruth(judged, node ?? { rows: [], holes: [], covered: [] });
      expect(found).toMatchObject({ doubled: [], unexcused: [] });
      expect(found.missing).toBeGreaterThan(0);
    },
  );

  it('has the same for the chain, where rows that either of them saw are not missing', () => {
    expect(holdAgainstTruth(judged, told.together)).toMatchObject({ doubled: [], unexcused: [] });
  });

  it.each(LISTS)('has every row of %s but those that a death took with it between two polls', (id) => {
    const rows = new Set(told.nodes.get(id)?.rows);
    const missing = judged.filter(({ text, isTooLate }) => isTooLate !== true && !rows.has(text));
    expect(missing.filter(({ at }) => !mayBeLost(at))).toEqual([]);
  });

  it.each([...LISTS, 'chain'])('covers %s except for the times around a death', (id) => {
    const { covered } = (id === 'chain' ? told.together : told.nodes.get(id)) ?? { covered: [] };
    const gaps = uncovered(covered, { from: startMs + SEEN_TWICE_MS, to: end - LOOK_MS });
    const isExplained = (gap: Span): boolean =>
      dead.some(({ from, to }) => gap.from > from - LOOK_MS && gap.to < to + LOOK_MS);
    expect(gaps.filter((gap) => !isExplained(gap))).toEqual([]);
    // Each of both deaths is seen.
    expect(gaps).toHaveLength(2);
  });

  it('has nothing missing for the follower', () => {
    const holes = told.nodes.get('follower')?.holes.filter(({ kind }) => kind !== 'BEFORE_START');
    expect([told.nodes.get('follower')?.rows, holes]).toEqual([[], []]);
  });
});
