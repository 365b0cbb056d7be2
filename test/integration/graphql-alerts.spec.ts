import type { NewAlertEvent } from '../../src/alerts/alert-book.js';
import type { Alert, DeliveryOutcome } from '../../src/domain/alerts/alert-ledger.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import type { AlertDestination } from '../../src/domain/alerts/destinations.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { alertAt } from '../support/alerts.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, nodeRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const START = Date.UTC(2026, 10, 21, 6);
const KEY = 'a-key-of-16-chars';
const at = (minute: number): string => new Date(START + minute * 60_000).toISOString();

interface AlertPage {
  readonly nodes: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const raised = (alert: Alert): NewAlertEvent => ({
  type: 'AlertRaised',
  observedAt: alert.since,
  body: { alert, destinations: ['ops', 'chat'] },
});
const delivered = (
  notice: string,
  destination: string,
  outcome: DeliveryOutcome,
  detail = '',
): NewAlertEvent => ({
  type: 'AlertDelivered',
  observedAt: START + 60_000,
  body: { notice, destination, outcome, detail },
});

describe('alerts over GraphQL', () => {
  const clock = new ManualClock(START + 30 * 60_000);
  let database: TestDatabase;
  let api: ApiServer;
  let [ops, chat]: HttpSink[] = [];

  const read = async <Data>(query: string, variables: Record<string, unknown> = {}): Promise<Data> => {
    const answer = await api.ask<Data>(query, variables, { 'x-api-key': KEY });
    // No answer has an address or a secret of a destination.
    expect(JSON.stringify(answer)).not.toMatch(/127\.0\.0\.1|a-secret|hook-path/);
    if (answer.errors || answer.data === null) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  };
  const page = async (args: string, fields = 'id'): Promise<AlertPage> =>
    (
      await read<{ alerts: AlertPage }>(
        `{ alerts${args} { nodes { ${fields} } pageInfo { hasNextPage endCursor } } }`,
      )
    ).alerts;
  const idsOf = async (args: string): Promise<string[]> => (await page(args)).nodes.map(({ id }) => id);

  beforeAll(async () => {
    database = await startTestDatabase();
    [ops, chat] = [await HttpSink.start(), await HttpSink.start()];
    const destinations: AlertDestination[] = [
      { id: 'ops', kind: 'webhook', url: `${ops.url}/hook-path`, secret: 'a-secret-of-16-chars' },
      { id: 'chat', kind: 'slack', url: `${chat.url}/hook-path`, remindMs: 60_000 },
    ];
    const own = { ...ALERT_RULES[0], name: 'own', scope: { chains: ['lab-*'] }, destinations: ['ops'] };
    const rules = [...ALERT_RULES, own as (typeof ALERT_RULES)[number]];
    const weekly = { scope: { nodes: ['delta'] }, when: { from: START, until: START + 36_000_000 } };
    api = await startApi(database.url, {
      clock,
      keys: [KEY],
      alerts: { rules, destinations, maintenance: [weekly] },
    });
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha', { chain_id: 'lab-1' })]);
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('DA', at(0), null, 'CRITICAL', { rule: 'failing' }),
    ]);
    const hidden = {
      id: 's',
      scope: { nodes: ['beta'] },
      from: START,
      until: START + 36_000_000,
      note: '',
      by: 'Ada',
    };
    const end = { until: START + 5 * 60_000, destinations: ['ops'], gone: ['alpha'] };
    const stream = '*/operator';
    const store = new EventStore(api.dataSource);
    const events: NewAlertEvent[] = [
      raised(alertAt(START, 1)),
      delivered('da-failing-1-raised', 'ops', 'DELIVERED'),
      delivered('da-failing-1-raised', 'chat', 'REFUSED', 'it answered 401'),
      raised(alertAt(START, 2, { nodes: ['alpha', 'beta'] })),
      { type: 'AlertResolved', observedAt: START, body: { alert: 'da-failing-1', ...end } },
      { type: 'AlertsSilenced', observedAt: START, body: { silence: hidden } },
      raised(alertAt(START, 3, { nodes: [], chain: null, rule: 'degraded', severity: 'WARNING' })),
      raised(alertAt(START, 4, { nodes: ['beta', 'delta'] })),
    ];
    const { version } = await store.loadStream(stream);
    await store.append({ stream, expectedVersion: version, events });
  });

  afterAll(async () => {
    await api?.stop();
    await Promise.all([ops?.stop(), chat?.stop()]);
    await database?.stop();
  });

  it('are listed with the last raised first, all, open or over, and page by page', async () => {
    const names = (...numbers: number[]): string[] => numbers.map((number) => `da-failing-${number}`);
    expect(await idsOf('')).toEqual(names(4, 3, 2, 1));
    expect(await idsOf('(open: true)')).toEqual(names(4, 3, 2));
    expect(await idsOf('(open: false)')).toEqual(names(1));
    expect(await idsOf('(last: 2)')).toEqual(names(2, 1));
    for (const open of ['', ', open: true']) {
      const first = await page(`(first: 2${open})`);
      expect([first.nodes.map(({ id }) => id), first.pageInfo.hasNextPage]).toEqual([names(4, 3), true]);
      const rest = await page(`(first: 9, after: "${first.pageInfo.endCursor}"${open})`);
      expect(rest.nodes.map(({ id }) => id)).toEqual(open === '' ? names(2, 1) : names(2));
    }
    const codes = (args: string): Promise<unknown> =>
      api
        .ask(`{ alerts${args} { nodes { id } } }`, {}, { 'x-api-key': KEY })
        .then(({ errors }) => errors?.map(({ extensions }) => extensions.code));
    expect(await codes('(first: 1001)')).toEqual(['BAD_USER_INPUT']);
    expect(await codes('(after: "x")')).toEqual(['BAD_USER_INPUT']);
  });

  it('have their words, times, nodes, incident and silences', async () => {
    const fields =
      'id rule severity chain nodes title reason means remedy since until open noLongerMonitored silenced silences { by } incident { id }';
    const { nodes } = await page('', fields);
    expect(nodes.at(-1)).toEqual({
      id: 'da-failing-1',
      rule: 'da-failing',
      severity: 'CRITICAL',
      chain: 'lab-1',
      nodes: ['alpha'],
      title: 'DA submissions fail',
      reason: 'the last 5 attempts failed',
      means: 'It means this.',
      remedy: 'Do that.',
      since: at(1),
      until: at(5),
      open: false,
      noLongerMonitored: ['alpha'],
      silenced: false,
      silences: [],
      incident: { id: `Incident:alpha:DA:${START}000000` },
    });
    const silenced = nodes.map((one) => [one.id, one['silenced'], one['silences']]);
    expect(silenced.slice(0, 3)).toEqual([
      // Maintenance silences delta.
      ['da-failing-4', true, [{ by: 'Ada' }]],
      ['da-failing-3', false, []],
      ['da-failing-2', false, [{ by: 'Ada' }]],
    ]);
    expect(nodes[1]).toMatchObject({ nodes: [], chain: null, until: null, open: true, incident: null });
  });

  it('have rules with their settings in words, and the number of open alerts', async () => {
    const { alertRules } = await read<{ alertRules: Record<string, unknown>[] }>(
      '{ alertRules { name severity title condition afterMs nodes chains unless destinations runbook openAlerts unevaluated { chain reason } } }',
    );
    expect(alertRules).toHaveLength(ALERT_RULES.length + 1);
    expect(alertRules[0]).toEqual({
      name: 'da-failing',
      severity: 'CRITICAL',
      title: 'DA submissions fail',
      condition: 'DA submissions fail',
      afterMs: 60_000,
      nodes: null,
      chains: null,
      unless: [],
      destinations: null,
      runbook: '/runbooks/da-failing',
      openAlerts: 2,
      unevaluated: [],
    });
    expect(alertRules.at(-1)).toMatchObject({
      name: 'own',
      chains: ['lab-*'],
      destinations: ['ops'],
      runbook: null,
      openAlerts: 0,
    });
  });

  it('have destinations with what was delivered, refused and not accepted yet', async () => {
    const { alertDestinations } = await read<{ alertDestinations: unknown[] }>(
      '{ alertDestinations { id kind remindMs pending deliveries { key alertId outcome error at } } }',
    );
    const delivery = { key: 'da-failing-1-raised', alertId: 'da-failing-1', at: at(1) };
    expect(alertDestinations).toEqual([
      {
        id: 'ops',
        kind: 'webhook',
        remindMs: null,
        pending: 4,
        deliveries: [{ ...delivery, outcome: 'DELIVERED', error: null }],
      },
      {
        id: 'chat',
        kind: 'slack',
        remindMs: 60_000,
        pending: 3,
        deliveries: [{ ...delivery, outcome: 'REFUSED', error: 'it answered 401' }],
      },
    ]);
  });

  it('are tested by a message to one destination or all, whose author is recorded', async () => {
    const test = (args = ''): Promise<{ testAlert: unknown[] }> =>
      read(`mutation { testAlert${args} { destination accepted error } }`);
    expect(await test('(destination: "ops")')).toEqual({
      testAlert: [{ destination: 'ops', accepted: true, error: null }],
    });
    expect([ops?.taken.length, chat?.taken.length]).toEqual([1, 0]);
    if (chat) chat.status = 500;
    expect(await test()).toEqual({
      testAlert: [
        { destination: 'ops', accepted: true, error: null },
        { destination: 'chat', accepted: false, error: 'it answered 500' },
      ],
    });
    const [event] = await new EventStore(api.dataSource).readStreamBack('*/operator', ['JobRequested'], 1);
    expect(event?.body).toEqual({
      job: 'test-alert',
      arguments: { destinations: 'ops chat' },
      by: 'settings',
    });
    await expect(test('(destination: "nobody")')).rejects.toThrow('NOT_FOUND');
    const { errors } = await api.ask('mutation { testAlert { destination } }');
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('alerts over GraphQL without destinations', () => {
  const api = useApi();

  it('are none, and have no rule that is evaluated', async () => {
    expect(
      await api.read('{ alerts { nodes { id } } alertRules { name } alertDestinations { id } }'),
    ).toEqual({ alerts: { nodes: [] }, alertRules: [], alertDestinations: [] });
    expect(await api.codesOf('mutation { testAlert { destination } }')).toEqual(['NOT_FOUND']);
  });
});
