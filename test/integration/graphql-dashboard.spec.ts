import { appendLog } from '../support/append-log.js';
import { recordLog } from '../support/record-log.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { useApi } from '../support/use-database.js';

/** Everything that a dashboard page shows about a chain, in one query. */
const PAGE = `query ($rows: Int!) {
  chains { id head pending nodes { id pending claim claimDiffers da { state reason } node { state } } aggregators { id } }
  nodes { id chain headFloat pendingFloat da { state } node { state } claim }
  submissions(first: $rows) { nodes {
    id time nodeId status kind daHeightFloat sizeBytesFloat gasPriceFloat blobCount evidence message statusText blobIds blocks
    node { id da { state } } cause { code title remedy } attemptsBefore { id time } attemptsAfter { id time status }
    previous { id } next { id } healthThen { time state } claimThen { status } } }
  blocks(first: $rows) { nodes { nodeId time heightFloat dataBytesFloat node { id claim } } }
  losses(first: $rows) { nodes { nodeId time minLostFloat node { id } } }
  events(first: $rows) { nodes { time positionFloat type body } }
  uptime(node: "aggregator", bucket: HOUR) { time uptime }
  coverage(chain: "lab-1") { time from to }
  claims(node: "aggregator", kind: HEALTH, first: $rows) { nodes { time status } }
}`;

describe('a whole dashboard page in one query', () => {
  const api = useApi();

  beforeAll(async () => {
    await appendLog(api.dataSource, recordLog({ nodes: ['aggregator', 'follower'], to: 120_000 }));
  }, 300_000);

  /** The number of statements that an answer takes. */
  const count = async (rows: number): Promise<{ statements: number; answered: number }> => {
    const reads = api.app.get(ReadDatabase, { strict: false });
    const query = reads.query.bind(reads);
    let statements = 0;
    reads.query = <Rows>(sql: string, parameters?: unknown[]): Promise<Rows> => {
      statements += 1;
      return query<Rows>(sql, parameters);
    };
    try {
      const data = await api.read<{ submissions: { nodes: unknown[] } }>(PAGE, { rows });
      return { statements, answered: data.submissions.nodes.length };
    } finally {
      reads.query = query;
    }
  };

  it('takes as many statements for 100 rows as for 3', async () => {
    const few = await count(3);
    const many = await count(100);
    expect([few.answered, many.answered]).toEqual([3, 100]);
    // Bodies of events are read in batches that fit into memory, so more events take more statements.
    expect(many.statements - few.statements).toBeLessThanOrEqual(4);
    expect(many.statements).toBeGreaterThan(10);
    expect(many.statements).toBeLessThan(60);
  });

  it('gives each exact number a twin that can be plotted, and each row a time', async () => {
    const page = await api.read<Record<string, { nodes: Record<string, unknown>[] }>>(
      `{ submissions(first: 50) { nodes { time sequence sequenceFloat daHeight daHeightFloat sizeBytes sizeBytesFloat } }
         blocks(first: 50) { nodes { time height heightFloat dataBytes dataBytesFloat headerBlobBytes headerBlobBytesFloat } } }`,
    );
    for (const { nodes } of Object.values(page)) {
      expect(nodes.length).toBeGreaterThan(10);
      for (const node of nodes) {
        expect(node['time']).toMatch(/^2026-/);
        for (const [name, value] of Object.entries(node)) {
          if (!(`${name}Float` in node)) continue;
          expect([name, node[`${name}Float`]]).toEqual([name, value === null ? null : Number(value)]);
        }
      }
    }
  });
});
