import { replayPast } from '../../src/cli/alerts-replay.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import { millisToMicros } from '../../src/domain/time.js';
import { samplesOf } from '../support/prometheus-text.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { expectTrueWaits } from '../support/rig/expect-incident.js';
import type { RiggedNode } from '../support/rig/rigged-life.js';
import {
  recordFaults,
  type RiggedRecord,
  type ToldFigures,
  type ToldIncident,
} from '../support/rig/rigged-record.js';

const AT_MS = 60_000;
const FOR_MS = 100_000;
const LENGTH_MS = AT_MS + FOR_MS + 40_000;
const PATIENCE_MS = 300_000;

/** Addresses of one process; its chain is `<first>-1`. */
function addressesOf(first: string, count: number, scenario: RiggedNode['scenario']): RiggedNode[] {
  return Array.from({ length: count }, (_, index) =>
    index === 0
      ? { id: first, scenario }
      : { id: `${first}${index}`, scenario, sameAs: first, options: { chainId: `${first}-1` } },
  );
}

describe('trouble that several nodes of a chain show at once', () => {
  const frozen = addressesOf('frozen', 4, { steps: [{ fault: 'frozen', atMs: AT_MS, forMs: FOR_MS }] });
  const funds = addressesOf('funds', 2, { steps: [{ fault: 'funds', atMs: AT_MS, forMs: FOR_MS }] });
  let record: RiggedRecord;

  beforeAll(async () => {
    record = await recordFaults([...frozen, ...funds], LENGTH_MS);
  }, PATIENCE_MS);

  afterAll(() => record?.stop());

  const ask = async (args = ''): Promise<readonly ToldIncident[]> => {
    const { incidents } = await record.api.read<{ incidents: { nodes: ToldIncident[] } }>(
      `{ incidents${args} { nodes { id chain nodeId nodes { nodeId from to severity rule reason signs position } subject
         component severity from to rule remedy signs position causes { count cause { code remedy } } } } }`,
    );
    return incidents.nodes;
  };
  const idsOf = (nodes: readonly RiggedNode[]): string[] => nodes.map(({ id }) => id).toSorted();

  it('is one incident of the chain, with all its nodes', async () => {
    const told = (await ask()).map(({ chain, subject, severity, rule, nodes }) => ({
      chain,
      subject,
      severity,
      rule,
      nodes: nodes.map(({ nodeId }) => nodeId).toSorted(),
    }));
    const bySubject = told.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
    expect(bySubject).toEqual([
      { chain: 'funds-1', subject: 'DA', severity: 'CRITICAL', rule: 'failing', nodes: idsOf(funds) },
      { chain: 'frozen-1', subject: 'FINALITY', severity: 'CRITICAL', rule: 'frozen', nodes: idsOf(frozen) },
    ]);
  });

  it('is found by each of its nodes, and by its subject', async () => {
    const [finality] = await ask('(filter: { subject: FINALITY })');
    for (const { id } of frozen) expect(await ask(`(filter: { nodes: ["${id}"] })`)).toEqual([finality]);
  });

  it('is one message of alerts', async () => {
    const { endMs, dataSource } = record;
    const request = { rules: ALERT_RULES, maintenance: [], knownAt: undefined };
    const [fromUs, toUs] = [millisToMicros(endMs - LENGTH_MS), millisToMicros(endMs)];
    const { messages } = await replayPast(dataSource, { ...request, fromUs, toUs });
    const raised = messages.filter(
      ({ status, alert }) => status === 'RAISED' && alert.severity === 'CRITICAL',
    );
    const told = raised.map(({ alert }) => [alert.rule, alert.chain, alert.nodes.toSorted()]);
    expect(told).toHaveLength(2);
    expect(told).toEqual(
      expect.arrayContaining([
        ['da-failing', 'funds-1', idsOf(funds)],
        ['finality-frozen', 'frozen-1', idsOf(frozen)],
      ]),
    );
  });

  it('contains what really happened: each attempt and each block once', async () => {
    for (const id of ['frozen', 'funds']) {
      const [incident] = await record.getIncidents(id);
      const truth = record.truths.get(id);
      if (!incident || !truth) throw new Error(`nothing is known of ${id}`);
      const to = new Date(record.endMs - 20_000).toISOString();
      const truly = truth.countIn(Date.parse(incident.from), Date.parse(to));
      const figures = await record.getFigures(incident, to);
      const blocks = figures['blocks'] as Readonly<Record<string, string | null>>;
      expect({
        attempts: Number(figures['attempts']),
        failures: Number(figures['failures']),
        bytes: Number(figures['sizeBytes']),
        blocks: Number(blocks['produced']),
        transactions: Number(blocks['transactions']),
      }).toEqual({
        attempts: truly.attempts,
        failures: truly.failures,
        bytes: truly.bytes,
        blocks: truly.blocks,
        transactions: truly.transactions,
      });
    }
    const [incident] = await record.getIncidents('funds');
    expect(incident?.causes.map(({ cause }) => cause.code)).toEqual(['OUT_OF_FUNDS']);
  });

  it('shows how long blocks waited until they were shown as included, as it really was', async () => {
    const [incident] = await record.getIncidents('frozen');
    const truth = record.truths.get('frozen');
    if (!incident || !truth) throw new Error('nothing is known of it');
    const from = Date.parse(incident.from);
    // The last moments are not recorded completely.
    const to = record.endMs - 10_000;
    const whole = await record.getFigures(incident, new Date(to).toISOString());
    expectTrueWaits(whole, truth, { from, to, endMs: record.endMs });
    const waits = whole['waits'] as Readonly<Record<string, string | number>>;
    const blocks = whole['blocks'] as Readonly<Record<string, string | number>>;
    // Inclusion had stopped for 100 s, while posting continued as always.
    expect(waits['maxMs']).toBeGreaterThan(FOR_MS - 5_000);
    expect(waits['maxMs']).toBeLessThan(FOR_MS + 10_000);
    expect(blocks['lagMaxMs']).toBeLessThan(10_000);
    // While inclusion has stopped, the wait of waiting blocks is their age, a lower bound.
    const asOf = AT_MS + 90_000 + record.endMs - LENGTH_MS;
    const { incident: then } = await record.api.read<{ incident: { impact: ToldFigures } }>(
      `{ incident(id: "${incident.id}", asOf: "${new Date(asOf).toISOString()}") { impact {
           waits { waited unknown limitMs delayed transactionsDelayed p95Ms maxMs stillWaiting transactionsStillWaiting } } } }`,
    );
    expectTrueWaits(then.impact, truth, { from, to: asOf, endMs: asOf });
    const still = then.impact['waits'] as Readonly<Record<string, string | number>>;
    expect(Number(still['stillWaiting'])).toBeGreaterThan(80);
    expect(still['maxMs']).toBeGreaterThan(88_000);
  });

  it('has the same figures in its post-mortem and from the queries in it', async () => {
    const [incident] = await record.getIncidents('funds1');
    const { postMortem } = await record.api.read<{ postMortem: string }>(
      `{ postMortem(incident: ${JSON.stringify(incident?.id)}) }`,
    );
    expect(postMortem).toContain('DA submissions of funds');
    expect(postMortem).toMatch(/Nodes: funds1?, funds1?\./);
    const question = /```graphql\n(.*?)```/s.exec(postMortem)?.[1] ?? '';
    const answer = await record.api.read<{ intervalReport: Record<string, string> }>(question);
    for (const [title, figure] of [
      ['attempts', 'attempts'],
      ['failures', 'failures'],
    ] as const)
      expect(postMortem).toContain(`| ${title} | ${answer.intervalReport[figure]} |`);
    expect(answer).toHaveProperty('healthHistory2');
  });

  it('counts once at /metrics, and in SQL', async () => {
    const text = await (await fetch(`${record.api.url}/metrics`)).text();
    const open = samplesOf(text).filter(({ name }) => name === 'hindsight_incidents_open');
    const told = await ask('(filter: { open: true })');
    expect(open.reduce((sum, { value }) => sum + value, 0)).toBe(told.length);
    const rows = await record.dataSource.query<{ nodes: string[]; subject: string; signs: number }[]>(
      'SELECT nodes, subject, signs FROM reporting.incidents ORDER BY from_at DESC',
    );
    expect(rows).toEqual(
      (await ask()).map(({ nodes, subject, signs }) => ({
        nodes: nodes.map(({ nodeId }) => nodeId),
        subject,
        signs,
      })),
    );
  });

  it('is the same after a rebuild, and by knownAt what was known then', async () => {
    const before = await ask();
    const moments: string[] = [];
    for (const second of [75, 95, 115])
      moments.push(new Date(record.endMs - LENGTH_MS + second * 1_000).toISOString());
    const pasts = await Promise.all(moments.map((moment) => ask(`(asOf: "${moment}")`)));
    for (const past of pasts.flat()) {
      const now = before.find(({ id }) => id === past.id);
      expect(now?.subject).toBe(past.subject);
      expect(now?.nodes.length).toBeGreaterThanOrEqual(past.nodes.length);
    }
    expect(new Set(pasts.map((past) => JSON.stringify(past))).size).toBe(moments.length);
    await rebuildNow(record.dataSource, readModelSet('health'));
    expect(await ask()).toEqual(before);
  });
});
