import { appendLog } from '../support/append-log.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const SECOND = 1_000;

describe('rows over GraphQL', () => {
  const api = useApi();

  beforeAll(async () => {
    const log = new SmallLog();
    for (const node of ['alpha', 'beta']) log.register(node, 'lab-1').describe(node, 'lab-1');
    log.now = 10 * SECOND;
    log.blocks('alpha', 'lab-1', [
      { height: 1, headerDa: 5, at: 1 * SECOND },
      { height: 2, headerDa: 5, dataDa: 6, dataBytes: 40, at: 2 * SECOND },
      { height: 3, headerDa: 7, at: 3 * SECOND },
      { height: 4, headerDa: 8, dataBytes: 40, at: 4 * SECOND },
      { height: 5, at: 5 * SECOND },
    ]);
    log.rows('alpha', [
      { da: 5, blobs: 2, bytes: 662, at: 6 * SECOND },
      { da: 6, kind: 'data', bytes: 40, at: 8 * SECOND },
      { da: 8, at: 9 * SECOND },
    ]);
    log.now = 12 * SECOND;
    log.rows('beta', [{ da: 5, blobs: 2, bytes: 662, at: 6 * SECOND }]);
    await appendLog(api.dataSource, log.events);
  });

  it('tell when a block was included: when the later one of its two successes was', async () => {
    const ask = async (travel = ''): Promise<(string | null)[]> => {
      const { blocks } = await api.read<{ blocks: { nodes: { includedAt: string | null }[] } }>(
        `{ blocks(order: HEIGHT_ASC${travel}) { nodes { includedAt } } }`,
      );
      return blocks.nodes.map(({ includedAt }) => includedAt?.slice(17, 19) ?? null);
    };
    // Nobody showed who posted the third, the data of the fourth is not included, and nothing is of the fifth.
    const now = ['06', '08', null, null, null];
    expect(await ask()).toEqual(now);
    expect(await ask(', knownAt: "2100-01-01T00:00:00Z"')).toEqual(now);
    expect(await ask(', asOf: "2026-11-21T00:00:07Z"')).toEqual(['06', null, null, null, null]);
  });
});
