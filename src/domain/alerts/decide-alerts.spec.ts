import fc from 'fast-check';
import { AlertLedger, type Alert } from './alert-ledger.js';
import { QUIET_MS } from '../health/trouble.js';
import { tries } from '../../../test/support/tries.js';
import { ALERT_RULES } from './alert-rules.js';
import { decideAlerts, type AlertFacts } from './decide-alerts.js';
import type { HealthSpan, SampledSpan } from './trouble-runs.js';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

const STATES: Readonly<Record<string, HealthSpan['state']>> = {
  failing: 'CRITICAL',
  silent: 'CRITICAL',
  frozen: 'CRITICAL',
  failures: 'WARNING',
  healthy: 'HEALTHY',
};

const facts = (health: readonly HealthSpan[], more: Partial<AlertFacts> = {}): AlertFacts => ({
  rules: ALERT_RULES,
  health,
  sampled: [],
  mutes: [],
  watched: ['n1', 'n2', 'evil', 'victim'],
  ...more,
});

/** An interval in minutes before {@link NOW}. */
function span(
  node: string,
  rule: string,
  from: number,
  to: number | null = null,
  more: Partial<HealthSpan> = {},
): HealthSpan {
  return {
    node,
    chain: 'alpha-1',
    component: 'DA',
    rule,
    state: STATES[rule] ?? 'UNKNOWN',
    reason: `${node} is ${rule}`,
    from: NOW - from * MINUTE,
    to: to === null ? null : NOW - to * MINUTE,
    position: BigInt(Math.round(10_000 - from * 100)),
    ...more,
  };
}

const raise = (spans: HealthSpan[], now = NOW): readonly Alert[] =>
  decideAlerts(facts(spans), [], now).raised;

describe('a decision on new alerts', () => {
  it('raises one for all nodes of a chain, since the first of them, and one for each other chain', () => {
    const spans = [
      ...Array.from({ length: 10 }, (_, index) => span(`n${index}`, 'failing', 3 + index)),
      span('b1', 'failing', 4, null, { chain: 'beta-1' }),
    ];
    const alerts = raise(spans);
    expect(alerts.map(({ owner, nodes, since }) => [owner, nodes.length, since])).toEqual([
      ['alpha-1', 10, NOW - 12 * MINUTE],
      ['beta-1', 1, NOW - 4 * MINUTE],
    ]);
    expect(alerts[0]?.reason).toBe('n9 is failing');
  });

  it('describes frozen finality differently from failing submissions', () => {
    expect(raise([span('n1', 'frozen', 5)]).map(({ rule }) => rule)).toEqual(['finality-frozen']);
    expect(raise([span('n1', 'silent', 5)]).map(({ rule }) => rule)).toEqual(['da-silent']);
  });

  it('waits until trouble has lasted for its time, including short breaks', () => {
    expect(raise([span('n1', 'failing', 0.99)])).toEqual([]);
    expect(raise([span('n1', 'failing', 1)])).toHaveLength(1);
    const flaps = (calm: number) => [
      span('n1', 'failing', 2 + calm, 0.1 + calm),
      span('n1', 'healthy', 0.1 + calm, 0.1),
      span('n1', 'failing', 0.1),
    ];
    expect(raise(flaps(0.4))[0]?.since).toBe(NOW - 2.4 * MINUTE);
    expect(raise(flaps(0.5))).toEqual([]);
    expect(raise([span('n1', 'failing', 1.2, 0.2)])).toHaveLength(1);
    expect(raise([span('n1', 'failing', 1.5, 0.5)])).toEqual([]);
  });

  it('names a node whose trouble is young, and none whose young trouble is in a break', () => {
    const young = (to: number | null) =>
      raise([span('n1', 'failing', 5), span('n2', 'failing', 0.3, to)]).map(({ nodes }) => nodes);
    expect([young(null), young(0.2)]).toEqual([[['n1', 'n2']], [['n1']]]);
  });

  it('keeps an alert open as long as the last of its joined troubles', () => {
    const stuck = {
      ...(ALERT_RULES[0] ?? fail()),
      condition: { kind: 'health', component: 'DA', rules: ['failing', 'silent'] },
    } as const;
    const spans = [span('n1', 'failing', 60, 1), span('n1', 'silent', 50, 8)];
    const { resolved } = decideAlerts(
      facts(spans, { rules: [stuck] }),
      [{ ...(raise([span('n1', 'failing', 60)])[0] ?? fail()) }],
      NOW,
    );
    expect(resolved).toEqual([]);
  });

  it('raises nothing about the DA layer of a node that is down', () => {
    const spans = [span('n1', 'unreachable', 9), span('n1', 'unreachable', 9, null, { component: 'NODE' })];
    expect(raise(spans).map(({ rule }) => rule)).toEqual(['node-unreachable']);
  });

  it('raises one for all nodes whose chain is not known', () => {
    const spans = Array.from({ length: 200 }, (_, i) => span(`n${i}`, 'failing', 9, null, { chain: null }));
    const [alert, ...more] = raise(spans);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ owner: 'chain not known', chain: null });
    expect(alert?.nodes).toHaveLength(200);
  });
});

describe('while the alert of a chain is open', () => {
  const HOUR = 60;
  const evil = span('evil', 'failing', 30 * 24 * HOUR);
  const open = raise([evil]);
  const news = (...spans: HealthSpan[]) => decideAlerts(facts([evil, ...spans]), open, NOW);

  it('raises another alert for a node that has the same trouble later, however soon', () => {
    for (const later of [0, 2, HOUR]) {
      const { raised } = news(span('victim', 'failing', 30 * 24 * HOUR - later));
      expect(raised.map(({ nodes }) => nodes)).toEqual([['victim']]);
    }
  });

  it('raises one with another id for a node that had the trouble since the same moment and was silenced', () => {
    const victim = span('victim', 'failing', 30 * 24 * HOUR);
    const mutes = [{ scope: { nodes: ['victim'] }, when: { from: NOW - MINUTE, until: NOW } }];
    const at = (now: number) => decideAlerts(facts([evil, victim], { mutes }), [], now).raised;
    const before = at(NOW - 1);
    expect(before).toEqual(open);
    const { raised } = decideAlerts(facts([evil, victim], { mutes }), before, NOW);
    expect(raised.map(({ nodes }) => nodes)).toEqual([['victim']]);
    expect(raised[0]?.id).not.toBe(open[0]?.id);
  });

  it('raises one for a node with later trouble, and ends each by its own nodes', () => {
    const victim = span('victim', 'failing', 10);
    const { raised } = news(victim);
    expect(raised.map(({ owner, nodes, since }) => [owner, nodes, since])).toEqual([
      ['alpha-1', ['victim'], NOW - 10 * MINUTE],
    ]);
    const both = [...open, ...raised];
    expect(decideAlerts(facts([evil, victim]), both, NOW)).toEqual({ raised: [], resolved: [] });
    const calm = [span('victim', 'failing', 20, 6), span('victim', 'healthy', 6)];
    const ended = decideAlerts(facts([evil, ...calm]), both, NOW);
    expect(ended.resolved).toEqual([{ alert: raised[0]?.id, until: NOW - 6 * MINUTE }]);
  });
});

describe('a decision on open alerts', () => {
  const open = raise([span('n1', 'failing', 60), span('n2', 'failing', 50)]);
  const resolve = (spans: HealthSpan[]) => decideAlerts(facts(spans), open, NOW).resolved;

  it('ends an alert when all its nodes have been calm for five minutes, at the end of the trouble', () => {
    const first = [span('n1', 'failing', 60, 20), span('n1', 'healthy', 20)];
    expect(resolve([...first, span('n2', 'failing', 50)])).toEqual([]);
    expect(resolve([...first, span('n2', 'failing', 50, 4.9)])).toEqual([]);
    expect(resolve([...first, span('n2', 'failing', 50, 5)])).toEqual([
      { alert: open[0]?.id, until: NOW - 5 * MINUTE },
    ]);
  });

  it('ends an alert when its own nodes are well, even if another node of the chain has the trouble since', () => {
    const calm = [span('n1', 'failing', 60, 20), span('n2', 'failing', 50, 15)];
    for (const other of [span('n3', 'failing', 18), span('n3', 'failing', 18, 1)])
      expect(resolve([...calm, other])).toEqual([{ alert: open[0]?.id, until: NOW - 15 * MINUTE }]);
  });

  it('keeps an alert open for a node that has changed its chain, and ends it like all others', () => {
    const moved = { chain: 'beta-1' };
    const before = span('n1', 'failing', 9, 6);
    const alerts = raise([span('n1', 'failing', 9)]);
    expect(alerts).toHaveLength(1);
    const lasting = [before, span('n1', 'healthy', 6, 5.5, moved), span('n1', 'failing', 5.5, null, moved)];
    expect(decideAlerts(facts(lasting), alerts, NOW)).toEqual({ raised: [], resolved: [] });
    const over = [before, span('n1', 'failing', 5.5, 4.9, moved), span('n1', 'healthy', 4.9, null, moved)];
    expect(decideAlerts(facts(over), alerts, NOW)).toEqual({ raised: [], resolved: [] });
    expect(decideAlerts(facts(over), alerts, NOW + MINUTE).resolved).toMatchObject([
      { until: NOW - 4.9 * MINUTE },
    ]);
  });

  it('ends no alert while one of its nodes is unknown', () => {
    const second = [span('n2', 'failing', 50, 20), span('n2', 'healthy', 20)];
    expect(resolve([span('n1', 'failing', 60, 20), span('n1', 'unreachable', 20), ...second])).toEqual([]);
    expect(resolve([span('n1', 'failing', 60, 20), span('n1', 'healthy', 20), ...second])).toHaveLength(1);
  });

  it('names the nodes whose state is unknown because they are no longer monitored', () => {
    const spans = [span('n1', 'failing', 60, 20), span('n2', 'failing', 50, 5), span('n2', 'healthy', 5)];
    const end = (watched: string[]) => decideAlerts(facts(spans, { watched }), open, NOW).resolved;
    expect(end(['n1', 'n2'])).toEqual([{ alert: open[0]?.id, until: NOW - 5 * MINUTE }]);
    expect(end(['n2'])).toEqual([{ alert: open[0]?.id, until: NOW - 5 * MINUTE, gone: ['n1'] }]);
  });

  it('ends alerts of removed rules now, not when they began', () => {
    expect(resolve([])).toEqual([{ alert: open[0]?.id, until: NOW }]);
  });

  it('reports trouble of a removed rule as no longer monitored, not as over', () => {
    const spans = [span('n1', 'failing', 9), span('n2', 'failing', 9)];
    const rules = ALERT_RULES.filter(({ name }) => name !== 'da-failing');
    expect(decideAlerts(facts(spans, { rules }), raise(spans), NOW).resolved).toMatchObject([
      { until: NOW, gone: ['n1', 'n2'] },
    ]);
  });
});

describe('an hour of flapping', () => {
  it('is one alert whatever its pattern, which ends once, five minutes after it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 240 }), fc.integer({ min: 1, max: 299 })), {
          minLength: 1,
          maxLength: 40,
        }),
        (flaps) => {
          const ledger = new AlertLedger();
          const told: string[] = [];
          const spans: HealthSpan[] = [];
          let at = NOW;
          for (const [bad, calm] of [[120, 1] as const, ...flaps]) {
            for (const [rule, seconds] of [
              ['failing', bad],
              ['healthy', calm],
            ] as const) {
              spans.push({
                ...span('n1', rule, 0),
                from: at,
                to: at + seconds * 1_000,
                position: BigInt(spans.length),
              });
              at += seconds * 1_000;
            }
          }
          const last = spans.pop();
          const end = last?.from ?? 0;
          if (last) spans.push({ ...last, to: null });
          for (let now = NOW; now <= end + 2 * QUIET_MS; now += 10_000) {
            const seen = spans
              .filter(({ from }) => from <= now)
              .map((one) => ({ ...one, to: one.to !== null && one.to <= now ? one.to : null }));
            const { raised, resolved } = decideAlerts(facts(seen), ledger.open, now);
            for (const alert of raised) {
              told.push(`raised ${alert.since - NOW}`);
              ledger.take({ type: 'AlertRaised', at: now, body: { alert, destinations: [] } });
            }
            for (const body of resolved) {
              told.push(`resolved ${body.until - end}`);
              expect(now - end).toBeGreaterThanOrEqual(QUIET_MS);
              ledger.take({ type: 'AlertResolved', at: now, body: { ...body, destinations: [] } });
            }
          }
          expect(told).toEqual(['raised 0', 'resolved 0']);
        },
      ),
      tries(30),
    );
  });
});

describe('rules of users', () => {
  const rule = { ...(ALERT_RULES[0] ?? fail()), name: 'mine' };
  const decide = (spans: HealthSpan[], more: Partial<AlertFacts>) =>
    decideAlerts(facts(spans, more), [], NOW).raised;

  it('are about nodes and chains by pattern', () => {
    const spans = [
      span('a1', 'failing', 9),
      span('a22', 'failing', 9),
      span('b1', 'failing', 9, null, { chain: 'beta-1' }),
    ];
    const nodesOf = (scope: { nodes?: string[]; chains?: string[] }): string[] =>
      decide(spans, { rules: [{ ...rule, scope }] }).flatMap(({ nodes }) => nodes);
    expect(nodesOf({ nodes: ['a*'] })).toEqual(['a1', 'a22']);
    expect(nodesOf({ nodes: ['?1'] })).toEqual(['a1', 'b1']);
    expect(nodesOf({ nodes: ['*1'], chains: ['beta-*'] })).toEqual(['b1']);
    expect(nodesOf({ nodes: ['a'] })).toEqual([]);
  });

  it('default to states if they name no health rule: WARNING and CRITICAL', () => {
    const spans = [span('n1', 'failures', 9), span('n2', 'healthy', 9), span('n3', 'gone', 9)];
    const nodesOf = (states?: HealthSpan['state'][]): string[] =>
      decide(spans, { rules: [{ ...rule, condition: { kind: 'health', component: 'DA', states } }] }).flatMap(
        ({ nodes }) => nodes,
      );
    expect(nodesOf()).toEqual(['n1']);
    expect(nodesOf(['UNKNOWN'])).toEqual(['n3']);
    expect(nodesOf(['CRITICAL'])).toEqual([]);
  });

  it('send one message for each node if configured', () => {
    const spans = [span('n1', 'failing', 9), span('n2', 'failing', 9)];
    const owners = decide(spans, { rules: [{ ...rule, groupBy: 'NODE' }] }).map(({ owner }) => owner);
    expect(owners).toEqual(['n1', 'n2']);
  });

  it('skip a node about which another rule reports something worse', () => {
    const spans = [span('n1', 'failing', 9), span('n1', 'failures', 9), span('n2', 'failures', 9)];
    const quiet: AlertFacts['rules'][number] = {
      ...rule,
      condition: { kind: 'health', component: 'DA', rules: ['failures'] },
      unless: ['da-failing'],
    };
    const of = (rules: AlertFacts['rules']) =>
      decide(spans, { rules }).flatMap((alert) => alert.nodes.map((node) => `${alert.rule} ${node}`));
    expect(of([...ALERT_RULES, quiet])).toEqual(['da-failing n1', 'mine n2']);
    expect(of([quiet])).toEqual(['mine n1', 'mine n2']);
  });

  it('say nothing in a short break of something worse that has not held for its time yet', () => {
    const of = (minutesAgo: number) =>
      decide([span('n1', 'failing', 1, minutesAgo), span('n1', 'failures', minutesAgo)], {
        rules: [
          ...ALERT_RULES,
          {
            ...rule,
            forMs: 0,
            condition: { kind: 'health', component: 'DA', rules: ['failures'] },
            unless: ['da-failing'],
          },
        ],
      }).map((alert) => alert.rule);
    expect([of(0.49), of(0.5)]).toEqual([[], ['mine']]);
  });

  it('keep their words, whatever the settings are later', () => {
    expect(decide([span('n1', 'failing', 9)], { rules: [{ ...rule, title: 'Ours' }] })[0]?.words?.title).toBe(
      'Ours',
    );
  });
});

describe('a sampled condition', () => {
  const found = (from: number, to: number | null = null): SampledSpan => ({
    alertRule: 'not-recording',
    node: null,
    chain: null,
    reason: 'nothing was recorded',
    from: NOW - from * MINUTE,
    to: to === null ? null : NOW - to * MINUTE,
    seenAt: NOW - (to ?? 0) * MINUTE,
    position: 0n,
  });

  it('lasts no longer than it was seen', () => {
    const raised = (seen: number) =>
      decideAlerts(facts([], { sampled: [{ ...found(5), seenAt: NOW - seen * MINUTE }] }), [], NOW).raised;
    expect(raised(3.1)).toEqual([]);
    expect(raised(3)).toHaveLength(1);
  });

  it('can be an alert about Hindsight itself, which waits and ends like the others', () => {
    const raised = (sampled: SampledSpan[]) => decideAlerts(facts([], { sampled }), [], NOW).raised;
    expect(raised([found(1.9)])).toEqual([]);
    expect(raised([found(2)])).toHaveLength(1);
    const [alert] = raised([found(60)]);
    expect(alert).toMatchObject({ owner: 'hindsight', chain: null, nodes: [], rule: 'not-recording' });
    const resolved = (to: number | null) =>
      decideAlerts(facts([], { sampled: [found(60, to)] }), alert ? [alert] : [], NOW).resolved;
    expect(resolved(null)).toEqual([]);
    expect(resolved(4)).toEqual([]);
    expect(resolved(5)).toEqual([{ alert: alert?.id, until: NOW - 5 * MINUTE }]);
  });

  it('inhibits its consequences, on all nodes', () => {
    const unseen: SampledSpan = { ...found(20), alertRule: 'node-unseen', node: 'n1', chain: 'alpha-1' };
    const rules = (sampled: SampledSpan[]) =>
      decideAlerts(facts([], { sampled }), [], NOW).raised.map((alert) => alert.rule);
    expect(rules([unseen])).toEqual(['node-unseen']);
    expect(rules([unseen, found(20)])).toEqual(['not-recording']);
  });

  it('is explained by trouble that its node had on its previous chain', () => {
    const rate = { ...found(2), alertRule: 'many-failures', node: 'n1', chain: 'beta-1' };
    const told = decideAlerts(facts([span('n1', 'failing', 9)], { sampled: [rate] }), [], NOW).raised;
    expect(told.map(({ rule }) => rule)).toEqual(['da-failing']);
  });

  it('is not reported while reported trouble that explains it falls into the period it covers', () => {
    const rate: SampledSpan = { ...found(2), alertRule: 'many-failures', node: 'n1', chain: 'alpha-1' };
    const rules = (ended: number, length: number, more: Partial<SampledSpan> = {}) =>
      decideAlerts(
        facts([span('n1', 'silent', ended + length, ended), span('n1', 'healthy', ended)], {
          sampled: [{ ...rate, ...more }],
        }),
        [],
        NOW,
      ).raised.map((alert) => alert.rule);
    expect(rules(1, 30)).toEqual([]);
    expect(rules(9.9, 30)).toEqual([]);
    expect(rules(10, 30)).toEqual(['many-failures']);
    // The sample was taken a minute ago, and looked back ten minutes.
    expect(rules(10, 30, { seenAt: NOW - MINUTE })).toEqual([]);
    expect(rules(11, 30, { seenAt: NOW - MINUTE })).toEqual(['many-failures']);
    // Trouble of a few seconds was not reported.
    expect(rules(1, 0.9)).toEqual(['many-failures']);
    expect(rules(1, 30, { node: 'n2' })).toEqual(['many-failures']);
  });
});

describe('silence', () => {
  const spans = [span('n1', 'failing', 9), span('n2', 'failing', 9)];
  const nodesIn = (mutes: AlertFacts['mutes'], now = NOW) =>
    decideAlerts(facts(spans, { mutes }), [], now).raised.flatMap(({ nodes }) => nodes);

  it('applies to its scope, up to its end, after which the trouble is reported', () => {
    const when = { from: NOW - MINUTE, until: NOW + MINUTE };
    expect(nodesIn([{ scope: {}, when }])).toEqual([]);
    expect(nodesIn([{ scope: { nodes: ['n1'] }, when }])).toEqual(['n2']);
    expect(nodesIn([{ scope: { rules: ['node-*'] }, when }])).toEqual(['n1', 'n2']);
    expect(nodesIn([{ scope: {}, when }], NOW + MINUTE)).toEqual(['n1', 'n2']);
    expect(nodesIn([{ scope: {}, when }], NOW - 2 * MINUTE)).toEqual(['n1', 'n2']);
  });

  it('can repeat each week, even over the end of the week', () => {
    // A Friday, 08:00 UTC.
    const hour = 60 * MINUTE;
    const friday = 4 * 24 * hour;
    expect(new Date(NOW).toUTCString()).toBe('Fri, 15 Jan 2027 08:00:00 GMT');
    expect(nodesIn([{ scope: {}, when: { weeklyAt: friday + 7 * hour, forMs: 2 * hour } }])).toEqual([]);
    expect(nodesIn([{ scope: {}, when: { weeklyAt: friday + 7 * hour, forMs: hour } }])).toHaveLength(2);
    expect(nodesIn([{ scope: {}, when: { weeklyAt: friday + 9 * hour, forMs: hour } }])).toHaveLength(2);
    expect(nodesIn([{ scope: {}, when: { weeklyAt: 6 * 24 * hour, forMs: 5.5 * 24 * hour } }])).toEqual([]);
  });

  it('does not keep back the end of an alert', () => {
    const open = decideAlerts(facts(spans), [], NOW).raised;
    const mutes = [{ scope: {}, when: { from: NOW, until: NOW + 60 * MINUTE } }];
    expect(decideAlerts(facts([], { mutes }), open, NOW).resolved).toHaveLength(1);
  });
});

function fail(): never {
  throw new Error('there is a rule');
}
