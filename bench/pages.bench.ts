import type { DataSource } from 'typeorm';
import { evidenceCodeOf } from '../src/domain/submissions/submission-codes.js';
import { columnsOf } from '../src/platform/rows/row-columns.js';
import { inTransaction } from '../src/platform/sql.js';
import type { Step } from '../src/projections/record/decisions/step.js';
import { DeferredTasks } from '../src/projections/record/turns/deferred-tasks.js';
import { RecordProjection } from '../src/projections/record/projection.js';
import { SubmissionEntity } from '../src/tables/record.entities.js';
import { startBenchServer } from './support/bench-database.js';
import { readRows, round, type Bench, type Figure } from './support/figures.js';
import { peakOf } from './support/memory.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';
import { fill, fillNodes } from './support/statistics-world.js';

const ROWS = readRows('HINDSIGHT_BENCH_PAGE_ROWS', 200_000);
const ROUNDS = 3;
const MB = 1_048_576;
const FIRST_DA = 1_001;
/** The position of an event after those that recorded the rows. */
const POSITION = 2 * ROWS;
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const CONFIRMED = evidenceCodeOf('CONFIRMED');
/** Lineage 1 has a block at each DA height, lineage 2 has none. */
const WITH_BLOCKS = 1;
const WITHOUT_BLOCKS = 2;

export const bench: Bench = {
  about: `pages of an event that touches ${ROWS.toLocaleString('en')} DA heights`,
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      await fillSuccesses(dataSource);
      return [
        await measureUnchanged(dataSource),
        await measureChanged(dataSource),
        await measureMemory(dataSource),
      ];
    } finally {
      await server.stop();
    }
  },
};

/** DA heights that wait for blocks, and continue to wait. */
async function measureUnchanged(dataSource: DataSource): Promise<Figure> {
  const costs = await playRounds(
    [
      { name: 'pages', run: () => wallMs(() => workOff(dataSource, WITHOUT_BLOCKS)) },
      { name: 'SELECT', run: () => wallMs(() => readAll(dataSource)) },
    ],
    ROUNDS,
  );
  return toFigure(costs, 'DA heights that stay as they are', 'SELECT');
}

/** DA heights whose success is confirmed by a block. */
async function measureChanged(dataSource: DataSource): Promise<Figure> {
  const costs = await playRounds(
    [
      { name: 'pages', run: () => afterReset(dataSource, () => workOff(dataSource, WITH_BLOCKS)) },
      { name: 'UPDATE', run: () => afterReset(dataSource, () => updateAll(dataSource)) },
    ],
    ROUNDS,
  );
  return toFigure(costs, 'DA heights that change', 'UPDATE');
}

async function measureMemory(dataSource: DataSource): Promise<Figure> {
  await reset(dataSource);
  const few = await peakOf(() => workOff(dataSource, WITH_BLOCKS, Math.ceil(ROWS / 10)));
  await reset(dataSource);
  const all = await peakOf(() => workOff(dataSource, WITH_BLOCKS));
  return {
    what: 'memory of pages, ten times the DA heights',
    ours: `${round(all / MB)} MB`,
    peer: `${round(few / MB)} MB`,
    value: all / few,
    limit: { atMost: 1.5 },
  };
}

function toFigure(costs: ReadonlyMap<string, number[]>, what: string, peer: string): Figure {
  const rate = (name: string): string => `${round(ROWS / (medianOf(costs, name) / 1_000))} rows/s`;
  return {
    what: `${what}, in pages, against one ${peer}`,
    ours: rate('pages'),
    peer: rate(peer),
    value: ratioOf(costs, peer, 'pages'),
    aim: { atLeast: 0.5 },
  };
}

/** Works off the DA heights of a lineage that a walk passed: the event deferred the decisions of all of them. */
async function workOff(dataSource: DataSource, lineageKey: number, heights = ROWS): Promise<void> {
  await inTransaction(dataSource, async (query) => {
    const turns = await DeferredTasks.load(query);
    turns.leave(stepOver(lineageKey, BigInt(heights)));
    await turns.write(query);
  });
  const projection = new RecordProjection();
  const workPage = () =>
    inTransaction(dataSource, async (query) => {
      // The runner uses the same setting.
      await query("SELECT set_config('synchronous_commit', 'off', true)");
      return projection.workOff(query, projection.pageSize);
    });
  while ((await workPage()) !== undefined);
}

/** The deferred step of such an event. If no block points there, the frontier is before all heights, so they continue to wait. */
function stepOver(lineageKey: number, heights: bigint): Step {
  const [from, below] = [BigInt(FIRST_DA), BigInt(FIRST_DA) + heights];
  const walk = {
    nodeKey: lineageKey,
    fromStart: true,
    lines: { HEADER: { from, to: below, holes: [] }, DATA: { from: null, to: null, holes: [] } },
  };
  const decided = lineageKey === WITH_BLOCKS ? below : from;
  return {
    position: BigInt(POSITION),
    at: 0n,
    chain: `chain-${lineageKey}`,
    nodeKey: lineageKey,
    cells: new Set(),
    passed: [{ lineageKey, kind: 'HEADER', at: 0n, from, below }],
    holes: new Set(),
    groupsFrom: undefined,
    asksAll: false,
    walks: new Map([[lineageKey, [walk]]]),
    below: new Map([[lineageKey, { HEADER: decided, DATA: decided }]]),
    seenAt: new Map(),
    namespaces: { HEADER: null, DATA: null },
  };
}

/** Reads pages of as many rows as the projection. */
async function readAll(dataSource: DataSource): Promise<void> {
  const { pageSize } = new RecordProjection();
  for (let from = FIRST_DA; from < FIRST_DA + ROWS; from += pageSize) {
    await dataSource.query(
      'SELECT * FROM submission WHERE lineage_key = $1 AND da_height >= $2 AND da_height < $3',
      [WITHOUT_BLOCKS, from, from + pageSize],
    );
  }
}

const CHANGED = columnsOf(SubmissionEntity, 'nodeKey', 'sequence', 'evidence', 'evidenceFromPosition');

async function updateAll(dataSource: DataSource): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    nodeKey: WITH_BLOCKS,
    sequence: BigInt(index + 1),
    evidence: CONFIRMED,
    evidenceFromPosition: BigInt(POSITION),
  }));
  const changed = CHANGED.unnest(rows, 'c');
  await inTransaction(dataSource, async (query) => {
    await query(
      "SELECT set_config('synchronous_commit', 'off', true), set_config('statement_timeout', '0', true)",
    );
    await query(
      `UPDATE submission s SET evidence = c.evidence, evidence_from_position = c.evidence_from_position
         FROM ${changed.sql} WHERE s.node_key = c.node_key AND s.sequence = c.sequence`,
      changed.parameters,
    );
  });
}

async function afterReset(dataSource: DataSource, work: () => Promise<void>): Promise<number> {
  await reset(dataSource);
  return wallMs(work);
}

async function reset(dataSource: DataSource): Promise<void> {
  await fill(dataSource, async (query) => {
    await query('TRUNCATE submission_evidence_past, roll_up_mark, record_change');
    await query(
      `UPDATE submission SET evidence = ${UNCONFIRMED}, evidence_from_position = from_position, block_from = NULL,
              block_to = NULL, shares = NULL, signed_shares = NULL WHERE evidence = ${CONFIRMED}`,
    );
  });
}

/** Gives each node its own lineage, and a success at each DA height. */
async function fillSuccesses(dataSource: DataSource): Promise<void> {
  await fill(dataSource, async (query) => {
    await fillNodes(query, 2);
    await query("INSERT INTO proposer VALUES (1, '', '', 1, 1)");
    await query(
      `INSERT INTO submission (node_key, sequence, lineage_key, chain_id, ring, status, kind, evidence, wild_time, unreadable,
         namespace_key, blob_count, da_height, size_bytes, occurred_at, observed_at, time_at, from_position,
         evidence_from_position, digest, told_lineage_key)
       SELECT n, i + 1, n, 'chain-' || n, 0, 0, 0, ${UNCONFIRMED}, false, false, 2 * n - 1, 1, ${FIRST_DA} + i, 366, at, at, at, i, i, i, n
         FROM generate_series(1, 2) n, generate_series(0, $1::int - 1) i,
              LATERAL (SELECT '2026-01-01Z'::timestamptz + i * interval '6 s' AS at) a`,
      [ROWS],
    );
    await query(
      `INSERT INTO block (node_key, lineage_key, height, time_ns, header_da_height, data_da_height, tx_bytes, from_position,
                          proposer_key, tx_count, header_blob_bytes, data_blob_bytes, checks)
       SELECT 1, ${WITH_BLOCKS}, i + 1, 1767225600000000000 + i * 6000000000, ${FIRST_DA} + i, ${FIRST_DA} + i, 0, i, 1, 0, 366, 0, 0
         FROM generate_series(0, $1::int - 1) i`,
      [ROWS],
    );
    await query(
      `INSERT INTO inclusion_walk (node_key, lineage_key, first_height, last_height, from_start, frontier, gaps, header_holes, data_holes)
       VALUES (1, ${WITH_BLOCKS}, 1, $1, true, $1, '{}', '{}', '{}')`,
      [ROWS],
    );
  });
}
