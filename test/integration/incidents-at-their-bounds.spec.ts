import { IncidentsQuery } from '../../src/api/incidents/incidents.query.js';
import type { HealthState } from '../../src/domain/health/health-rule.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, nameChains, nodeRow, type TableRow } from '../support/read-model-rows.js';
import { useApi } from '../support/use-database.js';

const START = Date.UTC(2026, 9, 1, 6);
const MINUTE = 60_000;
const DAY = 24 * 60;
const clock = new ManualClock(START + 40 * DAY * MINUTE);

/** A time in minutes since the start. */
const at = (minute: number): string => new Date(START + minute * MINUTE).toISOString();

/** One interval: its state, its rule, and its length in minutes. */
type Interval = readonly [state: HealthState, rule: string, minutes: number];

const failing = (minutes: number): Interval => ['CRITICAL', 'failing', minutes];
const frozen = (minutes: number): Interval => ['CRITICAL', 'frozen', minutes];
const slow = (minutes: number): Interval => ['WARNING', 'slow', minutes];
const calm = (minutes: number): Interval => ['HEALTHY', 'healthy', minutes];

/** Rows of a line of intervals; the last one is open. */
function lineOf(node: string, intervals: readonly Interval[]): TableRow[] {
  let minute = 0;
  return intervals.map(([state, rule, minutes], index) => {
    const start = minute;
    minute += minutes;
    const end = index === intervals.length - 1 ? null : at(minute);
    return healthRow('DA', at(start), end, state, { node, rule, reason: `${rule} since ${start}` });
  });
}

const idOf = (node: string, minute: number): string => `Incident:${node}:DA:${START + minute * MINUTE}000000`;

describe('incidents that are long, of many nodes, or of misbehaving nodes', () => {
  const api = useApi({ clock });

  /** Nodes of a chain by their lines, and joined trouble: node, its minute, the other node, its minute. */
  async function record(
    lines: Readonly<Record<string, readonly Interval[]>>,
    joins: readonly (readonly [string, number, string, number])[] = [],
    chains: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const nodes = Object.entries(lines).map(([node, intervals], index) => {
      const seen = at(intervals.reduce((sum, [, , minutes]) => sum + minutes, 0));
      const looks = { last_seen_at: seen, list_looked_at: seen };
      return nodeRow(index + 1, node, { chain_id: chains[node] ?? 'lab-1', ...looks });
    });
    await insertRows(api.dataSource, 'node', nodes);
    const rows = Object.entries(lines).flatMap(([node, intervals]) => lineOf(node, intervals));
    await insertRows(api.dataSource, 'health_interval', rows);
    const joined = joins.map(([node, minute, root, first]) => ({
      node,
      component: 'DA',
      from_at: at(minute),
      root_node: root,
      root_from_at: at(first),
      from_position: 5,
      to_position: null,
    }));
    await insertRows(api.dataSource, 'incident_join', joined);
    await nameChains(api.dataSource);
  }

  const readPostMortem = async (id: string): Promise<string> =>
    (await api.read<{ postMortem: string }>(`{ postMortem(incident: "${id}") }`)).postMortem;
  const questionOf = (postMortem: string): string => /```graphql\n(.*?)```/s.exec(postMortem)?.[1] ?? 'none';

  beforeAll(async () => {
    // The events that the rows below name as their source.
    const event = { type: 'NodeRetired', observedAt: START, body: {} } as const;
    const events = Array.from({ length: 5 }, () => event);
    await new EventStore(api.dataSource).append({ stream: 'somebody/node', expectedVersion: 0n, events });
  });

  beforeEach(async () => {
    await api.dataSource.query('TRUNCATE node, node_chain, health_interval, incident_join');
  });

  it('belong to the chain of their first sign, whatever chain a node of them names now', async () => {
    const lines = { evil: [calm(10), failing(50)], victim: [calm(12), failing(48)] };
    await record(lines, [['victim', 12, 'evil', 10]]);
    const moved = { node_key: 1, from_position: 1_000, chain_id: 'evil-9', told: true };
    await insertRows(api.dataSource, 'node_chain', [moved]);
    await api.dataSource.query("UPDATE node SET chain_id = 'evil-9' WHERE node_key = 1");
    const told = async (chain: string): Promise<unknown> =>
      (
        await api.read<{ incidents: { nodes: unknown } }>(
          `{ incidents(filter: {chains: ["${chain}"]}) { nodes { id chain } } }`,
        )
      ).incidents.nodes;
    expect(await told('lab-1')).toEqual([{ id: idOf('evil', 10), chain: 'lab-1' }]);
    expect(await told('evil-9')).toEqual([]);
    expect(await readPostMortem(idOf('evil', 10))).toContain('DA submissions of evil and 1 more (lab-1)');
    const [row] = await api.dataSource.query<{ chain: string }[]>('SELECT chain FROM reporting.incidents');
    expect(row?.chain).toBe('lab-1');
  });

  it('have the claims of more than 10,000 intervals, by node', async () => {
    const flaps = Array.from({ length: 5_100 }, () => [failing(1), calm(2)]).flat();
    await record({ alpha: [calm(10), ...flaps, calm(30)], beta: [calm(10), failing(20), calm(30)] }, [
      ['beta', 10, 'alpha', 10],
    ]);
    await api.dataSource.query(
      `UPDATE health_interval SET claim = 'healthy', claim_differs = state = 'CRITICAL',
              differed_ms = CASE WHEN state = 'CRITICAL' THEN 30000 ELSE 0 END`,
    );
    const { incident } = await api.read<{ incident: { impact: { claims: unknown } } }>(
      `{ incident(id: "${idOf('alpha', 10)}") { impact { claims { claim nodes falseMinMs falseMaxMs } } } }`,
    );
    expect(incident.impact.claims).toEqual([
      { claim: 'healthy', nodes: ['alpha', 'beta'], falseMinMs: '153000000', falseMaxMs: '153030000' },
    ]);
    expect(await readPostMortem(idOf('alpha', 10))).toMatch(
      /## DA health as the nodes reported it\n\n- "healthy" \(alpha, beta\): false for 1 d 18 h/,
    );
  });

  it('have a post-mortem after 31 days, with the figures of the last days', async () => {
    await record({ alpha: [calm(10), failing(32 * DAY), calm(30)] });
    const postMortem = await readPostMortem(idOf('alpha', 10));
    expect(postMortem).toContain('Figures cover the last 31 days, since 2026-10-02T06:10:00Z.');
    expect(postMortem).toContain(`{ intervalReport(node: "alpha", from: "${at(DAY + 10)}"`);
    expect(postMortem).toContain('failing since 10');
    // The timeline ends with the recovery.
    expect(postMortem).toContain(`| ${at(32 * DAY + 10)} | 1 | HEALTHY: healthy since ${32 * DAY + 10} |`);
    await api.read(questionOf(postMortem));
  });

  it('have a post-mortem next to a node that flaps, which shows their worst moment', async () => {
    const flaps = Array.from({ length: 6_000 }, () => [slow(1), calm(2)]).flat();
    const lines = { evil: [calm(10), ...flaps], victim: [calm(10_000), failing(48), calm(30)] };
    await record(lines, [['victim', 10_000, 'evil', 10]]);
    const postMortem = await readPostMortem(idOf('evil', 10));
    expect(postMortem).toContain('# CRITICAL');
    expect(postMortem).toContain('failing since 10000');
    expect(postMortem).toContain('Not everything is listed.');
  });

  it('are as severe in their post-mortem as in the list, whatever else their nodes had meanwhile', async () => {
    const lines = {
      alpha: [calm(10), slow(60), calm(30)],
      beta: [calm(12), slow(5), calm(10), failing(5), calm(60)],
    };
    await record(lines, [['beta', 12, 'alpha', 10]]);
    expect(await readPostMortem(idOf('alpha', 10))).toContain(
      '# WARNING: DA submissions of alpha and 1 more',
    );
  });

  it('are listed at a moment only if the node itself is in trouble then', async () => {
    const lines = {
      gamma: [calm(5), frozen(95), calm(30)],
      beta: [calm(20), failing(5), calm(30), frozen(20), calm(30)],
      delta: [calm(22), failing(68), calm(30)],
    };
    await record(lines, [
      ['beta', 55, 'gamma', 5],
      ['delta', 22, 'beta', 20],
    ]);
    const incidents = new IncidentsQuery(api.dataSource);
    const findAt = async (minute: number): Promise<string | undefined> =>
      (await incidents.findIncidentAt('beta', 'DA', START + minute * MINUTE))?.id;
    expect(await Promise.all([19, 20, 24, 25, 40, 55, 74, 75].map(findAt))).toEqual([
      undefined,
      idOf('beta', 20),
      idOf('beta', 20),
      undefined,
      undefined,
      idOf('gamma', 5),
      idOf('gamma', 5),
      undefined,
    ]);
  });

  it('of a thousand nodes have a post-mortem whose queries can be run', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
    const lines = Object.fromEntries(names.map((name) => [name, [calm(10), failing(20), calm(70)]]));
    await record(
      lines,
      names.slice(1).map((name) => [name, 10, 'n0', 10] as const),
    );
    const postMortem = await readPostMortem(idOf('n0', 10));
    expect(postMortem).toContain('# CRITICAL: DA submissions of n0 and 999 more (lab-1)');
    expect(await api.read(questionOf(postMortem))).toHaveProperty('healthHistory10');
  });
});
