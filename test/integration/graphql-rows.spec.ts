import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendLog } from '../support/append-log.js';
import { availabilityRow, coverageRow, healthRow, insertRows, lossRow } from '../support/read-model-rows.js';
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
    log.watch('alpha').rows('beta', [{ da: 5, blobs: 2, bytes: 662, at: 6 * SECOND }]);
    log.now = 20 * SECOND;
    log.watch('alpha').list('alpha', 'UNREACHABLE');
    log.now = 30 * SECOND;
    log.list('alpha', 'AVAILABLE').watch('alpha');
    await appendLog(api.dataSource, log.events);
    await new RollUp(api.dataSource).run();
    const { dataSource } = api;
    await insertRows(dataSource, 'loss', [lossRow(1), lossRow(2)]);
    await insertRows(dataSource, 'coverage_interval', [
      coverageRow('alpha', 90, ['2026-11-20T01:00:00Z', '2026-11-20T02:00:00Z'], {
        until_at: '2026-11-20T03:00:00Z',
        unstated: false,
      }),
    ]);
    await insertRows(dataSource, 'availability_interval', [
      availabilityRow('2026-11-20T03:00:00Z', '2026-11-20T04:00:00Z', 'UNREACHABLE'),
    ]);
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', '2026-11-20T03:00:00Z', '2026-11-20T04:00:00Z', 'WARNING', { rule: 'slow' }),
      healthRow('EXECUTION', '2026-11-21T00:00:01Z', null, 'HEALTHY', {}),
      // A node that is no longer monitored is in no list of systems.
      ...['EXECUTION', 'DA_NODE'].map((component) =>
        healthRow(component, '2026-11-21T00:00:01Z', null, 'UNKNOWN', { node: 'gone', rule: 'retired' }),
      ),
    ]);
    const claim = { node: 'alpha', kind: 'health', status: 'healthy', body: {} };
    await insertRows(
      dataSource,
      'claim',
      [1, 2].map((second) => ({
        ...claim,
        observed_at: `2026-11-21T03:00:0${second}Z`,
        from_position: second,
        to_position: second === 1 ? 2 : null,
      })),
    );
    const report = { node: 'alpha', detail: '', from_position: 2, to_position: null };
    await insertRows(
      dataSource,
      'da_node',
      ['alpha', 'gone'].map((node) => ({
        ...report,
        node,
        observed_at: '2026-11-21T00:00:01Z',
        outcome: 'OK',
        token_permissions: ['read'],
      })),
    );
    const read = { ...report, observed_at: '2026-11-21T00:00:02Z', account: 'celestia1qqqqqq', amount: '7' };
    await insertRows(dataSource, 'account', [read]);
    await api.read(
      'mutation { setPrices(chain: "lab-1", entries: [{gasPrice: "0.004", fiat: {unit: "EUR", perTia: "2"}}], confirm: true) { id } }',
    );
  });

  it('show when a block was included: when the later of its two successes was', async () => {
    const ask = async (travel = ''): Promise<(string | null)[]> => {
      const { blocks } = await api.read<{ blocks: { nodes: { includedAt: string | null }[] } }>(
        `{ blocks(order: HEIGHT_ASC${travel}) { nodes { includedAt } } }`,
      );
      return blocks.nodes.map(({ includedAt }) => includedAt?.slice(17, 19) ?? null);
    };
    // No list showed who posted the third block, the data of the fourth is not included, and nothing of the fifth is.
    const now = ['06', '08', null, null, null];
    expect(await ask()).toEqual(now);
    expect(await ask(', knownAt: "2100-01-01T00:00:00Z"')).toEqual(now);
    expect(await ask(', asOf: "2026-11-21T00:00:07Z"')).toEqual(['06', null, null, null, null]);
  });

  /** Lists of rows: their type, whether they can be asked for as of the past, and their number. */
  const TIME = 'from: "2026-11-21T00:00:00Z", to: "2026-11-21T03:00:00Z"';
  const REPORT = `bucket: HOUR, groupBy: [CHAIN, KIND], ${TIME}`;
  const LISTS: readonly [type: string, list: string, travels: boolean, count: number][] = [
    ['Node', 'nodes ', true, 2],
    ['Chain', 'chains', false, 1],
    ['Submission', 'submissions { nodes', true, 4],
    ['Block', 'blocks { nodes', true, 5],
    ['Loss', 'losses { nodes', true, 2],
    ['Event', 'events { nodes', false, 13],
    ['Claim', 'claims(node: "alpha", kind: HEALTH) { nodes', false, 2],
    ['DaNode', 'daNodes ', true, 1],
    ['ExecutionLayer', 'executionLayers ', true, 1],
    ['Account', 'accounts ', true, 1],
    ['HealthInterval', 'healthHistory(node: "alpha")', true, 4],
    ['Incident', 'incidents { nodes', true, 1],
    ['AvailabilityInterval', 'availability(node: "alpha")', false, 3],
    ['CoverageInterval', 'coverage(chain: "lab-1")', false, 2],
    [
      'CoverageGap',
      'coverageGaps(node: "alpha", from: "2026-11-20T00:00:00Z", to: "2026-11-21T00:00:40Z")',
      false,
      4,
    ],
    ['UptimeRow', `uptime(node: "alpha", bucket: HOUR, ${TIME})`, false, 3],
    ['StatisticsRow', `statistics(${REPORT}, filter: {chains: ["lab-1"]})`, true, 2],
    ['CostRow', `costReport(${REPORT}, pricesAsOf: "2026-11-22T00:00:00Z")`, true, 2],
    ['Price', 'priceBook(chain: "lab-1")', false, 2],
  ];

  const leavesOf = (type: string): string => {
    const { schema } = api.app.get(GraphQLSchemaHost);
    const fields = Object.values((schema.getType(type) as GraphQLObjectType).getFields());
    return fields
      .filter((field) => isLeafType(getNamedType(field.type)))
      .map(({ name }) => name)
      .join(' ');
  };
  const rowsOf = async (type: string, list: string): Promise<Row[]> => {
    const closing = list.endsWith('{ nodes') ? '} }' : '}';
    const { rows } = await api.read<{ rows: Row[] | { nodes: Row[] } }>(
      `{ rows: ${list} { __typename ${leavesOf(type)} } ${closing}`,
    );
    return Array.isArray(rows) ? rows : rows.nodes;
  };
  const find = async (type: string, id: string, travel = ''): Promise<Row | null> =>
    (
      await api.read<{ object: Row | null }>(
        `query ($id: ID!) { object(id: $id, type: "${type}"${travel}) { __typename ... on ${type} { ${leavesOf(type)} } } }`,
        { id },
      )
    ).object;

  it.each(LISTS)('of %s are found by their own ids', async (type, list, _, count) => {
    const rows = await rowsOf(type, list);
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const row of rows) {
      expect(await find(type, row.id)).toEqual(row);
      const { object } = await api.read<{ object: Row }>(
        'query ($id: ID!) { object(id: $id) { __typename id } }',
        {
          id: row.id,
        },
      );
      expect(object).toEqual({ __typename: type, id: row.id });
      if (row.versionId !== undefined) expect(row.versionId).toBe(row.id);
      const cut = row.id.slice(0, -2);
      if ((await find(type, cut)) !== null) expect(rows.map(({ id }) => id)).toContain(cut);
    }
  });

  it.each(LISTS.filter(([, , travels]) => travels))(
    'of %s have another version in each past',
    async (type, list) => {
      const versions = new Map<string, string>();
      for (const travel of [
        'asOf: "2026-11-21T00:00:11Z"',
        'knownAt: "2100-01-01T00:00:00Z"',
        'asOf: "2026-11-21T02:00:00Z"',
      ]) {
        const [name = '', rest] = list.split(/(?= \{ nodes)/);
        const asked =
          (name.includes('(') ? name.replace(/\)$/, `, ${travel})`) : `${name.trim()}(${travel})`) +
          (rest ?? '');
        const rows = await rowsOf(type, asked);
        expect([travel, rows.length > 0 || type === 'Loss']).toEqual([travel, true]);
        for (const { id, versionId = '' } of rows) {
          expect(versions.has(versionId)).toBe(false);
          expect(versionId.startsWith(`${id}@`)).toBe(true);
          versions.set(versionId, travel);
          expect(await find(type, id, `, ${travel}`)).toMatchObject({ id, versionId });
        }
      }
    },
  );

  it.each(['submissions', 'blocks(filter: { nodes: ["alpha"] })'])(
    'of %s return their versions even if nothing else is selected',
    async (list) => {
      const ask = async (fields: string) => {
        const { rows } = await api.read<{ rows: { nodes: Row[] } }>(
          `{ rows: ${list} { nodes { ${fields} } } }`,
        );
        return rows.nodes.map(({ versionId }) => versionId);
      };
      expect(await ask('versionId')).toEqual(await ask('id versionId'));
    },
  );

  it('of uptime of several nodes are those of each node, one node after the other', async () => {
    // The node is configured, and nothing about it is recorded yet.
    await api.dataSource.query(
      `INSERT INTO stream_head (stream, version, hash) VALUES ('nobody/node', 1, '\\x00')`,
    );
    const row = '{ id node time healthyMs criticalMs unknownMs }';
    const { all, alpha, nobody } = await api.read<Record<'all' | 'alpha' | 'nobody', { node: string }[]>>(`{
      all: uptimeOfNodes(nodes: ["nobody", "alpha", "alpha"], bucket: HOUR, ${TIME}) ${row}
      alpha: uptime(node: "alpha", bucket: HOUR, ${TIME}, timeZone: "UTC") ${row}
      nobody: uptimeOfNodes(nodes: ["nobody"], bucket: HOUR, ${TIME}) ${row}
    }`);
    expect(all).toEqual([...nobody, ...alpha]);
    expect(nobody).toHaveLength(alpha.length);
    expect(nobody[0]).toMatchObject({ node: 'nobody', healthyMs: '0', unknownMs: '3600000' });
  });

  it('have an id in every list of the schema, except for types that are no things of their own', () => {
    const { schema } = api.app.get(GraphQLSchemaHost);
    const bare = [...rowTypes(schema)].filter(
      (type) => !type.getInterfaces().some(({ name }) => name === 'HasId'),
    );
    // Parts of a single answer, or of a row with an id; and the results of a search, which have the ids of their targets.
    expect(bare.map(({ name }) => name).sort()).toEqual([
      'ActiveJob',
      'AlertDelivery',
      'AlertDestination',
      'AlertRule',
      'AlertTest',
      'Budget',
      'ChainFees',
      'CrowdedPlace',
      'IncidentAcknowledgement',
      'IncidentNode',
      'IncidentNote',
      'IntervalCause',
      'IntervalClaim',
      'LineFault',
      'QueueSchedule',
      'SearchHit',
      'UnevaluatedChain',
      'UnmatchedFee',
      'WhatIfOutcome',
    ]);
    const implementers = schema.getPossibleTypes(schema.getType('HasId') as never).map(({ name }) => name);
    expect(implementers.sort()).toEqual(
      ['Balance', 'Job', 'Queue', 'Silence', ...LISTS.map(([type]) => type)].sort(),
    );
  });

  it.each([
    '',
    'nobody',
    'nobody~1',
    'Block:alpha:lab-1:1',
    'Block:alpha:lab-1:99999999999:1',
    'Event:x',
    'UptimeRow:e30',
    'StatisticsRow:e30:1',
    'Price:nobody:1',
    '18446744073709551616',
    '__proto__:1',
  ])('do not exist for the id %p', async (id) => {
    expect(await api.read('query ($id: ID!) { object(id: $id) { id } }', { id })).toEqual({ object: null });
  });

  it('cost as much as their query', async () => {
    const [row] = await rowsOf(
      'StatisticsRow',
      'statistics(bucket: HOUR, from: "2026-11-21T00:00:00Z", to: "2026-11-21T01:00:00Z")',
    );
    const dear = row?.id.replace(/:([^:]+)/, (_, question: string) => {
      const asked = JSON.parse(Buffer.from(question, 'base64url').toString()) as object;
      const longer = { ...asked, to: '4795200000000000000' };
      return `:${Buffer.from(JSON.stringify(longer)).toString('base64url')}`;
    });
    const costOf = async (id: string | undefined): Promise<number> =>
      (await api.ask('query ($id: ID!) { object(id: $id) { id } }', { id })).extensions?.cost.requested ?? 0;
    expect(await costOf(dear)).toBeGreaterThan(2 * (await costOf(row?.id)));
  });
});

interface Row {
  readonly __typename: string;
  readonly id: string;
  readonly versionId?: string;
}

/** The types of objects that lists hold. */
function rowTypes(schema: GraphQLSchema): ReadonlySet<GraphQLObjectType> {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => (isObjectType(type) || isInterfaceType(type)) && !/^__|Connection$/.test(type.name),
  ) as GraphQLObjectType[];
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const lists = fields
    .filter(({ type }) => isListType(getNullableType(type)))
    .map(({ type }) => getNamedType(type));
  return new Set(lists.filter(isObjectType).filter(({ name }) => !name.endsWith('Edge')));
}
