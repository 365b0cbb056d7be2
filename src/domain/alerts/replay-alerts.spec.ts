import fc from 'fast-check';
import { AlertLedger, type Message } from './alert-ledger.js';
import { QUIET_MS } from '../health/trouble.js';
import { ALERT_RULES } from './alert-rules.js';
import { decideAlerts, type AlertFacts } from './decide-alerts.js';
import type { HealthSpan } from './trouble-runs.js';
import { AlertReplay } from './replay-alerts.js';
import type { Finding } from './sampled-lines.js';
import { tries } from '../../../test/support/tries.js';

const START = 1_800_000_000_000;
const RULES = ['healthy', 'failing', 'silent', 'frozen', 'unreachable', 'failures'];

const facts = (health: readonly HealthSpan[], more: Partial<AlertFacts> = {}): AlertFacts => ({
  rules: ALERT_RULES,
  health,
  sampled: [],
  mutes: [],
  watched: ['n1', 'n2'],
  ...more,
});
const watchedAt = (): string[] => ['n1', 'n2'];
/** Moves between chains that no other case has. */
const MOVES = [
  ['c', 'd'],
  ['e', 'd'],
];
const replayAlerts = (of: AlertFacts, from: number, to: number): readonly Message[] =>
  new AlertReplay({ ...of, watchedAt, moves: MOVES, start: from, from, to }).end().messages;

/** Lines of intervals of two nodes of a chain, in multiples of ten seconds. */
const lines = fc.tuple(
  ...['n1', 'n2'].map((node) =>
    fc
      .array(fc.tuple(fc.constantFrom(...RULES), fc.integer({ min: 1, max: 90 })), {
        minLength: 1,
        maxLength: 15,
      })
      .map((changes) => {
        let at = START;
        return changes.map(([rule, tens], index): HealthSpan => {
          const from = at;
          at += tens * 10_000;
          const to = index === changes.length - 1 ? null : at;
          return {
            node,
            chain: 'alpha-1',
            component: 'DA',
            rule,
            state: rule === 'healthy' ? 'HEALTHY' : 'CRITICAL',
            reason: rule,
            from,
            to,
            position: BigInt(index),
          };
        });
      }),
  ),
);

describe('a replay', () => {
  it('sends what a check every ten seconds would have sent, at the same moments', () => {
    fc.assert(
      fc.property(lines, (nodes) => {
        const spans = nodes.flat();
        const end = Math.max(...spans.map(({ from }) => from)) + 2 * QUIET_MS;
        const ledger = new AlertLedger();
        const told: string[] = [];
        for (let at = START; at <= end; at += 10_000) {
          const seen = spans
            .filter(({ from }) => from <= at)
            .map((span) => ({ ...span, to: span.to !== null && span.to <= at ? span.to : null }));
          const { raised, resolved } = decideAlerts(facts(seen), ledger.open, at);
          for (const body of resolved) {
            told.push(`${at} ${body.alert} until ${body.until}`);
            ledger.take({ type: 'AlertResolved', at, body: { ...body, destinations: [] } });
          }
          for (const alert of raised) {
            told.push(`${at} ${alert.id} raised`);
            ledger.take({ type: 'AlertRaised', at, body: { alert, destinations: [] } });
          }
        }
        const replayed = replayAlerts(facts(spans), START, end).map(
          ({ at, alert, until }) => `${at} ${alert.id} ${until === null ? 'raised' : `until ${until}`}`,
        );
        expect(replayed).toEqual(told);
      }),
      tries(60),
    );
  });

  it('reports everything that a node has for long enough, and ends each alert by its own nodes', () => {
    fc.assert(
      fc.property(lines, (nodes) => {
        const failing = nodes.flat().filter(({ rule }) => rule === 'failing');
        const end = Math.max(...nodes.flat().map(({ from }) => from)) + 2 * QUIET_MS;
        const told = replayAlerts(facts(nodes.flat()), START, end).filter(
          ({ alert }) => alert.rule === 'da-failing',
        );
        const ends = new Map(told.flatMap(({ alert, until }) => (until === null ? [] : [[alert.id, until]])));
        for (const { node, from, to } of failing.filter((one) => (one.to ?? end) - one.from >= 60_000)) {
          const ofIt = told.filter(({ alert, at, status }) => {
            const isInTime = at <= from + 60_000 && (ends.get(alert.id) ?? end) >= (to ?? end);
            return status === 'RAISED' && alert.nodes.includes(node) && isInTime;
          });
          expect(ofIt).toHaveLength(1);
        }
        for (const { alert, until } of told.filter(({ status }) => status === 'RESOLVED'))
          expect(failing.filter(({ node }) => alert.nodes.includes(node)).map(({ to }) => to)).toContain(
            until,
          );
      }),
      tries(60),
    );
  });

  describe('of several nodes of a chain', () => {
    const MINUTE = 60_000;
    /** Takes outages of nodes, in minutes, and returns their messages, in minutes. */
    const told = (...outages: (readonly [node: string, from: number, to: number])[]): string[] => {
      const health = outages.map(([node, from, to], index): HealthSpan => ({
        node,
        chain: 'a',
        component: 'NODE',
        rule: 'unreachable',
        state: 'CRITICAL',
        reason: '',
        from: START + from * MINUTE,
        to: START + to * MINUTE,
        position: BigInt(index),
      }));
      const minute = (at: number): number => (at - START) / MINUTE;
      return replayAlerts(facts(health), START, START + 360 * MINUTE).map(({ at, status, alert, until }) =>
        [minute(at), status, alert.nodes.join(), ...(until === null ? [] : [minute(until)])].join(' '),
      );
    };

    it('reports a second outage separately, and ends each by its own nodes', () => {
      expect(told(['a1', 0, 3], ['a1', 3.5, 5], ['a2', 4.75, 20])).toEqual([
        '2 RAISED a1',
        '6.75 RAISED a2',
        '10 RESOLVED a1 5',
        '25 RESOLVED a2 20',
      ]);
    });

    it('sends one message for all nodes that fail before it is sent, and one for those that fail later', () => {
      const falling = (step: number) =>
        Array.from({ length: 10 }, (_, i) => [`n${i}`, i * step, 30] as const);
      const names = (from: number, to: number) =>
        falling(1)
          .slice(from, to)
          .map(([node]) => node)
          .join();
      expect(told(...falling(0.2))).toEqual([`2 RAISED ${names(0, 10)}`, `35 RESOLVED ${names(0, 10)} 30`]);
      expect(told(...falling(0.4)).filter((line) => line.includes('RAISED'))).toEqual([
        `2 RAISED ${names(0, 6)}`,
        `4.4 RAISED ${names(6, 10)}`,
      ]);
    });

    it('sends one message for two nodes that flap alternately for an hour, and one for the end', () => {
      const flaps = Array.from(
        { length: 60 },
        (_, at) => [at % 2 === 0 ? 'a1' : 'a2', at, at + 1.6] as const,
      );
      expect(told(...flaps)).toEqual(['2.4 RAISED a1,a2', '65.6 RESOLVED a1,a2 60.6']);
    });
  });

  it('keeps chains apart, and reports them in the order of time', () => {
    const of = (chain: string, from: number): HealthSpan => ({
      node: `node of ${chain}`,
      chain,
      component: 'NODE',
      rule: 'unreachable',
      state: 'CRITICAL',
      reason: '',
      from: START + from,
      to: START + from + 200_000,
      position: 1n,
    });
    const notices = replayAlerts(facts([of('b', 0), of('a', 5_000)]), START, START + 3_600_000);
    expect(notices.map(({ at, alert, until }) => [at - START, alert.chain, until === null])).toEqual([
      [120_000, 'b', true],
      [125_000, 'a', true],
      [500_000, 'b', false],
      [505_000, 'a', false],
    ]);
  });

  it('continues an alert of a node that moves to another chain, and reports other nodes there separately', () => {
    const of = (node: string, chain: string, from: number, to: number): HealthSpan => ({
      node,
      chain,
      component: 'NODE',
      rule: 'unreachable',
      state: 'CRITICAL',
      reason: '',
      from: START + from,
      to: START + to,
      position: 1n,
    });
    const health = [
      of('n1', 'c', 0, 200_000),
      of('n1', 'd', 210_000, 400_000),
      of('n2', 'e', 0, 400_000),
      of('n3', 'd', 250_000, 400_000),
    ];
    const notices = replayAlerts(facts(health), START, START + 3_600_000);
    expect(
      notices.map(({ at, alert: { chain, nodes }, status }) => [at - START, status, chain, nodes.join()]),
    ).toEqual([
      [120_000, 'RAISED', 'c', 'n1'],
      [120_000, 'RAISED', 'e', 'n2'],
      [370_000, 'RAISED', 'd', 'n3'],
      [700_000, 'RESOLVED', 'c', 'n1'],
      [700_000, 'RESOLVED', 'e', 'n2'],
      [700_000, 'RESOLVED', 'd', 'n3'],
    ]);
  });

  it('reports after a silence what still lasts then, and no end if a rule reports none', () => {
    const spans: HealthSpan[] = [
      {
        node: 'n1',
        chain: 'a',
        component: 'DA',
        rule: 'failing',
        state: 'CRITICAL',
        reason: '',
        from: START,
        to: START + 3_000_000,
        position: 1n,
      },
    ];
    const mutes = [{ scope: {}, when: { from: START, until: START + 1_234_000 } }];
    const told = (more: Partial<AlertFacts>) =>
      replayAlerts(facts(spans, more), START, START + 9e6).map(({ at, status }) => `${status} ${at - START}`);
    expect(told({ mutes })).toEqual(['RAISED 1234000', 'RESOLVED 3300000']);
    expect(told({ rules: ALERT_RULES.map((rule) => ({ ...rule, tellsEnd: false })) })).toEqual([
      'RAISED 60000',
    ]);
  });

  it('reports at the end of a weekly maintenance what still lasts, wherever in a week it begins', () => {
    const [HOUR, WEEK] = [3_600_000, 7 * 24 * 3_600_000];
    // Sundays from 23:00 on, for five and a half days: over midnights and the end of a week.
    const mutes = [{ scope: {}, when: { weeklyAt: (6 * 24 + 23) * HOUR, forMs: 132 * HOUR } }];
    const monday = Date.UTC(2027, 0, 4);
    const end = monday + (132 - 1) * HOUR;
    for (let day = 0; day < 7; day += 1) {
      const from = end - WEEK + HOUR + day * 24 * HOUR;
      const span = {
        node: 'n1',
        chain: 'a',
        component: 'DA',
        rule: 'failing',
        state: 'CRITICAL',
        reason: '',
      } as const;
      const health = [{ ...span, from: monday, to: null, position: 1n }];
      const told = replayAlerts(facts(health, { mutes }), from, end + HOUR);
      expect(told.map(({ at }) => at)).toEqual([end]);
    }
  });

  describe('of sampled conditions', () => {
    const MINUTE = 60_000;
    const rules = ALERT_RULES.map((rule) =>
      rule.name === 'many-failures' ? { ...rule, forMs: 150_000 } : rule,
    );
    const holds: Finding = { node: 'n1', chain: 'a', holds: true, reason: 'it fails' };
    /** The messages, in minutes, if a sample each minute finds the trouble in some minutes. */
    const told = (isFound: (minute: number) => boolean, more: { from?: number; start?: number } = {}) => {
      const { from = 0, start = 0 } = more;
      const time = { start: START + start * MINUTE, from: START + from * MINUTE, to: START + 60 * MINUTE };
      const replay = new AlertReplay({ ...facts([], { rules }), watchedAt, moves: [], ...time });
      for (let minute = start; minute <= 60; minute += 1)
        replay.look(START + minute * MINUTE, new Map([['many-failures', isFound(minute) ? [holds] : []]]));
      const { messages, before } = replay.end();
      const line = ({ at, status, until }: Message): string =>
        `${status} ${(at - START) / MINUTE}${until === null ? '' : ` until ${(until - START) / MINUTE}`}`;
      return { messages: messages.map(line), before: before.map(line) };
    };

    it('reports a condition when it has lasted for its time, and ends it when it was last seen', () => {
      expect(told((minute) => minute >= 10 && minute < 20).messages).toEqual([
        'RAISED 13',
        'RESOLVED 24 until 19',
      ]);
      // The tenth to the twelfth minute is shorter than the rule waits.
      expect(told((minute) => minute >= 10 && minute <= 12).messages).toEqual([]);
    });

    it('lists alerts that were raised before the requested time, and reports their end', () => {
      const early = told((minute) => minute < 20, { start: -9, from: 0 });
      expect(early).toEqual({ messages: ['RESOLVED 24 until 19'], before: ['RAISED -6'] });
      expect(told((minute) => minute < -7, { start: -15, from: 0 })).toEqual({ messages: [], before: [] });
    });
  });
});
