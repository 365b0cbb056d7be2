import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getNamedType, type GraphQLSchema, isInputObjectType, isRequiredArgument } from 'graphql';
import { NO_HEALTH } from '../../src/domain/health/health-fold.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  availabilityRow,
  blockRow,
  hashOf,
  healthRow,
  insertRows,
  lossRow,
  nameChains,
  nodeRow,
  submissionRow,
} from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const hex = (number: number): string => hashOf(number).slice(2);
const EMPTY_DATA_HASH = '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d';

/** A few seconds after the last poll of the nodes. */
const clock = new ManualClock(Date.UTC(2026, 10, 21, 3, 12, 10));

type Owner = 'node' | 'chain';

/** Arguments that queries need besides a name. */
const NEEDED: Readonly<Record<string, string>> = {
  bucket: 'DAY',
  kind: 'HEALTH',
  at: '"2026-11-21T03:00:00Z"',
  from: '"2026-11-21T03:00:00Z"',
  to: '"2026-11-21T04:00:00Z"',
  policies: '[{ everyBlocks: 1 }]',
  height: '1',
};

/** Each query of the schema, with each of its arguments and filter members that name a node or a chain. */
function namingQuestions(schema: GraphQLSchema, names: Readonly<Record<Owner, string>>): string[] {
  return Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args }) => {
    const needed = args.flatMap((arg) =>
      isRequiredArgument(arg) || arg.name === 'height'
        ? NEEDED[arg.name]
          ? [`${arg.name}: ${NEEDED[arg.name]}`]
          : []
        : [],
    );
    const ask = (argument: string): string =>
      `{ ${name}(${[argument, ...needed].join(', ')}) { __typename } }`;
    return args.flatMap((arg): string[] => {
      if (arg.name === 'filter') {
        const type = getNamedType(arg.type);
        const members = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
        return members.flatMap((member) => {
          const value = namedBy(member, names);
          return value === undefined ? [] : [ask(`filter: { ${member}: ${value} }`)];
        });
      }
      const owner = arg.name === 'id' && (name === 'node' || name === 'chain') ? name : arg.name;
      const value = namedBy(owner, names);
      return value === undefined ? [] : [ask(`${arg.name}: ${value}`)];
    });
  });
}

function namedBy(argument: string, { node, chain }: Readonly<Record<Owner, string>>): string | undefined {
  return { node: `"${node}"`, nodes: `["${node}"]`, chain: `"${chain}"`, chains: `["${chain}"]` }[argument];
}

describe('nodes, blocks, losses and histories over GraphQL', () => {
  const api = useApi({ clock });

  beforeAll(async () => {
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'lab-1', n: 2, from_position: 1 },
      { lineage_key: 3, chain_id: 'other', n: 1, from_position: 1 },
    ]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', {
        url: 'http://operator:secret@alpha.example:7331',
        chain_id: 'lab-1',
        aggregator: true,
        shape: 'EV_NODE',
        service_prefix: 'evnode.v1',
        lineage_key: 1,
        head: '9007199254740993',
        oldest: 3,
        inclusion_frontier: '9007199254740990',
        submission_count: 12,
        block_count: 8,
        last_success_at: '2026-11-21T03:12:04.5Z',
        last_seen_at: '2026-11-21T03:12:05.123456Z',
      }),
      nodeRow(2, 'Beta', { retired: true }),
    ]);
    await nameChains(dataSource);
    await insertRows(dataSource, 'proposer', [
      {
        proposer_key: 1,
        proposer_address: '\\xbeef',
        validator_hash: '\\x02',
        version_block: 1,
        version_app: 1,
      },
    ]);
    await insertRows(dataSource, 'block', [
      blockRow(1, { last_header_hash: '\\x', checks: 0b01_01_01_01_00 }),
      blockRow(2, {
        header_da_height: 50,
        data_da_height: 51,
        tx_count: 3,
        tx_bytes: '5000000000',
        data_hash: hashOf(77),
        data_blob_bytes: 900,
      }),
      blockRow(3, { header_da_height: 50, data_da_height: null, tx_count: 1, app_hash: null }),
      blockRow(4, { last_header_hash: hashOf(99), hash: null, checks: 0b01_10_00_00_10 }),
      blockRow(3, { lineage_key: 2, hash: hashOf(303), last_header_hash: hashOf(2) }),
      blockRow(4, { lineage_key: 2, hash: hashOf(304), header_da_height: 60, data_da_height: 60 }),
      blockRow(5, { lineage_key: 2, hash: hashOf(305), time_ns: '1795230000000000000' }),
      blockRow(3, { node_key: 2, lineage_key: 3, hash: hashOf(3) }),
    ]);
    await insertRows(dataSource, 'submission', [
      submissionRow(1, { da_height: 50, block_from: 2, block_to: 3 }),
      submissionRow(2, {
        da_height: 51,
        kind: 1,
        blob_count: 1,
        size_bytes: 900,
        block_from: 2,
        block_to: 2,
      }),
      submissionRow(3, { da_height: 51, evidence: 3 }),
      submissionRow(4, { da_height: 50, kind: 2, lineage_key: null, evidence: 0 }),
      // Two batches at one DA height of the second lineage.
      submissionRow(5, { da_height: 70, lineage_key: 2, blob_count: 1, block_from: 22, block_to: 22 }),
      submissionRow(6, { da_height: 70, lineage_key: 2, blob_count: 2, block_from: 20, block_to: 21 }),
      // A batch with only one recorded block, and a batch that no list showed.
      submissionRow(7, { da_height: 71, lineage_key: 2, blob_count: 9, size_bytes: 1575 }),
      submissionRow(null, {
        node_key: null,
        ring: null,
        da_height: 72,
        lineage_key: 2,
        evidence: 4,
        from_position: 8,
        block_from: 24,
        block_to: 25,
      }),
    ]);
    await insertRows(dataSource, 'loss', [
      lossRow(10, { kind: 'BEFORE_START', after_sequence: 0, from_at: null, to_at: '2026-11-21T02:00:00Z' }),
      lossRow(11, { to_position: 15 }),
      lossRow(11, { min_lost: 4, max_lost: '9007199254740993', likely_lost: 6, from_position: 15 }),
      lossRow(12, {
        node_key: 2,
        kind: 'RESET',
        from_at: '2026-11-21T05:00:00Z',
        to_at: '2026-11-21T05:00:02Z',
      }),
    ]);
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', '2026-11-21T03:00:00Z', '2026-11-21T03:01:01.5Z', 'HEALTHY', { claim: 'healthy' }),
      healthRow('DA', '2026-11-21T03:01:01.5Z', null, 'CRITICAL', {
        rule: 'failing',
        reason: '7 failures in a row',
        claim: 'healthy',
        claim_differs: true,
      }),
      healthRow('NODE', '2026-11-21T03:00:00Z', null, 'HEALTHY'),
      healthRow('NODE', '2026-11-21T03:00:00Z', null, 'UNKNOWN', { from_position: 0, to_position: 1 }),
    ]);
    await insertRows(dataSource, 'claim', [
      {
        node: 'alpha',
        kind: 'health',
        observed_at: '2026-11-21T03:00:00Z',
        status: 'degraded',
        body: {},
        from_position: 1,
        to_position: 2,
      },
      {
        node: 'alpha',
        kind: 'health',
        observed_at: '2026-11-21T03:01:00Z',
        status: 'Healthy',
        body: {},
        from_position: 2,
        to_position: null,
      },
    ]);
    await insertRows(dataSource, 'availability_interval', [
      availabilityRow('2026-11-21T03:00:00Z', '2026-11-21T03:01:00Z', 'UNREACHABLE', {
        detail: 'connection refused',
      }),
      availabilityRow('2026-11-21T03:01:00Z', null, 'AVAILABLE'),
      availabilityRow('2026-11-21T03:00:00Z', null, 'INVALID', { from_position: 0, to_position: 1 }),
    ]);
  });

  it('show every node with its present state, without the password of its address', async () => {
    const { nodes } = await api.read<{ nodes: Record<string, unknown>[] }>(`{ nodes {
      id url chain aggregator shape servicePrefix head oldest inclusionFrontier pending claim claimDiffers
      submissionCount blockCount lastSuccessAt lastSeenAt retired
      da { from to state rule reason claim claimDiffers } node { state } } }`);
    expect(nodes.map((node) => node['id'])).toEqual(['Beta', 'alpha']);
    expect(nodes[1]).toEqual({
      id: 'alpha',
      url: 'http://operator:***@alpha.example:7331',
      chain: 'lab-1',
      aggregator: true,
      shape: 'EV_NODE',
      servicePrefix: 'evnode.v1',
      head: '9007199254740993',
      oldest: '3',
      inclusionFrontier: '9007199254740990',
      pending: '3',
      claim: 'Healthy',
      claimDiffers: true,
      submissionCount: '12',
      blockCount: '8',
      lastSuccessAt: '2026-11-21T03:12:04.500Z',
      lastSeenAt: '2026-11-21T03:12:05.123456Z',
      retired: false,
      da: {
        from: '2026-11-21T03:01:01.500Z',
        to: null,
        state: 'CRITICAL',
        rule: 'failing',
        reason: '7 failures in a row',
        claim: 'healthy',
        claimDiffers: true,
      },
      node: { state: 'HEALTHY' },
    });
  });

  it('have null where nothing is known about a node', async () => {
    const data = await api.read<unknown>(
      '{ node(id: "Beta") { chain aggregator head pending lastSuccessAt claim claimDiffers da { state } node { state } } }',
    );
    expect(data).toEqual({
      node: {
        chain: null,
        aggregator: null,
        head: null,
        pending: null,
        lastSuccessAt: null,
        claim: null,
        claimDiffers: null,
        da: null,
        node: null,
      },
    });
  });

  const BLOCK = `node { id } height time chainId hash lastHeaderHash dataHash appHash proposerAddress txCount dataBytes
    headerBlobBytes dataBlobBytes headerDaHeight dataDaHeight lineage checks { link hash signature proposer data }`;

  it('show everything about a block', async () => {
    const { block } = await api.read<{ block: unknown }>(`{ block(node: "alpha", height: 2) { ${BLOCK} } }`);
    expect(block).toEqual({
      node: { id: 'alpha' },
      height: '2',
      time: '2026-11-21T03:00:02.000000001Z',
      chainId: 'lab-1',
      hash: hex(2),
      lastHeaderHash: hex(1),
      dataHash: hex(77),
      appHash: '0a0b',
      proposerAddress: 'beef',
      txCount: 3,
      dataBytes: '5000000000',
      headerBlobBytes: '175',
      dataBlobBytes: '900',
      headerDaHeight: '50',
      dataDaHeight: '51',
      lineage: 'lab-1/1',
      checks: { link: 'PASSED', hash: 'PASSED', signature: 'PASSED', proposer: 'PASSED', data: 'PASSED' },
    });
  });

  it("fill in what is not stored because it follows: the parent's hash and the hash of empty data", async () => {
    const data = await api.read<unknown>(`{
      first: block(node: "alpha", height: 1) { lastHeaderHash dataHash checks { link hash } }
      third: block(node: "alpha", height: 3) { lastHeaderHash appHash headerDaHeight dataDaHeight }
      fourth: block(node: "alpha", height: 4) { lastHeaderHash hash checks { link hash signature proposer data } } }`);
    expect(data).toEqual({
      first: {
        lastHeaderHash: null,
        dataHash: EMPTY_DATA_HASH,
        checks: { link: 'NOT_CHECKED', hash: 'PASSED' },
      },
      third: { lastHeaderHash: hex(2), appHash: null, headerDaHeight: '50', dataDaHeight: null },
      fourth: {
        lastHeaderHash: hex(99),
        hash: null,
        checks: {
          link: 'FAILED',
          hash: 'NOT_CHECKED',
          signature: 'NOT_CHECKED',
          proposer: 'FAILED',
          data: 'PASSED',
        },
      },
    });
  });

  it("use a height that exists in two lineages from the node's present lineage, else from the latest", async () => {
    const read = (): Promise<unknown> =>
      api.read(
        '{ three: block(node: "alpha", height: 3) { lineage } five: block(node: "alpha", height: 5) { lineage } }',
      );
    expect(await read()).toEqual({ three: { lineage: 'lab-1/1' }, five: { lineage: 'lab-1/2' } });
    await api.dataSource.query('UPDATE node SET lineage_key = NULL WHERE id = $1', ['alpha']);
    expect(await read()).toEqual({ three: { lineage: 'lab-1/2' }, five: { lineage: 'lab-1/2' } });
    await api.dataSource.query('UPDATE node SET lineage_key = 1 WHERE id = $1', ['alpha']);
  });

  const bytes = Buffer.from(hex(304), 'hex');
  it.each([hex(304), `0x${hex(304).toUpperCase()}`, bytes.toString('base64'), bytes.toString('base64url')])(
    'find a block by its header hash, written as %s',
    async (hash) => {
      const query = 'query ($hash: String) { block(node: "alpha", hash: $hash) { height lineage } }';
      expect(await api.read(query, { hash })).toEqual({ block: { height: '4', lineage: 'lab-1/2' } });
    },
  );

  it('find a hash only on the node that showed it', async () => {
    const query = 'query ($hash: String) { block(node: "Beta", hash: $hash) { height } }';
    expect(await api.read(query, { hash: hex(304) })).toEqual({ block: null });
    expect(await api.read('{ block(node: "alpha", height: "77") { height } }')).toEqual({ block: null });
  });

  it.each(['', 'hash: "abc"', 'hash: ""', `hash: "${hex(1)}", height: 1`, 'height: "1.5"', 'height: true'])(
    'refuse to search for a block with (%s)',
    async (args) => {
      expect(await api.codesOf(`{ block(node: "alpha" ${args}) { height } }`)).toEqual(['BAD_USER_INPUT']);
    },
  );

  it.each([
    ['', ['5', '4', '4', '3', '3', '3', '2', '1']],
    ['nodes: ["Beta"]', ['3']],
    ['nodes: []', []],
    ['chains: ["lab-1"], heightFrom: 2, heightTo: "4"', ['4', '4', '3', '3', '2']],
    ['included: true', ['4', '2']],
    ['included: false, nodes: ["alpha"]', ['5', '4', '3', '3', '1']],
    ['from: "2026-11-21T03:00:03.000000001Z", chains: ["lab-1"]', ['4', '4', '3', '3']],
    ['from: "2026-11-21T03:00:03.000000002Z", to: "2300-01-01T00:00:00Z"', ['4', '4']],
    ['to: "2026-11-21T03:00:00.000000001Z"', ['5']],
  ])('filter blocks by {%s}', async (filter, heights) => {
    const { blocks } = await api.read<{ blocks: { nodes: { height: string }[] } }>(
      `{ blocks(filter: {${filter}}) { nodes { height } } }`,
    );
    expect(blocks.nodes.map((node) => node.height)).toEqual(heights);
  });

  it('name the blocks that a submission carried', async () => {
    await insertRows(
      api.dataSource,
      'block',
      [70, 70, 70, 71, 72, 72].map((header_da_height, index) =>
        blockRow(20 + index, {
          node_key: 2,
          lineage_key: 2,
          header_da_height,
          header_blob_bytes: 170 + 5 * index,
        }),
      ),
    );
    const read = () =>
      api.read<{ submissions: { nodes: { kind: string; daHeight: string; blocks: string[] }[] } }>(
        '{ submissions(order: OBSERVED_ASC) { nodes { kind daHeight blocks } } }',
      );
    const { submissions } = await read();
    expect(submissions).toEqual({
      nodes: [
        { kind: 'HEADER', daHeight: '50', blocks: ['2', '3'] },
        { kind: 'DATA', daHeight: '51', blocks: ['2'] },
        { kind: 'HEADER', daHeight: '51', blocks: [] },
        { kind: 'MIXED', daHeight: '50', blocks: [] },
        { kind: 'HEADER', daHeight: '70', blocks: ['22'] },
        { kind: 'HEADER', daHeight: '70', blocks: ['20', '21'] },
        { kind: 'HEADER', daHeight: '71', blocks: [] },
        { kind: 'HEADER', daHeight: '72', blocks: ['24', '25'] },
      ],
    });
    // One namespace for both: the header of 20 went elsewhere, so data fit one batch alone.
    await api.dataSource.query('UPDATE submission SET kind = 2 WHERE sequence IN (5, 6)');
    await api.dataSource.query(
      'UPDATE block SET data_da_height = 70, tx_count = 1 WHERE lineage_key = 2 AND height BETWEEN 20 AND 22',
    );
    const shared = async () =>
      (await read()).submissions.nodes
        .filter(({ daHeight }) => daHeight === '70')
        .map(({ blocks }) => blocks);
    expect(await shared()).toEqual([['22'], ['20', '21']]);
    await api.dataSource.query(
      'UPDATE block SET header_da_height = 71 WHERE lineage_key = 2 AND height = 20',
    );
    expect(await shared()).toEqual([['22'], ['20', '21']]);
    await api.dataSource.query('UPDATE submission SET kind = 0 WHERE sequence IN (5, 6)');
    await api.dataSource.query('DELETE FROM block WHERE height >= 20');
  });

  it('show losses as they are known now, the newest first', async () => {
    const { losses } = await api.read<{ losses: { nodes: Record<string, unknown>[] } }>(
      '{ losses { nodes { id node { id } kind afterSequence minLost maxLost likelyLost from to explanation } } }',
    );
    expect(losses.nodes.map((loss) => [loss['id'], loss['kind'], loss['from']])).toEqual([
      ['12', 'RESET', '2026-11-21T05:00:00.000Z'],
      ['11', 'OVERFLOW', '2026-11-21T03:00:00.000Z'],
      ['10', 'BEFORE_START', null],
    ]);
    expect(losses.nodes[1]).toMatchObject({
      node: { id: 'alpha' },
      afterSequence: '5',
      minLost: '4',
      maxLost: '9007199254740993',
      likelyLost: '6',
      to: '2026-11-21T03:01:00.500Z',
    });
    expect(losses.nodes[1]?.['explanation']).toContain('at least 4 submissions are missing');
  });

  it.each([
    ['nodes: ["Beta"]', ['12']],
    ['nodes: []', []],
    ['chains: ["lab-1"]', ['11', '10']],
    ['kinds: [RESET, BEFORE_START]', ['12', '10']],
    ['from: "2026-11-21T03:00:30Z"', ['12', '11']],
    ['to: "2026-11-21T03:00:00Z"', ['10']],
    ['from: "2026-11-21T02:00:01Z", to: "2026-11-21T04:00:00Z"', ['11']],
  ])('filter losses by {%s}', async (filter, ids) => {
    const { losses } = await api.read<{ losses: { nodes: { id: string }[] } }>(
      `{ losses(filter: {${filter}}) { nodes { id } } }`,
    );
    expect(losses.nodes.map((loss) => loss.id)).toEqual(ids);
  });

  it('report a state as unknown once the node is not polled any more', async () => {
    await clock.advance(120_000);
    const data = await api.read<unknown>(`{
      node(id: "alpha") { da { from to state rule reason } }
      healthHistory(node: "alpha", component: NODE) { from to state } }`);
    await clock.advance(-120_000);
    expect(data).toMatchObject({
      node: {
        da: {
          from: '2026-11-21T03:12:35.123456Z',
          to: null,
          state: 'UNKNOWN',
          rule: 'not-watched',
          reason: 'Not monitored: the submissions list was last polled at 2026-11-21T03:12:05Z.',
        },
      },
    });
  });

  it('report only the list as unknown while the rest of the node is polled', async () => {
    const last = (time: string | null) =>
      api.dataSource.query('UPDATE node SET list_looked_at = $1 WHERE id = $2', [time, 'alpha']);
    await last('2026-11-21T03:10:00Z');
    const { node } = await api.read<{ node: object }>(
      '{ node(id: "alpha") { da { from rule } nodeHealth: node { rule } } }',
    );
    await last(null);
    expect(node).toMatchObject({
      da: { from: '2026-11-21T03:10:30.000Z', rule: 'not-watched' },
      nodeHealth: { rule: 'healthy' },
    });
  });

  it('report a node as down while it is polled', async () => {
    const last = (time: string | null) =>
      api.dataSource.query('UPDATE node SET list_looked_at = $1 WHERE id = $2', [time, 'alpha']);
    const ask = () =>
      api.read<{ node: { nodeHealth: { rule: string } } }>(
        '{ node(id: "alpha") { nodeHealth: node { rule } } }',
      );
    await clock.advance(600_000);
    const { node: unwatched } = await ask();
    await last(new Date(clock.now() - 60_000).toISOString());
    const { node: watched } = await ask();
    await last(null);
    await clock.advance(-600_000);
    expect([unwatched.nodeHealth.rule, watched.nodeHealth.rule]).toEqual(['not-watched', 'healthy']);
  });

  it('use the threshold of the chain that the node belongs to', async () => {
    await insertRows(api.dataSource, 'health_threshold', [
      { chain: 'lab-1', thresholds: { notWatchedAfterMs: 300_000 } },
    ]);
    await insertRows(api.dataSource, 'health_fold', [{ node: 'alpha', chain: 'lab-1', state: NO_HEALTH }]);
    const ask = () => api.read<unknown>('{ node(id: "alpha") { da { from to state rule } } }');
    // The last poll was five seconds ago, and is in the log 65 s later at the latest.
    await clock.advance(359_000);
    const watched = await ask();
    await clock.advance(2_000);
    const unwatched = await ask();
    await clock.advance(-361_000);
    await api.dataSource.query('DELETE FROM health_fold');
    await api.dataSource.query('DELETE FROM health_threshold');
    expect(watched).toMatchObject({ node: { da: { to: null, state: 'CRITICAL' } } });
    expect(unwatched).toMatchObject({
      node: { da: { from: '2026-11-21T03:17:05.123456Z', to: null, state: 'UNKNOWN', rule: 'not-watched' } },
    });
  });

  it('return the history of either component, uncut, the oldest first', async () => {
    const data = await api.read<unknown>(`{
      da: healthHistory(node: "alpha") { from to state }
      late: healthHistory(node: "alpha", from: "2026-11-21T03:01:01.5Z") { from state }
      early: healthHistory(node: "alpha", component: DA, to: "2026-11-21T03:01:01.5Z") { from state }
      node: healthHistory(node: "alpha", component: NODE) { state }
      availability(node: "alpha", to: "2026-11-21T03:01:00.000001Z") { from to state detail } }`);
    expect(data).toEqual({
      da: [
        { from: '2026-11-21T03:00:00.000Z', to: '2026-11-21T03:01:01.500Z', state: 'HEALTHY' },
        { from: '2026-11-21T03:01:01.500Z', to: null, state: 'CRITICAL' },
      ],
      late: [{ from: '2026-11-21T03:01:01.500Z', state: 'CRITICAL' }],
      early: [{ from: '2026-11-21T03:00:00.000Z', state: 'HEALTHY' }],
      node: [{ state: 'HEALTHY' }],
      availability: [
        {
          from: '2026-11-21T03:00:00.000Z',
          to: '2026-11-21T03:01:00.000Z',
          state: 'UNREACHABLE',
          detail: 'connection refused',
        },
        { from: '2026-11-21T03:01:00.000Z', to: null, state: 'AVAILABLE', detail: '' },
      ],
    });
  });

  describe('requested by name', () => {
    const questions = (of: Record<Owner, string>): string[] =>
      namingQuestions(api.app.get(GraphQLSchemaHost).schema, of);

    it('are refused if no settings and no record know the name, with a similar name', async () => {
      const wrong = questions({ node: 'alpah', chain: 'lab-2' });
      expect(wrong.length).toBeGreaterThan(30);
      for (const question of wrong) {
        const { data, errors } = await api.ask(question);
        const [error] = errors ?? [];
        expect([question, error?.extensions.code]).toEqual([question, 'NOT_FOUND']);
        expect(error?.message).toMatch(
          /^There is no (node "alpah"\. Did you mean alpha|chain "lab-2"\. Did you mean lab-1)\?$/,
        );
        expect(Object.values(data ?? {}).every((answer) => answer === null)).toBe(true);
      }
    });

    it('have an empty answer if only the settings know the name', async () => {
      await api.dataSource.query(
        `INSERT INTO stream_head (stream, version, hash) VALUES ('quiet/node', 1, '\\x00')`,
      );
      await api.dataSource.query(
        `INSERT INTO chain_setting (chain, reporting_time_zone, from_position) VALUES ('quiet-1', 'UTC', 1)`,
      );
      for (const question of questions({ node: 'quiet', chain: 'quiet-1' }))
        expect([question, (await api.ask(question)).errors]).toEqual([question, undefined]);
    });
  });
});
