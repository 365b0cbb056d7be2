import type { NewEvent } from '../../src/domain/events.js';
import { DaNodesProjection } from '../../src/projections/da-nodes.js';
import { appendLog } from '../support/append-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { samplesOf, valueOf } from '../support/prometheus-text.js';
import { appendTo } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

type Row = Record<string, unknown>;

const ACCOUNT = `celestia1${'q'.repeat(38)}`;
const UNREAD = `celestia1${'p'.repeat(38)}`;
const at = (seconds: number): string => new Date(SmallLog.START + seconds * 1_000).toISOString();

const log = new SmallLog();
const daNode = (node: string, type: NewEvent['type'], body: object): void =>
  appendTo(log.events, `${node}/daNode`, [
    { type, observedAt: SmallLog.START + log.now, body } as unknown as NewEvent,
  ]);
const looks = () => {
  const now = SmallLog.START + log.now;
  return { first: now, last: now, count: 1, longestGapMs: 0 };
};
const changed = (node: string, body: object = {}): void =>
  daNode(node, 'DaNodeChanged', {
    looks: looks(),
    outcome: 'OK',
    statusCode: 200,
    detail: '',
    token: null,
    ...body,
  });
const head = (node: string, height: number): void =>
  daNode(node, 'DaHeadObserved', {
    looks: looks(),
    chain: 'mocha-4',
    height: String(height),
    timeNs: `${SmallLog.START + log.now - 1_500}000000`,
    syncTo: String(height),
    sampling: { isRunning: true, failed: 1, head: String(height - 1) },
    consensus: { height: String(height + 1), timeNs: `${SmallLog.START + log.now}000000` },
  });
const balance = (node: string, amount: number | null, height: number | null, account = ACCOUNT): void =>
  daNode(node, 'BalanceObserved', {
    account,
    amount: amount === null ? null : String(amount),
    height: height === null ? null : String(height),
    detail: amount === null ? 'the consensus node does not answer' : '',
  });

const executionHead = (
  height: number,
  rollup: number | null,
  roots: readonly [string, string] | null,
): void =>
  appendTo(log.events, 'alpha/execution', [
    {
      type: 'ExecutionHeadObserved',
      observedAt: SmallLog.START + log.now,
      body: {
        looks: looks(),
        height: String(height),
        hash: 'ab'.repeat(32),
        timeNs: `${SmallLog.START + log.now - 400}000000`,
        rollupHeight: rollup === null ? null : String(rollup),
        compared: roots && { height: String(height), stateRoot: roots[0], appHash: roots[1] },
        firstDifference: roots && roots[0] !== roots[1] ? '12' : null,
      },
    },
  ]);

describe('DA nodes and accounts', () => {
  const api = useApi({ clock: new ManualClock(SmallLog.START + 82_000) });

  beforeAll(async () => {
    for (const [node, chain] of [
      ['alpha', 'lab-1'],
      ['beta', 'lab-2'],
      ['plain', 'lab-1'],
    ] as const)
      log.register(node, chain).describe(node, chain);
    appendTo(log.events, 'alpha/execution', [
      {
        type: 'ExecutionChanged',
        observedAt: SmallLog.START,
        body: { looks: looks(), outcome: 'OK', statusCode: 200, detail: '', client: 'geth', chainId: '1234' },
      },
    ]);
    executionHead(10, 10, ['aa', 'aa']);
    changed('alpha', { token: { permissions: ['public', 'read', 'write'], expiresAt: at(86_400 * 9) } });
    changed('beta');
    head('alpha', 100);
    balance('alpha', 10_000, 99);
    log.now = 1_000;
    balance('beta', 10_000, 99);
    balance('beta', null, null, UNREAD);
    for (const [second, amount] of [
      [20, 9_000],
      [40, 12_000],
      [60, 11_000],
      [80, 10_000],
    ] as const) {
      log.now = second * 1_000;
      head('alpha', 100 + second);
      balance('alpha', amount, 99 + second);
      if (second === 40) balance('beta', amount, 99 + second);
      if (second === 40) log.rows('alpha', [{ da: 5, at: 30_000 }]);
    }
    executionHead(20, 25, ['bb', 'cc']);
    changed('beta', { outcome: 'UNREACHABLE', statusCode: null, detail: 'connection refused' });
    log.watch('alpha').watch('beta');
    await appendLog(api.dataSource, log.events);
    await api.read(
      'mutation { setPrices(chain: "lab-1", entries: [{gasPrice: "0.004"}], confirm: true) { id } }',
    );
  });

  it('show how each DA node answers, its newest head, and the rights of the token', async () => {
    const { daNodes } = await api.read<{ daNodes: Row[] }>(`{ daNodes { nodeId chain state rule outcome since
      statusCode detail daChain head headAt headAgeMs syncTo sampling { running failed head } consensusHead consensusHeadAt
      token { permissions expiresAt mayWrite } accounts } }`);
    expect(daNodes).toMatchObject([
      {
        nodeId: 'alpha',
        chain: 'lab-1',
        state: 'CRITICAL',
        rule: 'funds-low',
        outcome: 'OK',
        since: at(0),
        statusCode: 200,
        daChain: 'mocha-4',
        head: '180',
        headAt: at(78.5),
        headAgeMs: 3_500,
        syncTo: '180',
        sampling: { running: true, failed: 1, head: '179' },
        token: { permissions: ['public', 'read', 'write'], expiresAt: at(86_400 * 9), mayWrite: true },
        accounts: [ACCOUNT],
      },
      {
        nodeId: 'beta',
        outcome: 'UNREACHABLE',
        since: at(80),
        detail: 'connection refused',
        head: null,
        headAgeMs: null,
        sampling: null,
        token: null,
        accounts: [UNREAD, ACCOUNT],
      },
    ]);
    const past = await api.read<{ daNodes: Row[] }>(
      `{ daNodes(nodes: ["alpha", "beta"], asOf: "${at(30)}") { nodeId outcome head headAgeMs } }`,
    );
    expect(past.daNodes).toMatchObject([
      { nodeId: 'alpha', outcome: 'OK', head: '120' },
      { nodeId: 'beta', outcome: 'OK', head: null },
    ]);
    expect(await api.read(`{ daNodes(nodes: ["plain"]) { id } }`)).toEqual({ daNodes: [] });
  });

  it('show the head of each execution layer, and whether it agrees with its node', async () => {
    const LAYER = `nodeId state rule since head headAt rollupHeight lagBlocks comparedHeight agrees firstDifference`;
    expect(await api.read(`{ executionLayers { ${LAYER} } }`)).toMatchObject({
      executionLayers: [
        {
          nodeId: 'alpha',
          head: '20',
          headAt: at(79.6),
          rollupHeight: '25',
          lagBlocks: '5',
          comparedHeight: '20',
          agrees: false,
          firstDifference: '12',
        },
      ],
    });
    expect(await api.read(`{ executionLayers(asOf: "${at(30)}") { ${LAYER} } }`)).toMatchObject({
      executionLayers: [{ nodeId: 'alpha', head: '10', lagBlocks: '0', agrees: true, firstDifference: null }],
    });
    expect(await api.read(`{ executionLayers(nodes: ["beta"]) { nodeId } }`)).toEqual({
      executionLayers: [],
    });
  });

  const FUNDS = `address chains nodes balance balanceFloat detail balanceAt daHeight
    spent { hour day week knownFrom } runway { from to submissions submissionsMax }`;

  it('show an account of two nodes once, with its spending and its runway', async () => {
    const { accounts, submissions } = await api.read<{
      accounts: Row[];
      submissions: { nodes: { cost: { feeMin: string; feeMax: string } }[] };
    }>(`{ accounts { ${FUNDS} topUps { time change } } submissions { nodes { cost { feeMin feeMax } } } }`);
    const { feeMin, feeMax } = submissions.nodes[0]?.cost ?? { feeMin: '1', feeMax: '1' };
    const spent = '3000';
    // 3,000 utia in the 80 s since the first balance, the largest fall of 1,000 left out: 10,000 utia last 400 s.
    const end = at(480);
    expect(accounts).toEqual([
      {
        address: UNREAD,
        chains: ['lab-2'],
        nodes: ['beta'],
        balance: null,
        balanceFloat: null,
        detail: 'the consensus node does not answer',
        balanceAt: at(1),
        daHeight: null,
        spent: { hour: null, day: null, week: null, knownFrom: null },
        runway: null,
        topUps: [],
      },
      {
        address: ACCOUNT,
        chains: ['lab-1', 'lab-2'],
        nodes: ['alpha', 'beta'],
        balance: '10000',
        balanceFloat: 10_000,
        detail: '',
        balanceAt: at(80),
        daHeight: '179',
        spent: { hour: spent, day: spent, week: spent, knownFrom: at(0) },
        runway: {
          from: end,
          to: end,
          submissions: String(Math.floor(10_000 / Number(feeMax))),
          submissionsMax: String(Math.floor(10_000 / Number(feeMin))),
        },
        topUps: [{ time: at(40), change: '3000' }],
      },
    ]);
  });

  it('know no runway before enough spending and a fee were seen', async () => {
    const of = async (travel: string) =>
      (await api.read<{ accounts: Row[] }>(`{ accounts(account: "${ACCOUNT}", ${travel}) { ${FUNDS} } }`))
        .accounts[0];
    expect(await of(`asOf: "${at(30)}"`)).toMatchObject({
      balance: '9000',
      spent: { hour: '1000' },
      runway: null,
    });
    expect(await of(`asOf: "${at(61)}"`)).toMatchObject({
      balance: '11000',
      spent: { hour: '2000' },
      runway: { from: null, to: null, submissions: expect.stringMatching(/^\d+$/) as string },
    });
    expect(await of(`knownAt: "2026-11-01T00:00:00Z"`)).toBeUndefined();
  });

  it('keep one balance for each DA height, in GraphQL and in SQL', async () => {
    const { accounts } = await api.read<{
      accounts: { balances: { nodes: Row[]; pageInfo: { endCursor: string; hasNextPage: boolean } } }[];
    }>(`{ accounts(account: "${ACCOUNT}") { balances(first: 3) {
      nodes { id time nodeId amount change daHeight detail } pageInfo { endCursor hasNextPage } } } }`);
    const page = accounts[0]?.balances;
    const rows = page?.nodes ?? [];
    expect(
      rows.map(({ time, nodeId, amount, change, daHeight }) => [time, nodeId, amount, change, daHeight]),
    ).toEqual([
      [at(0), 'alpha', '10000', null, '99'],
      [at(20), 'alpha', '9000', '-1000', '119'],
      [at(40), 'alpha', '12000', '3000', '139'],
    ]);
    const next = await api.read<{ accounts: { balances: { nodes: Row[] } }[] }>(
      `query ($after: String!) { accounts(account: "${ACCOUNT}") { balances(first: 3, after: $after) { nodes { amount } } } }`,
      { after: page?.pageInfo.endCursor },
    );
    expect(next.accounts[0]?.balances.nodes.map(({ amount }) => amount)).toEqual(['11000', '10000']);
    for (const row of rows) {
      const found = await api.read<{ object: Row }>(
        'query ($id: ID!) { object(id: $id) { ... on Balance { id time nodeId amount change daHeight detail } } }',
        { id: row['id'] },
      );
      expect(found.object).toEqual(row);
    }
    const sql = await api.dataSource.query<Row[]>(
      'SELECT account, amount_utia::text AS amount, change_utia::text AS change, detail FROM reporting.balances ORDER BY position',
    );
    expect(sql.map((row) => [row['account'], row['amount'], row['change']])).toEqual([
      [ACCOUNT, '10000', null],
      [UNREAD, null, null],
      [ACCOUNT, '9000', '-1000'],
      [ACCOUNT, '12000', '3000'],
      [ACCOUNT, '11000', '-1000'],
      [ACCOUNT, '10000', '-1000'],
    ]);
    expect(sql[1]?.['detail']).toBe('the consensus node does not answer');
    const file = await fetch(`${api.url}/export/balances.csv?accounts=${ACCOUNT}&to=${at(30)}`);
    expect((await file.text()).trim().split(/\r?\n/)).toEqual([
      'account,time,node,amount_utia,change_utia,da_height,detail',
      `${ACCOUNT},${at(0).replace('Z', '000Z')},alpha,10000,,99,""`,
      `${ACCOUNT},${at(20).replace('Z', '000Z')},alpha,9000,-1000,119,""`,
    ]);
    const accountsInSql = await api.dataSource.query<Row[]>(
      'SELECT address, chains, nodes, balance_utia::text AS balance, detail FROM reporting.accounts ORDER BY address',
    );
    expect(accountsInSql).toEqual([
      {
        address: UNREAD,
        chains: ['lab-2'],
        nodes: ['beta'],
        balance: null,
        detail: 'the consensus node does not answer',
      },
      {
        address: ACCOUNT,
        chains: ['lab-1', 'lab-2'],
        nodes: ['alpha', 'beta'],
        balance: '10000',
        detail: '',
      },
    ]);
  });

  it('do not depend on how the log is cut into batches', async () => {
    const tables = async (): Promise<Row[][]> =>
      Promise.all(
        ['da_node', 'account', 'balance'].map((table) =>
          api.dataSource.query<Row[]>(`SELECT t::text FROM ${table} t ORDER BY from_position`),
        ),
      );
    const before = await tables();
    expect(before.map(({ length }) => length)).toEqual([3, 8, 6]);
    await api.dataSource.query('TRUNCATE da_node, account, balance');
    const query = <Each>(sql: string, parameters: readonly unknown[] = []) =>
      api.dataSource.query<Each[]>(sql, [...parameters]);
    for (const event of log.events.filter(
      ({ type }) => type === 'DaNodeChanged' || type === 'BalanceObserved',
    ))
      await new DaNodesProjection().apply([event as never], query);
    expect(await tables()).toEqual(before);
  });

  it('are metrics, and what is unknown is absent', async () => {
    const samples = samplesOf(await (await fetch(`${api.url}/metrics`)).text());
    expect(valueOf(samples, 'hindsight_da_node_reachable', { node: 'alpha', chain: 'lab-1' })).toBe(1);
    expect(valueOf(samples, 'hindsight_da_node_reachable', { node: 'beta' })).toBe(0);
    expect(valueOf(samples, 'hindsight_da_node_head_age_seconds', { node: 'alpha' })).toBe(3.5);
    expect(valueOf(samples, 'hindsight_account_balance_utia', { account: ACCOUNT })).toBe(10_000);
    for (const bound of ['min', 'max'])
      expect(valueOf(samples, 'hindsight_account_runway_seconds', { account: ACCOUNT, bound })).toBeCloseTo(
        398,
        2,
      );
    const ofUnknown = samples.filter(
      ({ name, labels }) =>
        /_account_|_da_node_/.test(name) &&
        (labels['account'] === UNREAD ||
          labels['node'] === 'plain' ||
          (labels['node'] === 'beta' && /age/.test(name))),
    );
    expect(ofUnknown).toEqual([]);
  });
});

describe('without a DA node in the settings', () => {
  const api = useApi();

  it('the lists are empty, and so are the metrics', async () => {
    expect(await api.read('{ daNodes { id } accounts { id balance } }')).toEqual({
      daNodes: [],
      accounts: [],
    });
    const samples = samplesOf(await (await fetch(`${api.url}/metrics`)).text());
    expect(samples.filter(({ name }) => /_account_|_da_node_/.test(name))).toEqual([]);
  });
});
