import type { RecordedEvent } from '../../src/domain/events.js';
import {
  blocksKnownAt,
  statedLossesKnownAt,
  submissionsKnownAt,
} from '../../src/projections/record/readers/known-rows.reader.js';
import { CarriedBlocksReader } from '../../src/projections/record/readers/carried-blocks.reader.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { randomLog } from '../support/random-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

/** Logs are made with the seeds from 1 up to this. Fewer logs do not make every kind of difference that has to be found. */
const LOGS = Math.max(8, Number(process.env['RANDOM_LOGS'] ?? 1));
const STEPS = 130;
/** `npm run test:long` makes each log in both ways, and projects it in batches of every size. */
const TRIES_ALL = Number(process.env['RANDOM_LOGS'] ?? 1) > 1;

const dataSource = useDatabase();

describe('the state known at a position equals the state of a projection that stopped there', () => {
  const seeds = Array.from({ length: LOGS }, (_, index) => index + 1);

  const logs = seeds.flatMap((seed) => [false, true].map((isTerse) => ({ seed, isTerse })));
  it.each(logs.filter(({ seed, isTerse }) => TRIES_ALL || isTerse === (seed % 2 === 0)))(
    'at every position of synthetic log $seed (terse: $isTerse)',
    async ({ seed, isTerse }) => {
      const log = randomLog(seededRandom(seed), STEPS, { isTerse });
      const stopped: string[][] = [];
      await project(log, 1, async () => void stopped.push(await rowsKnownAt(undefined)));
      expect(stopped).toHaveLength(log.length);
      await noteDifferences();
      const sizes = [1, seed % 4 < 2 ? 9 : log.length];
      for (const batchSize of TRIES_ALL ? [1, 9, log.length] : sizes) {
        if (batchSize > 1) await project(log, batchSize);
        for (const [index, { position }] of log.entries()) {
          expect([position, await rowsKnownAt(position)]).toEqual([position, stopped[index]]);
        }
      }
    },
    240_000,
  );

  it('is tested with former versions that differ in every kind of value', () => {
    expect([...found].sort()).toEqual(['blobs', 'da height', 'evidence', 'kind', 'lineage']);
  });
});

it('the inclusion time of a block is that of a success whose history has changed since', async () => {
  const log = new SmallLog().register('a').register('b').describe('a', 'one').describe('b', 'one');
  log.rows('a', [{ da: 100, at: 0 }]).blocks('b', 'one', [{ height: 1, headerDa: 100 }]);
  const then = log.events.at(-1)?.position ?? 0n;
  log.blocks('a', 'one', [{ height: 1, headerDa: 200, at: 5 }], 2);
  const block = { lineageKey: 1, height: 1n, txCount: 0, headerDaHeight: 100n, dataDaHeight: 100n };
  const reader = new CarriedBlocksReader(dataSource);
  await project(log.events.slice(0, -1), 1);
  const [stopped] = await reader.getIncludedTimes([block]);
  expect(stopped).toBe(BigInt(SmallLog.START) * 1_000n);
  await project(log.events, 1);
  expect(await reader.getIncludedTimes([block], then)).toEqual([stopped]);
});

/** The differences between former versions and the last one, in any of the logs. */
const found = new Set<string>();

async function noteDifferences(): Promise<void> {
  const [row] = await dataSource.query<Record<string, boolean>[]>(
    `SELECT bool_or(p.kind <> s.kind) AS kind, bool_or(p.evidence <> s.evidence) AS evidence,
            bool_or(p.lineage_key IS DISTINCT FROM s.lineage_key) AS lineage,
            bool_or(p.da_height IS DISTINCT FROM s.da_height) AS "da height", bool_or(p.shares IS DISTINCT FROM s.shares) AS blobs
       FROM submission_evidence_past p JOIN submission s USING (node_key, sequence)`,
  );
  for (const [name, differs] of Object.entries(row ?? {})) if (differs) found.add(name);
}

async function project(
  log: readonly RecordedEvent[],
  batchSize: number,
  then: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const projection = new RecordProjection();
  await emptyTables(dataSource, projection.tables);
  for (let from = 0; from < log.length; from += batchSize) {
    await takeEvents(dataSource, projection, log.slice(from, from + batchSize));
    await then();
  }
}

/** Every row that was known, without tables that keep no history and without the times of decisions. */
async function rowsKnownAt(at: bigint | undefined): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(
    `SELECT row::text FROM (
       SELECT to_jsonb(s) - '{change,to_position,loss_position,evidence_from_position,shown_at,told_lineage_key,ctid,lineage_key_now,da_height_now}'::text[] AS row
         FROM ${submissionsKnownAt(at)} WHERE to_position IS NULL
       UNION ALL
       SELECT to_jsonb(b) - '{change,checks,header_included_position,data_included_position,header_da_height_now,data_da_height_now}'::text[] FROM ${blocksKnownAt(at)}
       UNION ALL
       SELECT to_jsonb(l) - '{change,to_position}'::text[] FROM ${statedLossesKnownAt(at)} WHERE to_position IS NULL) r (row)
      ORDER BY row::text COLLATE "C"`,
  );
  return rows.map(({ row }) => row);
}
