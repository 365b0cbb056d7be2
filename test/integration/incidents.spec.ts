import type { HealthState } from '../../src/domain/health/health-rule.js';
import { ManualClock } from '../support/manual-clock.js';
import { samplesOf } from '../support/prometheus-text.js';
import { healthRow, insertRows, nameChains, nodeRow, type TableRow } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';
import { useApi } from '../support/use-database.js';

const START = Date.UTC(2026, 10, 21, 6);
const MINUTE = 60_000;
const clock = new ManualClock(START + 24 * 60 * MINUTE);

/** A time of the day, in minutes since its start. */
const at = (minute: number): string => new Date(START + minute * MINUTE).toISOString();

interface Shown {
  readonly from: string;
  readonly to: string | null;
  readonly severity: string;
  readonly signs: number;
}

/** One interval: its state, its rule, and its length in minutes. */
type Interval = readonly [state: HealthState, rule: string, minutes: number];

const FIELDS = 'nodeId component from to severity signs';

describe('an incident', () => {
  const api = useApi({ clock });

  const ask = async (filter: string, more = ''): Promise<Record<string, unknown>[]> => {
    const { incidents } = await api.read<{ incidents: { nodes: Record<string, unknown>[] } }>(
      `{ incidents(filter: ${filter}${more}) { nodes { ${FIELDS} ${more.includes('asOf') ? '' : 'open id lastSignAt troubleMs rule reason means claim claimDifferedMs position endReason'} } } }`,
    );
    return incidents.nodes;
  };

  /** Rows of a line of intervals; the last one is open, and was polled to its end. */
  function lineOf(node: string, intervals: readonly Interval[], from = 0): TableRow[] {
    let minute = from;
    return intervals.map(([state, rule, minutes], index) => {
      const start = minute;
      minute += minutes;
      const end = index === intervals.length - 1 ? null : at(minute);
      return healthRow('DA', at(start), end, state, { node, rule, reason: `${rule} since ${start}` });
    });
  }

  async function watch(
    key: number,
    node: string,
    intervals: readonly Interval[],
    more: TableRow = {},
  ): Promise<void> {
    const seen = at(intervals.reduce((sum, [, , minutes]) => sum + minutes, 0));
    await insertRows(api.dataSource, 'node', [
      nodeRow(key, node, { chain_id: 'lab-1', last_seen_at: seen, list_looked_at: seen, ...more }),
    ]);
    await insertRows(api.dataSource, 'health_interval', lineOf(node, intervals));
  }

  beforeEach(async () => {
    await api.dataSource.query('TRUNCATE node, health_interval, incident_join');
  });

  const failing = (minutes: number): Interval => ['CRITICAL', 'failing', minutes];
  const slow = (minutes: number): Interval => ['WARNING', 'slow', minutes];
  const calm = (minutes: number): Interval => ['HEALTHY', 'healthy', minutes];
  const blind = (minutes: number): Interval => ['UNKNOWN', 'not-watched', minutes];
  const retired = (minutes: number): Interval => ['UNKNOWN', 'retired', minutes];
  const follower = (minutes: number): Interval => ['UNKNOWN', 'not-aggregator', minutes];

  it('is one incident for an hour of flapping, and shows its worst moment', async () => {
    const flaps = Array.from({ length: 20 }, () => [slow(1), calm(2)]).flat();
    await watch(1, 'alpha', [calm(10), ...flaps, failing(2), calm(30)]);
    expect(await ask('{}')).toEqual([
      {
        nodeId: 'alpha',
        component: 'DA',
        from: at(10),
        to: at(72),
        open: false,
        severity: 'CRITICAL',
        rule: 'failing',
        reason: 'failing since 70',
        means: 'Blocks pile up and are not final.',
        signs: 21,
        lastSignAt: at(72),
        troubleMs: 22 * MINUTE,
        claim: null,
        claimDifferedMs: 0,
        position: '1',
        endReason: 'HEALTHY: healthy since 72',
        id: `Incident:alpha:DA:${START + 10 * MINUTE}000000`,
      },
    ]);
  });

  it.each<[string, readonly Interval[], readonly (readonly [number, number | null, number])[]]>([
    ['stays open in calm that is too short', [slow(1), calm(4)], [[0, null, 1]]],
    ['ends once the calm was long enough', [slow(1), calm(5)], [[0, 1, 1]]],
    ['does not end in unmonitored time', [failing(3), blind(600)], [[0, null, 1]]],
    ['continues after unmonitored time', [failing(3), blind(60), slow(2), calm(9)], [[0, 65, 2]]],
    ['ends with calm that follows unmonitored time', [failing(3), blind(60), calm(9)], [[0, 63, 1]]],
    ['ends when the node no longer submits', [failing(3), follower(600)], [[0, 3, 1]]],
    [
      'ends when the calm began, although Hindsight was restarted in it',
      [failing(3), calm(2), blind(1), calm(3)],
      [[0, 3, 1]],
    ],
    ['ends after calm of two kinds', [failing(3), follower(2), calm(3)], [[0, 3, 1]]],
    [
      'stays open if the calm is too short in total',
      [failing(3), calm(2), blind(60), calm(2)],
      [[0, null, 1]],
    ],
    ['counts the calm from zero after each trouble', [failing(3), calm(4), slow(1), calm(4)], [[0, null, 2]]],
    ['ends when its node is taken out of the settings', [failing(3), retired(0)], [[0, 3, 1]]],
    [
      'ends there even after a long time without polls, and is another incident when the node is back',
      [failing(3), blind(60), retired(2), failing(1)],
      [
        [0, 63, 1],
        [65, null, 1],
      ],
    ],
    [
      'is another incident after enough calm',
      [slow(1), calm(5), slow(1), calm(5)],
      [
        [0, 1, 1],
        [6, 7, 1],
      ],
    ],
    ['does not exist without trouble', [calm(5), blind(5), follower(5)], []],
  ])('%s', async (_, intervals, expected) => {
    await watch(1, 'alpha', intervals);
    const shown = await ask('{}');
    expect(shown.map(({ from, to, signs }) => [from, to, signs])).toEqual(
      expected.map(([from, to, signs]) => [at(from), to === null ? null : at(to), signs]).toReversed(),
    );
  });

  it('shows when trouble was last seen if the node is not polled any more', async () => {
    await watch(1, 'alpha', [failing(3), blind(600)]);
    await watch(2, 'beta', [slow(3)]);
    const shown = await ask('{open: true}');
    expect(shown.map(({ nodeId, lastSignAt, troubleMs }) => [nodeId, lastSignAt, troubleMs])).toEqual([
      ['beta', null, 3 * MINUTE],
      ['alpha', at(3), 3 * MINUTE],
    ]);
  });

  it('has no last sign while an incident is ongoing, whatever ended before it', async () => {
    await watch(1, 'alpha', [calm(10), slow(2), failing(20)]);
    expect(await ask('{}')).toMatchObject([{ signs: 2, lastSignAt: null, open: true }]);
    const asOf = (minute: number) =>
      api.read(`{ incidents(asOf: "${at(minute)}") { nodes { lastSignAt claimDifferedMs } } }`);
    expect(await asOf(15)).toEqual({ incidents: { nodes: [{ lastSignAt: null, claimDifferedMs: null }] } });
  });

  it('shows what the node claimed meanwhile, and for how long that was false', async () => {
    await insertRows(api.dataSource, 'node', [
      nodeRow(1, 'alpha', { last_seen_at: at(9), list_looked_at: at(9) }),
    ]);
    const told = { claim: 'healthy', claim_differs: true };
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('DA', at(0), at(1), 'WARNING', { claim: 'degraded' }),
      healthRow('DA', at(1), at(3), 'CRITICAL', { ...told, differed_ms: 90_000 }),
      healthRow('DA', at(3), at(4), 'CRITICAL', { ...told, claim: 'ok', differed_ms: 60_000 }),
      healthRow('DA', at(4), null, 'HEALTHY', { differed_ms: 5 }),
    ]);
    const [incident] = await ask('{}');
    expect(incident).toMatchObject({ claim: 'healthy', claimDifferedMs: 150_000, to: at(4) });
  });

  it('is found by its id, in a past as it was known there', async () => {
    await watch(1, 'alpha', [slow(2), calm(30)]);
    const id = `Incident:alpha:DA:${START}000000`;
    const find = async (args: string): Promise<unknown> =>
      (await api.read<{ incident: unknown }>(`{ incident(${args}) { to open versionId } }`)).incident;
    expect(await find(`id: "${id}"`)).toEqual({ to: at(2), open: false, versionId: id });
    const asOf = (minute: number): string => `id: "${id}", asOf: "${at(minute)}"`;
    expect(await find(asOf(4))).toMatchObject({ to: null, open: true });
    expect(await find(asOf(8))).toMatchObject({ to: at(2), open: false });
    expect(await find(asOf(0))).toBeNull();
    for (const wrong of ['', 'x', 'Incident:alpha', `Incident:beta:DA:${START}000000`, 'Incident:alpha:DA:7'])
      expect(await find(`id: "${wrong}"`)).toBeNull();
    const object = `{ object(id: "${id}") { __typename ... on Incident { from node { id } } } }`;
    expect(await api.read(object)).toEqual({
      object: { __typename: 'Incident', from: at(0), node: { id: 'alpha' } },
    });
  });

  it('is one incident of several nodes if it was joined when it began, and ends with the last of them', async () => {
    await watch(1, 'alpha', [calm(10), slow(5), calm(30)]);
    await watch(2, 'beta', [calm(12), failing(20), calm(13)]);
    await watch(3, 'gamma', [calm(9), slow(1), calm(35)]);
    const root = { component: 'DA', root_node: 'alpha', root_from_at: at(10), from_position: 5 };
    await insertRows(api.dataSource, 'incident_join', [
      { ...root, node: 'beta', from_at: at(12), to_position: null },
      { ...root, node: 'gamma', from_at: at(9), to_position: 7 },
    ]);
    const [joined, alone] = await ask('{}');
    expect(joined).toMatchObject({
      from: at(10),
      to: at(32),
      severity: 'CRITICAL',
      signs: 2,
      rule: 'failing',
    });
    expect(joined).toMatchObject({ troubleMs: 25 * MINUTE, lastSignAt: at(32), open: false });
    expect(joined?.['endReason']).toBe('HEALTHY: healthy since 32');
    expect(joined?.['id']).toBe(`Incident:alpha:DA:${START + 10 * MINUTE}000000`);
    expect(alone).toMatchObject({ nodeId: 'gamma', from: at(9), to: at(10) });
    expect(await ask('{nodes: ["beta"]}')).toEqual([joined]);
    expect(await ask(`{from: "${at(20)}"}`)).toEqual([joined]);
    const asOf = async (minute: number): Promise<unknown> =>
      (await ask('{nodes: ["alpha"]}', `, asOf: "${at(minute)}"`)).map(({ to, signs, severity }) => [
        to,
        signs,
        severity,
      ]);
    expect(await asOf(11)).toEqual([[null, 1, 'WARNING']]);
    expect(await asOf(22)).toEqual([[null, 2, 'CRITICAL']]);
    expect(await asOf(40)).toEqual([[at(32), 2, 'CRITICAL']]);
    const { incident } = await api.read<{ incident: { nodes: unknown[] } }>(
      `{ incident(id: "${String(joined?.['id'])}") { nodes { nodeId from to severity rule signs } } }`,
    );
    expect(incident.nodes).toEqual([
      { nodeId: 'alpha', from: at(10), to: at(15), severity: 'WARNING', rule: 'slow', signs: 1 },
      { nodeId: 'beta', from: at(12), to: at(32), severity: 'CRITICAL', rule: 'failing', signs: 1 },
    ]);
  });

  it('is about its longest trouble of the worst severity: a node, its DA, the finality of its chain, or our own coverage', async () => {
    await watch(1, 'alpha', [slow(3), failing(1), ['CRITICAL', 'frozen', 2], calm(30)]);
    await watch(2, 'beta', [['WARNING', 'inclusion-late', 9], failing(1), calm(30)]);
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('NODE', at(1), at(2), 'CRITICAL', { rule: 'head-still' }),
      healthRow('NODE', at(2), null, 'HEALTHY'),
      healthRow('COVERAGE', at(4), at(6), 'WARNING', { rule: 'unwatched' }),
      healthRow('COVERAGE', at(6), null, 'HEALTHY', { rule: 'covered' }),
    ]);
    const subjects = async (filter: string): Promise<unknown> => {
      const { incidents } = await api.read<{ incidents: { nodes: Record<string, unknown>[] } }>(
        `{ incidents(filter: ${filter}) { nodes { nodeId subject to means } } }`,
      );
      return incidents.nodes.map(({ nodeId, subject, to, means }) => [nodeId, subject, to, typeof means]);
    };
    const finality = ['alpha', 'FINALITY', at(6), 'string'];
    const coverage = ['alpha', 'COVERAGE', at(6), 'string'];
    expect(await subjects('{}')).toEqual([
      coverage,
      ['alpha', 'NODE', at(2), 'string'],
      ['beta', 'DA', at(10), 'string'],
      finality,
    ]);
    expect(await subjects('{subject: FINALITY}')).toEqual([finality]);
    expect(await subjects('{component: COVERAGE}')).toEqual([coverage]);
  });

  it('follows the versions that were known: replaced ones belong to the past alone', async () => {
    await insertRows(api.dataSource, 'node', [
      nodeRow(1, 'alpha', { last_seen_at: at(20), list_looked_at: at(20) }),
    ]);
    await insertRows(api.dataSource, 'health_interval', [
      healthRow('DA', at(0), null, 'WARNING', { from_position: 3, to_position: 9 }),
      healthRow('DA', at(0), at(2), 'CRITICAL', { from_position: 9 }),
      healthRow('DA', at(2), null, 'HEALTHY', { from_position: 9 }),
    ]);
    expect(await ask('{}')).toMatchObject([{ severity: 'CRITICAL', signs: 1, position: '3' }]);
  });

  it('is listed by node, chain, component, severity, time and state', async () => {
    await watch(1, 'alpha', [slow(1), calm(9), failing(2), calm(9)]);
    await watch(2, 'beta', [calm(3), failing(4)], { chain_id: 'other-1' });
    const starts = async (filter: string): Promise<unknown[]> =>
      (await ask(filter)).map(
        ({ nodeId, from }) => `${String(nodeId)} ${(Date.parse(from as string) - START) / MINUTE}`,
      );
    expect(await starts('{}')).toEqual(['alpha 10', 'beta 3', 'alpha 0']);
    expect(await starts('{nodes: ["alpha"]}')).toEqual(['alpha 10', 'alpha 0']);
    expect(await starts('{nodes: []}')).toEqual([]);
    expect(await starts('{chains: ["other-1"]}')).toEqual(['beta 3']);
    expect(await starts('{component: NODE}')).toEqual([]);
    expect(await starts('{component: DA, severities: [WARNING]}')).toEqual(['alpha 0']);
    expect(await starts('{open: true}')).toEqual(['beta 3']);
    expect(await starts('{open: false}')).toEqual(['alpha 10', 'alpha 0']);
    expect(await starts(`{from: "${at(1)}", to: "${at(10)}"}`)).toEqual(['beta 3']);
  });

  it('is counted at /metrics while it is open', async () => {
    await watch(1, 'alpha', [failing(1), calm(9), slow(2), calm(2)]);
    await watch(2, 'beta', [failing(4), slow(3)]);
    await watch(3, 'gone', [failing(4), retired(1)], { retired: true });
    await watch(4, 'well', [slow(1), calm(30)]);
    const text = await (await fetch(`${api.url}/metrics`)).text();
    const open = samplesOf(text).filter(({ name }) => name === 'hindsight_incidents_open');
    expect(open.map(({ labels, value }) => [labels['severity'], value])).toEqual([
      ['WARNING', 1],
      ['CRITICAL', 1],
    ]);
  });

  it('equals the result of a slow check of each line, on random lines, page by page in both directions', async () => {
    const random = seededRandom(26);
    const kinds = [failing, slow, calm, calm, calm, blind, follower, retired];
    const truth: (Shown & { nodeId: string })[] = [];
    for (let key = 1; key <= 25; key += 1) {
      const line = Array.from({ length: 40 }, () => {
        const kind = kinds[Math.floor(random() * kinds.length)] ?? calm;
        return kind(1 + Math.floor(random() * 8));
      });
      await watch(key, `n${key}`, line);
      truth.push(...foldSlowly(line).map((incident) => ({ nodeId: `n${key}`, ...incident })));
    }
    await nameChains(api.dataSource);
    expect(truth.length).toBeGreaterThan(100);
    const line = ({ nodeId, from, to, severity, signs }: Shown & { nodeId: string }): string =>
      [nodeId, from, to, severity, signs].join(' ');
    const iso = (column: string): string =>
      `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
    const viewed = await api.dataSource.query<(Shown & { nodeId: string })[]>(
      `SELECT node AS "nodeId", ${iso('from_at')} AS from, ${iso('to_at')} AS to, severity, signs FROM reporting.incidents`,
    );
    expect(viewed.map(line).toSorted()).toEqual(truth.map(line).toSorted());
    for (const [size, next] of [
      ['first: 37', 'after'],
      ['last: 37', 'before'],
    ] as const) {
      const walked: (Shown & { nodeId: string })[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const place: string = cursor === '' ? size : `${size}, ${next}: "${cursor}"`;
        const { incidents } = await api.read<{
          incidents: { nodes: never[]; pageInfo: Record<string, never> };
        }>(
          `{ incidents(${place}) { nodes { ${FIELDS} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
        );
        walked.push(...(next === 'after' ? incidents.nodes : incidents.nodes.toReversed()));
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = incidents.pageInfo;
        const hasMore = next === 'after' ? hasNextPage : hasPreviousPage;
        cursor = hasMore ? (next === 'after' ? (endCursor ?? null) : (startCursor ?? null)) : null;
      }
      expect(walked.map(line).toSorted()).toEqual(truth.map(line).toSorted());
      const times = walked.map(({ from }) => from);
      expect(times).toEqual(next === 'after' ? times.toSorted().toReversed() : times.toSorted());
    }
  });

  /** The rule once more, in the order of time. */
  function foldSlowly(line: readonly Interval[]): Shown[] {
    const shown: { from: string; to: string | null; severity: string; signs: number }[] = [];
    let minute = 0;
    let [calmSince, calmFor]: [number | null, number] = [null, 5];
    for (const [state, rule, minutes] of line) {
      const last = shown.at(-1);
      if (state === 'CRITICAL' || state === 'WARNING') {
        if (last && calmFor < 5) {
          last.signs += 1;
          if (state === 'CRITICAL') last.severity = state;
        } else shown.push({ from: at(minute), to: null, severity: state, signs: 1 });
        [calmSince, calmFor] = [null, 0];
      } else if (rule !== 'not-watched') {
        calmSince ??= minute;
        calmFor += rule === 'retired' ? 5 : minutes;
        if (last && calmFor >= 5) last.to ??= at(calmSince);
      }
      minute += minutes;
    }
    return shown;
  }
});
