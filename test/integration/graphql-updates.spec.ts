import { parse } from 'csv-parse/sync';
import { blockRow, insertRows, lossRow, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

interface Changed {
  readonly id: string;
  readonly updatedAt: string | null;
  readonly withdrawn: boolean;
}

interface ChangedPage {
  readonly nodes: readonly Changed[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string;
  };
}

/** Changes are made at this time, one a minute. */
const BEGIN = Date.UTC(2026, 10, 22, 10);
const at = (minute: number): string => new Date(BEGIN + minute * 60_000).toISOString();

describe('the changes since a time', () => {
  const api = useApi();
  let minute = 0;

  /** One transaction, a minute after the previous one. */
  const change = async (sql: string): Promise<void> => {
    await api.dataSource.query(sql);
    await api.dataSource.query(
      'UPDATE record_change SET at = $1 WHERE change = (SELECT max(change) FROM record_change)',
      [at(minute++)],
    );
  };
  const insert = async (table: string, row: Record<string, unknown>): Promise<void> => {
    await insertRows(api.dataSource, table, [row]);
    await change('SELECT 1');
  };
  const proven = (daHeight: number, more = {}): Record<string, unknown> =>
    submissionRow(null, {
      node_key: null,
      ring: null,
      evidence: 4,
      from_position: 9,
      da_height: daHeight,
      ...more,
    });
  const submissions = async (args: string, filter = ''): Promise<Changed[]> => {
    const { submissions: page } = await api.read<{ submissions: { nodes: Changed[] } }>(
      `{ submissions(filter: {${filter}} ${args}) { nodes { id updatedAt withdrawn } } }`,
    );
    return page.nodes;
  };
  const since = (time: string): Promise<Changed[]> => submissions('', `updatedSince: "${time}"`);
  const namesSince = async (time: string): Promise<string[]> => (await since(time)).map(({ id }) => id);

  beforeAll(async () => {
    await insertRows(api.dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
    ]);
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha', { chain_id: 'lab-1', lineage_key: 1 })]);
    await insertRows(api.dataSource, 'proposer', [
      {
        proposer_key: 1,
        proposer_address: '\\xaa',
        validator_hash: '\\xbb',
        version_block: 1,
        version_app: 1,
      },
    ]);
    await insert('submission', submissionRow(1)); // 0
    await insert('submission', submissionRow(2)); // 1
    await insert('submission', proven(90)); // 2
    await insert('submission', proven(91)); // 3
    await change('UPDATE submission SET evidence = 3 WHERE sequence = 1'); // 4
    await change('UPDATE submission SET to_position = 20 WHERE da_height IN (90, 91)'); // 5
    await insert('submission', proven(91, { from_position: 21 })); // 6
    await insert('loss', lossRow(30)); // 7
    await insert('loss', lossRow(40)); // 8
    await change('UPDATE loss SET to_position = 50 WHERE loss_position = 30'); // 9
    await insert('loss', lossRow(30, { from_position: 50, min_lost: 3 })); // 10
    await change('UPDATE loss SET to_position = 60 WHERE loss_position = 40'); // 11
    await insert('block', blockRow(1)); // 12
    await insert('block', blockRow(2)); // 13
    await change('UPDATE block SET header_da_height = 5 WHERE height = 1'); // 14
  });

  it('come in the order of the changes, with withdrawn rows as such, whatever order is requested', async () => {
    const all = [
      { id: 'alpha~2', updatedAt: at(1), withdrawn: false },
      { id: 'alpha~1', updatedAt: at(4), withdrawn: false },
      { id: 'lab-1~1~HEADER~90', updatedAt: at(5), withdrawn: true },
      { id: 'lab-1~1~HEADER~91', updatedAt: at(6), withdrawn: false },
    ];
    expect(await since(at(0))).toEqual(all);
    expect(await submissions(', order: OCCURRED_DESC', `updatedSince: "${at(0)}"`)).toEqual(all);
    expect(await submissions(', last: 2', `updatedSince: "${at(0)}"`)).toEqual(all.slice(2));
  });

  it('are requested explicitly: other lists have no withdrawn rows', async () => {
    const rows = await submissions('');
    expect(rows.map(({ id, withdrawn }) => [id, withdrawn])).toEqual([
      ['lab-1~1~HEADER~91', false],
      ['alpha~2', false],
      ['alpha~1', false],
    ]);
  });

  it('include each change, those of the preceding minute again, and nothing older', async () => {
    expect(await namesSince(at(5))).toEqual(['alpha~1', 'lab-1~1~HEADER~90', 'lab-1~1~HEADER~91']);
    expect(await namesSince(at(7))).toEqual(['lab-1~1~HEADER~91']);
    expect(await namesSince('0001-01-01T00:00:00Z')).toHaveLength(4);
    // The last transaction that had its number by then may not have been committed, so its rows come again.
    expect(await namesSince('9999-01-01T00:00:00Z')).toEqual([]);
  });

  it('are walked by cursors that survive changes: a row that changes meanwhile comes again at the end', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 10; page += 1) {
      const { submissions: list }: { submissions: ChangedPage } = await api.read(
        `query ($after: String) { submissions(first: 1, after: $after, filter: {updatedSince: "${at(0)}"}) {
           nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } }`,
        { after },
      );
      seen.push(...list.nodes.map(({ id }) => id));
      expect(list.pageInfo.hasPreviousPage).toBe(page > 0);
      if (page === 1) await change('UPDATE submission SET evidence = 1 WHERE sequence = 2');
      if (!list.pageInfo.hasNextPage) break;
      after = list.pageInfo.endCursor;
    }
    expect(seen).toEqual(['alpha~2', 'alpha~1', 'lab-1~1~HEADER~90', 'lab-1~1~HEADER~91', 'alpha~2']);
  });

  it('of losses are the current version, and a withdrawal of losses without a current version', async () => {
    const { losses } = await api.read<{ losses: { nodes: unknown[] } }>(
      `{ losses(filter: {updatedSince: "${at(8)}"}) { nodes { id minLost withdrawn } } }`,
    );
    expect(losses.nodes).toEqual([
      { id: '30', minLost: '3', withdrawn: false },
      { id: '40', minLost: '0', withdrawn: true },
    ]);
  });

  it('include blocks', async () => {
    const { blocks } = await api.read<{ blocks: { nodes: unknown[] } }>(
      `{ blocks(filter: {updatedSince: "${at(13)}", nodes: ["alpha"]}) { nodes { height headerDaHeight withdrawn updatedAt } } }`,
    );
    expect(blocks.nodes).toEqual([
      { height: '2', headerDaHeight: null, withdrawn: false, updatedAt: at(13) },
      { height: '1', headerDaHeight: '5', withdrawn: false, updatedAt: at(14) },
    ]);
  });

  it('cannot be combined with a cursor of another order, or with knownAt', async () => {
    const { submissions: list } = await api.read<{ submissions: { pageInfo: { endCursor: string } } }>(
      '{ submissions(first: 1) { pageInfo { endCursor } } }',
    );
    const after = list.pageInfo.endCursor;
    const changed = `updatedSince: "${at(0)}"`;
    expect(
      await api.codesOf(
        `{ submissions(after: "${after}", filter: {${changed}}) { pageInfo { hasNextPage } } }`,
      ),
    ).toEqual(['BAD_USER_INPUT']);
    for (const list of ['submissions', 'losses', 'blocks']) {
      const query = `{ ${list}(knownAt: "${at(3)}", filter: {${changed}}) { pageInfo { hasNextPage } } }`;
      expect(await api.codesOf(query)).toEqual(['BAD_USER_INPUT']);
    }
  });

  it.each([
    ['submissions', 'id', at(5)],
    ['losses', 'id', at(8)],
    ['blocks', 'height', at(13)],
  ])('are in files of %s, in the same order', async (name, key, time) => {
    const cells = async (query: string): Promise<[Record<string, string>[], string | null]> => {
      const response = await fetch(`${api.url}/export/${name}.csv?updatedSince=${time}${query}`);
      expect(response.status).toBe(200);
      const rows = parse(await response.text(), { columns: true });
      return [rows as never, response.headers.get('x-hindsight-next-cursor')];
    };
    const asked = await api.read<Record<string, { nodes: Record<string, string>[] }>>(
      `{ ${name}(filter: {updatedSince: "${time}"}) { nodes { ${key} updatedAt withdrawn } } }`,
    );
    const expected = asked[name]?.nodes.map((row) => [row[key], String(row['withdrawn'])]);
    const [all] = await cells('');
    expect(all.map((row) => [row[key], row['withdrawn']])).toEqual(expected);
    expect(Object.keys(all[0] ?? {})).toEqual(expect.arrayContaining(['updated_at', 'withdrawn']));
    const [first, cursor] = await cells('&limit=1');
    const [rest] = await cells(`&cursor=${cursor}`);
    expect([...first, ...rest]).toEqual(all);
  });
});
