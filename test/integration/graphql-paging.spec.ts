import { encodeCursor, nameOfQuestion } from '../../src/api/graphql/keyed-list.js';
import { blockRow, insertRows, lossRow, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

interface Connection {
  readonly edges: readonly {
    readonly cursor: string;
    readonly node: { readonly id?: string; readonly height?: string; readonly time?: string };
  }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The beginning of cursors of the list of submissions. */
const NAME = nameOfQuestion({ conditions: { order: 'OBSERVED_DESC', wished: {} } });
const TIME = '2026-11-21T06:00:00Z';

describe('paging over GraphQL', () => {
  const api = useApi();

  /** One page of a list; `name` with its fixed arguments, such as `submissions(order: OBSERVED_ASC`. */
  const page = async (name: string, args: string): Promise<Connection> => {
    const others = [
      ['blocks', 'height node { id }'],
      ['claims', 'time'],
    ] as const;
    const [, node] = others.find(([list]) => name.startsWith(list)) ?? ['', 'id'];
    const data = await api.read<{ list: Connection }>(
      `{ list: ${name}${args}) { edges { cursor node { ${node} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    );
    return data.list;
  };

  /** Walks a list to its end, a few rows at a time, and back again; both walks show the same rows. */
  const walk = async (name: string, size: number): Promise<string[]> => {
    const forwards: string[] = [];
    for (let args = `first: ${size}`; ;) {
      const { edges, pageInfo } = await page(name, args);
      forwards.push(...edges.map((edge) => JSON.stringify(edge.node)));
      if (!pageInfo.hasNextPage) break;
      args = `first: ${size}, after: "${pageInfo.endCursor}"`;
    }
    const backwards: string[] = [];
    for (let args = `last: ${size}`; ;) {
      const { edges, pageInfo } = await page(name, args);
      backwards.unshift(...edges.map((edge) => JSON.stringify(edge.node)));
      if (!pageInfo.hasPreviousPage) break;
      args = `last: ${size}, before: "${pageInfo.startCursor}"`;
    }
    expect(backwards).toEqual(forwards);
    return forwards;
  };

  beforeAll(async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'lab-1', n: 2, from_position: 1 },
    ]);
    await insertRows(dataSource, 'node', [nodeRow(1, 'alpha'), nodeRow(2, 'beta')]);
    await insertRows(dataSource, 'proposer', [
      {
        proposer_key: 1,
        proposer_address: '\\x01',
        validator_hash: '\\x02',
        version_block: 1,
        version_app: 1,
      },
    ]);
    // Three rows per event, all at one time: only position and sequence distinguish them.
    const time = { time_at: '2026-11-21T03:00:00Z' };
    await insertRows(dataSource, 'submission', [
      ...Array.from({ length: 15 }, (_, index) =>
        submissionRow(index + 1, { ...time, from_position: 2 * Math.floor(index / 3) }),
      ),
      ...Array.from({ length: 6 }, (_, index) =>
        submissionRow(index + 1, { ...time, node_key: 2, from_position: 2 * Math.floor(index / 3) + 1 }),
      ),
      ...Array.from({ length: 5 }, (_, index) =>
        submissionRow(null, {
          ...time,
          node_key: null,
          evidence: index === 0 ? 5 : 4,
          from_position: 4,
          da_height: index,
          kind: index % 2,
        }),
      ),
    ]);
    await insertRows(dataSource, 'block', [
      ...Array.from({ length: 9 }, (_, index) => blockRow(index + 1)),
      ...Array.from({ length: 4 }, (_, index) => blockRow(index + 6, { lineage_key: 2 })),
      ...Array.from({ length: 9 }, (_, index) => blockRow(index + 1, { node_key: 2 })),
    ]);
    await insertRows(
      dataSource,
      'loss',
      [1, 2, 3, 4, 5].map((position) => lossRow(position)),
    );
    await insertRows(
      dataSource,
      'claim',
      [1, 2, 3, 4, 5].map((position) => ({
        node: 'alpha',
        kind: 'health',
        observed_at: `2026-11-21T03:00:0${position}Z`,
        status: 'healthy',
        body: {},
        from_position: position,
        to_position: position < 5 ? position + 1 : null,
      })),
    );
  });

  it.each(['OBSERVED_ASC', 'OBSERVED_DESC', 'OCCURRED_ASC', 'OCCURRED_DESC'])(
    'shows every submission once in the order %s, whatever the size of the pages',
    async (order) => {
      const whole = await walk(`submissions(order: ${order}, `, 1000);
      expect(new Set(whole).size).toBe(26);
      for (const size of [2, 7]) expect(await walk(`submissions(order: ${order}, `, size)).toEqual(whole);
    },
  );

  it.each([
    ['submissions(filter: {nodes: ["alpha"]}, order: OBSERVED_ASC, ', 15],
    ['submissions(filter: {nodes: ["alpha", "beta"]}, ', 21],
    ['submissions(filter: {nodes: ["beta"]}, order: OCCURRED_DESC, ', 6],
    ['submissions(filter: {evidence: [RECONSTRUCTED, UNDECIDED]}, ', 5],
    ['submissions(filter: {evidence: [UNDECIDED]}, ', 1],
    ['submissions(filter: {from: "2026-11-21T02:00:00Z", to: "2026-11-21T04:00:00Z"}, ', 26],
    ['submissions(filter: {nodes: ["alpha"], from: "2026-11-21T02:00:00Z"}, ', 15],
    ['blocks(order: HEIGHT_ASC, ', 22],
    ['blocks(order: HEIGHT_DESC, ', 22],
    ['blocks(filter: {nodes: ["beta"], heightFrom: 3}, ', 7],
    ['blocks(filter: {from: "2020-01-01T00:00:00Z"}, order: HEIGHT_ASC, ', 22],
    ['losses(', 5],
    ['losses(filter: {updatedSince: "2020-01-01T00:00:00Z"}, ', 5],
    ['claims(node: "alpha", kind: HEALTH, ', 5],
  ])('shows every row of %s…) once, forwards and backwards', async (name, count) => {
    const whole = await walk(name, 1000);
    expect(whole).toHaveLength(count);
    expect(await walk(name, 2)).toEqual(whole);
  });

  it('never repeats the row of a cursor, and continues after it when rows were inserted on both sides', async () => {
    const first = await page('submissions(filter: {nodes: ["beta"]}, order: OBSERVED_DESC, ', 'first: 2');
    await insertRows(api.dataSource, 'submission', [
      submissionRow(7, { node_key: 2, from_position: 50 }),
      submissionRow(null, { node_key: null, evidence: 4, from_position: 0, da_height: 999 }),
    ]);
    const second = await page(
      'submissions(filter: {nodes: ["beta"]}, order: OBSERVED_DESC, ',
      `first: 2, after: "${first.pageInfo.endCursor}"`,
    );
    const ids = [...first.edges, ...second.edges].map((edge) => edge.node.id);
    expect(ids).toEqual(['beta~6', 'beta~5', 'beta~4', 'beta~3']);
    expect(second.pageInfo.hasPreviousPage).toBe(true);
    await api.dataSource.query('DELETE FROM submission WHERE from_position = 50 OR da_height = 999');
  });

  it.each([
    ['submissions(order: OBSERVED_ASC, ', 'submissions(order: OBSERVED_DESC, '],
    ['submissions(', 'submissions(filter: {nodes: ["alpha"]}, '],
    ['submissions(filter: {nodes: ["alpha"]}, ', 'submissions(filter: {nodes: ["beta"]}, '],
    [
      'submissions(filter: {to: "2030-01-01T00:00:00Z"}, ',
      'submissions(filter: {from: "2020-01-01T00:00:00Z"}, ',
    ],
    ['submissions(', 'submissions(asOf: "2030-01-01T00:00:00Z", '],
    ['submissions(filter: {updatedSince: "2020-01-01T00:00:00Z"}, ', 'submissions('],
    ['blocks(order: HEIGHT_ASC, ', 'blocks('],
    ['blocks(filter: {heightFrom: 1}, ', 'blocks(filter: {heightTo: 9}, '],
    ['losses(', 'losses(filter: {kinds: [OVERFLOW]}, '],
  ])('refuses a cursor of %s…) for %s…)', async (name, other) => {
    const { pageInfo } = await page(name, 'first: 1');
    const after = `first: 2, after: "${pageInfo.endCursor}") { nodes { __typename } } }`;
    expect(await api.codesOf(`{ ${other}${after}`)).toEqual(['BAD_USER_INPUT']);
    expect(await api.codesOf(`{ ${name}${after}`)).toEqual([]);
  });

  it('accepts a cursor for the same query in other words', async () => {
    const { pageInfo } = await page(
      'submissions(filter: {nodes: ["alpha", "beta"], kinds: null}, ',
      'first: 2',
    );
    const rest = await page(
      'submissions(order: OBSERVED_DESC, filter: {nodes: ["beta", "alpha"]}, ',
      `first: 1000, after: "${pageInfo.endCursor}"`,
    );
    expect(rest.edges).toHaveLength(19);
  });

  it('reads a range between two cursors from either end', async () => {
    const { edges } = await page('blocks(order: HEIGHT_ASC, ', 'first: 1000');
    const between = `after: "${edges[3]?.cursor}", before: "${edges[9]?.cursor}"`;
    const fromStart = await page('blocks(order: HEIGHT_ASC, ', `${between}, first: 2`);
    expect(fromStart.edges).toEqual(edges.slice(4, 6));
    const fromEnd = await page('blocks(order: HEIGHT_ASC, ', `${between}, last: 2`);
    expect(fromEnd.edges).toEqual(edges.slice(7, 9));
  });

  it('reads losses from the newest', async () => {
    const first = await page('losses(', 'first: 2');
    expect(first.edges.map((edge) => edge.node.id)).toEqual(['5', '4']);
    const rest = await page('losses(', `after: "${first.pageInfo.endCursor}"`);
    expect(rest.edges.map((edge) => edge.node.id)).toEqual(['3', '2', '1']);
    expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('gives 50 rows by default, no rows for 0, and an empty page without cursors', async () => {
    expect((await page('submissions(', 'first: null')).edges).toHaveLength(26);
    const none = await page('submissions(', 'first: 0');
    expect(none).toEqual({
      edges: [],
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  it.each([
    'first: 1001',
    'last: 1001',
    'first: -1',
    'first: 1, last: 1',
    'after: "nonsense"',
    'after: ""',
    // Cursors of another list, and an invented one.
    `after: "${NAME}${encodeCursor('blocks', ['1', '2', '3'])}"`,
    `before: "${NAME}${encodeCursor('submissions', [TIME, '2'])}"`,
    `after: "${NAME}${encodeCursor('submissions', [TIME, '1', '99999999999999999999', '0', '0', '0'])}"`,
    `after: "${NAME}${encodeCursor('submissions', ['soon', '1', '2', '0', '0', '0'])}"`,
    `after: "${encodeCursor('submissions', [TIME, '1', '2', '0', '0', '0'])}"`,
  ])('refuses %s', async (args) => {
    expect(await api.codesOf(`{ submissions(${args}) { nodes { id } } }`)).toEqual(['BAD_USER_INPUT']);
  });

  it('accepts a cursor at a position without a row', async () => {
    const after = NAME + encodeCursor('submissions', [TIME, '1', '2', '0', '0', '0']);
    expect(await api.codesOf(`{ submissions(after: "${after}") { nodes { id } } }`)).toEqual([]);
  });
});
