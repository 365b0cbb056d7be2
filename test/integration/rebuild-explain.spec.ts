import { printDifferences } from '../../src/cli/difference-table.js';
import { compareRecords, type ComparedPart } from '../../src/projections/rebuild/record-differences.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';
import { appendLog } from '../support/append-log.js';

describe('the changes of a rebuild', () => {
  const dataSource = useDatabase();
  const set = readModelSet('record');

  beforeAll(async () => {
    await appendLog(dataSource, smallRecord().events);
  });

  /** Two nodes that show the same four rows, a success that only blocks prove, and a loss. */
  function smallRecord(): SmallLog {
    const log = new SmallLog().register('a').describe('a', 'c1').register('b').describe('b', 'c1');
    log.lose('a', 'SubmissionHistoryMissing');
    log.blocks('a', 'c1', [{ height: 1 }]).blocks('b', 'c1', [{ height: 1 }]);
    log.now = 1_000;
    const rows = [
      { da: 100, at: 1 },
      { da: 101, at: 2 },
      { da: 102, at: 3 },
      // It proves that nothing was posted, so it can be no row of no node.
      { status: 'TooBig', at: 4 },
    ];
    log.rows('a', rows).rows('b', rows);
    log.include('a', 'c1', [{ height: 1, headerDa: 100 }]);
    const shown = [101, 102, 103, 104].map((headerDa, index) => ({ height: index + 2, headerDa }));
    log.blocks('a', 'c1', shown);
    log.now = 60_000;
    return log.watch('a').watch('b');
  }

  async function explain(): Promise<ComparedPart[]> {
    let parts: ComparedPart[] = [];
    await rebuildNow(dataSource, set, {
      compare: async (beside, schemas) => {
        parts = await compareRecords(beside, schemas);
      },
    });
    return parts;
  }

  it('are none if the rules are the same', async () => {
    const parts = await explain();
    expect(parts.map(({ part }) => part)).toEqual([
      'recorded rows',
      'rows of no node',
      'losses',
      'counted attempts',
    ]);
    expect(printDifferences(parts)).toBe('The new record has no differences.\n');
  });

  it('are listed by reason and chain, with examples', async () => {
    const proven = await dataSource.query('SELECT da_height FROM submission WHERE node_key IS NULL');
    expect(proven).toEqual([{ da_height: 103n }]);
    await dataSource.query("INSERT INTO lineage VALUES (9, 'c2', 1, 1)");
    await dataSource.query(`
      INSERT INTO submission SELECT (jsonb_populate_record(s, jsonb_build_object('da_height', da))).*
        FROM submission s, (VALUES (100), (500)) more (da) WHERE node_key IS NULL;
      UPDATE submission SET evidence = 5, possible = 2 WHERE da_height = 500;
      DELETE FROM submission WHERE da_height = 103;
      UPDATE submission SET evidence = 3 WHERE da_height = 101;
      UPDATE submission SET kind = 3 WHERE da_height = 102;
      UPDATE submission SET lineage_key = 9, chain_id = 'c2' WHERE node_key = 1 AND sequence = 4;
      UPDATE submission SET digest = digest + 1 WHERE node_key = 2 AND sequence = 1;
      UPDATE loss SET min_lost = 3, likely_lost = 4`);
    const parts = await explain();
    const lines = parts.flatMap(({ differences = [] }) =>
      differences.map(({ what, before, after, chain, count, examples }) =>
        [what, before, after, chain, count, examples.join(', ')].join(' | '),
      ),
    );
    expect(lines).toEqual([
      'evidence | UNREFERENCED | CONFIRMED | c1 | 2 | a/2 at DA 101, b/2 at DA 101',
      'kind | UNKNOWN | HEADER | c1 | 2 | a/3 at DA 102, b/3 at DA 102',
      'chain | c2 | c1 | c1 | 1 | a/4',
      'row | RECONSTRUCTED | none: a recorded attempt is it | c1 | 1 | DA 100 HEADER',
      'row | UNDECIDED | none: not proven | c1 | 1 | DA 500 HEADER',
      'row | none | RECONSTRUCTED | c1 | 1 | DA 103 HEADER',
      'loss | there | with other bounds | c1 | 1 | a after 0: 3 to ?, likely 4; then 0 to ?',
      'attempt | counted | once less | c1 | 1 | a/1 at DA 100',
      'attempt | counted | once less | c2 | 1 | a/4',
    ]);
    const text = printDifferences(parts);
    expect(text).toContain('Differences in the new record:');
    expect(text).toMatch(/evidence +UNREFERENCED +CONFIRMED +c1 +2 +a\/2 at DA 101/);
    expect(printDifferences(await explain())).toBe('The new record has no differences.\n');
  });

  it('are marked as incomplete if comparing took too long, or if more differs than is listed', () => {
    expect(printDifferences([{ part: 'losses', differences: undefined, more: 0n }])).toBe(
      'The losses were not compared: it took too long.\n',
    );
    expect(printDifferences([{ part: 'losses', differences: [], more: 3n }])).toBe(
      '3 more differences of the losses are left out; each is less frequent.\n',
    );
  });
});
