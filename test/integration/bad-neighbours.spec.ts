import { badRows, goodRows } from '../support/bad-neighbour.js';
import { ProjectedLogs } from '../support/projected-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { useDatabase } from '../support/use-database.js';

/** More seeds find rarer cases. */
const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 1) }, (_, index) => index + 1);

const dataSource = useDatabase();
let logs: ProjectedLogs;

beforeAll(async () => {
  logs = new ProjectedLogs(dataSource);
});

describe('a bad node of another chain', () => {
  it.each(SEEDS)('changes nothing in the record of the good nodes and their chain (%d)', async (seed) => {
    const random = seededRandom(seed);
    const good = goodRows(random, 150);
    const alone = await logs.project(good, 1_000);
    const bad = badRows(random, 250, { good: good.length, chains: ['bad', 'worse', 'bad'] });
    const together = await logs.project([...good, ...bad], 50);
    expect(Object.values(alone).flat().length).toBeGreaterThan(50);
    for (const table of Object.keys(alone)) expect([table, together[table]]).toEqual([table, alone[table]]);
  });
});

/**
 * What other nodes of a chain may decide of a row: what blocks say of it, and where a failed attempt landed. Also which
 * lineage it belongs to, where the chain began anew before it was confirmed.
 */
const EVIDENCE = [
  'evidence',
  'evidence_from_position',
  'block_from',
  'block_to',
  'shares',
  'signed_shares',
  'lineage',
];
/** Other nodes may prove more about a loss, from a later position on. */
const PROVEN = [
  'min_lost',
  'max_lost',
  'shown_lost',
  'undecided_headers',
  'undecided_data',
  'posted_elsewhere',
  'from_position',
  'to_position',
];
/** Fields that only the nodes themselves decide. */
const OWN_TABLES = [
  'node',
  'node_chain',
  'node_list',
  'submission_run',
  'block',
  'inclusion_walk',
  'health_interval',
  'availability_interval',
  'coverage_interval',
  'probe_minute',
  'probe_state',
  'claim',
];

/** The distinct rows without the fields that are left out. */
function without(rows: readonly string[] | undefined, names: readonly string[]): string[] {
  const kept = (rows ?? []).map((text) => {
    const row = JSON.parse(text) as Record<string, unknown>;
    for (const name of names) delete row[name];
    if (row['status'] !== 0) delete row['da_height'];
    return row;
  });
  return [...new Set(kept.filter(({ node }) => node !== null).map((row) => JSON.stringify(row)))].sort();
}

describe('a bad node that claims to be of the same chain', () => {
  it.each(SEEDS)('changes nothing in what the good nodes themselves sent (%d)', async (seed) => {
    const random = seededRandom(10 + seed);
    const good = goodRows(random, 300);
    const alone = await logs.project(good, 1_000);
    const bad = badRows(random, 300, { good: good.length, chains: ['made-up', 'made-up', 'bad'] });
    const together = await logs.project([...good, ...bad], 50);
    for (const table of OWN_TABLES) expect([table, together[table]]).toEqual([table, alone[table]]);
    const attempts = without(alone['submission'], EVIDENCE);
    expect(Object.values(alone).flat().length).toBeGreaterThan(50);
    expect(without(together['submission'], EVIDENCE)).toEqual(attempts);
    expect(without(together['loss'], PROVEN)).toEqual(without(alone['loss'], PROVEN));
    const keys = (rows: readonly string[] | undefined) =>
      (rows ?? []).flatMap((text) => {
        const { node, chain, grain, bucket_at, kind, status, attempts: count } = JSON.parse(text) as Row;
        return node === null ? [] : [[node, chain, grain, bucket_at, kind, status, count].join(' ')];
      });
    expect(keys(together['statistic']).sort()).toEqual(keys(alone['statistic']).sort());
  });
});

type Row = Readonly<Record<string, string | number | null>>;
