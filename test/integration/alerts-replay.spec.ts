import { AlertLinks } from '../../src/alerts/alert-links.js';
import { IncidentsQuery } from '../../src/api/incidents/incidents.query.js';
import { replayPast, type ReplayRequest } from '../../src/cli/alerts-replay.js';
import type { Alert, Message } from '../../src/domain/alerts/alert-ledger.js';
import { ALERT_RULES, type AlertRule } from '../../src/domain/alerts/alert-rules.js';
import { microsToMillis, millisToMicros, type Micros } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { liveThroughRecording } from '../support/lived-recording.js';
import { projectAll } from '../support/read-models.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { useDatabase } from '../support/use-database.js';

const PATIENCE_MS = 300_000;

/** Outages of the recording last for less than half a minute, and trouble of several outages does not add up. */
const QUICK_RULES = ALERT_RULES.map((rule) => ({ ...rule, forMs: Math.min(rule.forMs, 10_000) }));

describe('a dry run over the recording', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);
  const startMs = Date.UTC(2026, 10, 21, 5, 0, 0);
  let lengthMs: number;
  let told: string[];
  let messages: readonly Message[];

  const replay = (more: Partial<ReplayRequest> = {}) =>
    replayPast(dataSource, {
      rules: QUICK_RULES,
      maintenance: [],
      fromUs: millisToMicros(startMs),
      toUs: millisToMicros(startMs + lengthMs),
      knownAt: undefined,
      ...more,
    });
  const lines = (all: readonly Message[]): string[] =>
    all.map(({ at, status, alert }) => `${Math.round((at - startMs) / 1_000)} s ${status} ${alert.id}`);
  const ofHealth = (all: readonly string[]): string[] =>
    all.filter((line) => /(da-|finality|node-stuck|node-unreachable)/.test(line));

  beforeAll(async () => {
    const lived = await liveThroughRecording(store, {
      nodes: [{ id: 'recorded', file: 'aggregator' }],
      startMs,
      seed: 5,
    });
    ({ lengthMs } = lived);
    await projectAll(dataSource);
    ({ messages } = await replay());
    told = lines(messages);
  }, PATIENCE_MS);

  it('lists what would have been sent, and what the record does not know about the past', async () => {
    const rules = new Set(messages.map(({ alert }) => alert.rule));
    expect([...rules].toSorted()).toEqual([
      'claim-differs',
      'da-failing',
      'finality-frozen',
      'node-unreachable',
      'rows-missed',
    ]);
    expect((await replay()).isWatched).toBe(true);
    const before = { fromUs: millisToMicros(startMs - 7_200_000), toUs: millisToMicros(startMs - 3_600_000) };
    expect(await replay(before)).toMatchObject({ isWatched: false, messages: [] });
    expect((await replay()).leftOut.map(({ name }) => name)).toEqual([
      'blocks-pile-up',
      'not-recording',
      'degraded',
      'disk-full',
    ]);
  });

  it('gives the same result when it begins some seconds later, except for what it lists as already sent', async () => {
    const middle = startMs + Math.round(lengthMs / 3);
    const linesFrom = async (shift: number): Promise<string[]> => {
      const fromUs = millisToMicros(middle + shift);
      return lines((await replay({ fromUs })).messages);
    };
    const from = await linesFrom(0);
    expect(from.length).toBeGreaterThan(3);
    for (const shift of [1, 999, 17_000, 43_500, 59_999]) {
      const since = Math.round((middle + shift - startMs) / 1_000);
      const later = from.filter((line) => Number.parseInt(line, 10) > since);
      expect((await linesFrom(shift)).filter((line) => Number.parseInt(line, 10) > since)).toEqual(later);
    }
  });

  it('lists alerts that were raised before it begins and were not over', async () => {
    const first = messages.find(({ status }) => status === 'RAISED');
    if (!first) throw new Error('nothing was told');
    const { before } = await replay({ fromUs: millisToMicros(first.at + 1) });
    expect(before.map(({ alert }) => alert.id)).toContain(first.alert.id);
    expect((await replay()).before).toEqual([]);
  });

  it('reports nothing on our own coverage by health rules: a gap has its own rule', async () => {
    const [{ holes } = { holes: 0 }] = await dataSource.query<{ holes: number }[]>(
      `SELECT count(*)::int AS holes FROM health_interval WHERE component = 'COVERAGE' AND state = 'WARNING' AND to_position IS NULL`,
    );
    expect(holes).toBe(1);
    const [rule] = QUICK_RULES;
    if (!rule) throw new Error('there is no rule');
    const any = {
      ...rule,
      name: 'any',
      condition: { kind: 'health', rules: ['rows-missed', 'failing'] },
      forMs: 0,
    };
    const reasons = (await replay({ rules: [any as AlertRule] })).messages.map(({ alert }) => alert.reason);
    expect(reasons).toHaveLength(2);
    expect(reasons.filter((reason) => reason.includes('Not polled'))).toEqual([]);
  });

  it(
    'gives the same result from a rebuilt record',
    async () => {
      for (const set of ['record', 'health']) await rebuildNow(dataSource, readModelSet(set));
      expect(lines((await replay()).messages)).toEqual(told);
    },
    PATIENCE_MS,
  );

  it('gives the same by what was known at the end, and by earlier knowledge what had been sent by then', async () => {
    const end = await store.lastPosition();
    expect(lines((await replay({ knownAt: end })).messages)).toEqual(ofHealth(told));
    const { leftOut } = await replay({ knownAt: end });
    expect(leftOut.map(({ name }) => name)).toContain('many-failures');
    for (const share of [4n, 3n, 2n]) {
      const knownAt = end - end / share;
      const [row] = await dataSource.query<{ at: Micros }[]>(
        'SELECT observed_at AS at FROM event WHERE position = $1',
        [knownAt],
      );
      const toUs = row?.at ?? 0n;
      const known = lines((await replay({ knownAt, toUs })).messages);
      const before = lines(messages.filter(({ at }) => at <= microsToMillis(toUs)));
      expect(known).toEqual(ofHealth(before));
    }
  });

  it('has links to the incident of each alert, at an address that people can reach', async () => {
    const incidents = new IncidentsQuery(dataSource);
    const sources = {
      readOwnHealth: () => Promise.reject(new Error('it is not asked')),
      findIncident: incidents.findIncidentAt.bind(incidents),
    };
    const options = {
      destinations: [],
      rules: QUICK_RULES,
      maintenance: [],
      publicUrl: 'https://da.example/h/',
      clock: new SystemClock(),
      logger: createLogger('silent'),
    };
    const addTo = (alert: Alert): Promise<Alert> => new AlertLinks(sources, options).addTo(alert);
    const linkOf = async (alert: Alert): Promise<string | undefined> => (await addTo(alert)).link;
    const alert = messages[0]?.alert;
    if (!alert) throw new Error('nothing was told');
    const link = (await linkOf(alert)) ?? '';
    expect(link).toMatch(/^https:\/\/da\.example\/h\/incident\/Incident/);
    const id = decodeURIComponent(link.split('/').at(-1) ?? '');
    const incident = await incidents.findIncident(id, {});
    expect(incident?.nodeId).toBe('recorded');
    expect(incident?.component).toBe('DA');
    expect(await linkOf({ ...alert, rule: 'many-failures' })).toBe('https://da.example/h/node/recorded');
    expect(await linkOf({ ...alert, nodes: [], chain: 'a/b' })).toBe('https://da.example/h/chain/a%2Fb');
    expect(await linkOf({ ...alert, nodes: [], chain: null })).toBe('https://da.example/h/');
    const runbook = '/runbooks/failure-causes#da_busy';
    expect((await addTo(alert)).runbook).toBe(`https://da.example/h/runbooks/${alert.rule}`);
    expect((await addTo({ ...alert, runbook })).runbook).toBe(`https://da.example/h${runbook}`);
    expect((await addTo({ ...alert, rule: 'own' })).runbook).toBeUndefined();
    const unnamed = new AlertLinks(sources, { ...options, publicUrl: undefined });
    expect(await unnamed.addTo(alert)).toEqual({ ...alert, runbook: `docs/runbooks/${alert.rule}.md` });
    expect(await unnamed.addTo({ ...alert, runbook })).toMatchObject({
      runbook: 'docs/failure-causes.md#da_busy',
    });
    expect(await unnamed.addTo({ ...alert, rule: 'own' })).toEqual({ ...alert, rule: 'own' });
  });

  it('gives the same result after its node left the settings, and reports that it is no longer watched', async () => {
    const stream = 'recorded/node';
    const { version } = await store.loadStream(stream);
    const retiredMs = startMs + lengthMs - 1;
    const event = { type: 'NodeRetired', observedAt: retiredMs, body: {} } as const;
    await store.append({ stream, expectedVersion: version, events: [event] });
    await projectAll(dataSource);
    expect(lines((await replay()).messages)).toEqual(told);
    const open = messages.filter(
      ({ status, alert }) =>
        status === 'RAISED' &&
        // Missing rows are reported once: that alert has no end.
        alert.rule !== 'rows-missed' &&
        !messages.some((end) => end.status === 'RESOLVED' && end.alert.id === alert.id),
    );
    expect(open).toHaveLength(3);
    const toUs = millisToMicros(retiredMs + 3_600_000);
    const after = (await replay({ toUs })).messages.slice(told.length);
    expect(new Set(after.map(({ alert }) => alert.id))).toEqual(new Set(open.map(({ alert }) => alert.id)));
    for (const message of after) {
      expect(message).toMatchObject({ status: 'RESOLVED', gone: ['recorded'] });
      expect(message.until).toBeLessThanOrEqual(retiredMs);
    }
  });
});
