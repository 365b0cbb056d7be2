import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import { AlertLedger } from './alert-ledger.js';
import { ALERT_RULES } from './alert-rules.js';
import { decideAlerts } from './decide-alerts.js';
import { AlertReplay } from './replay-alerts.js';
import { BREAK_MS, type HealthSpan } from './trouble-runs.js';

const START = 1_800_000_000_000;
const SECOND = 1_000;
const RULES = ALERT_RULES.filter(({ name }) => name === 'da-failing');
const FOR_MS = 60_000;

/** Times of trouble and of the calm after each, in seconds. */
type Story = readonly (readonly [trouble: number, calm: number])[];

const stories = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 90 }), fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(29))),
  { minLength: 1, maxLength: 20 },
);

function toSpans(story: Story): HealthSpan[] {
  let at = START;
  return story.map(([trouble, calm], index) => {
    const from = at;
    const to = from + trouble * SECOND;
    at = to + calm * SECOND;
    return {
      node: 'n1',
      chain: 'a',
      component: 'DA',
      rule: 'failing',
      state: 'CRITICAL',
      reason: `${index}`,
      from,
      to,
      position: BigInt(index),
    };
  });
}

/** The first report, found by counting the seconds of the story; undefined: never. */
function countSeconds(story: Story): { at: number; since: number } | undefined {
  let [at, held, since] = [START, 0, START];
  for (const [trouble, calm] of story) {
    if (held === 0) since = at;
    for (let second = 0; second < trouble; second += 1) {
      held += SECOND;
      at += SECOND;
      if (held === FOR_MS) return { at, since };
    }
    at += calm * SECOND;
    if (calm * SECOND >= BREAK_MS) held = 0;
  }
  return undefined;
}

function replay(health: readonly HealthSpan[], to: number): { at: number; since: number }[] {
  const watchedAt = (): string[] => ['n1'];
  const time = { start: START, from: START, to, watchedAt, moves: [], mutes: [] };
  const { messages } = new AlertReplay({ ...time, rules: RULES, health }).end();
  return messages.flatMap(({ at, status, alert: { since } }) => (status === 'RAISED' ? [{ at, since }] : []));
}

/** Decides as a worker does every ten seconds. */
function watch(health: readonly HealthSpan[], to: number): { at: number; since: number }[] {
  const ledger = new AlertLedger();
  const told: { at: number; since: number }[] = [];
  for (let at = START + 3_500; at <= to; at += 10_000) {
    const seen = health
      .filter(({ from }) => from <= at)
      .map((span) => ({ ...span, to: span.to !== null && span.to <= at ? span.to : null }));
    const facts = { rules: RULES, health: seen, sampled: [], mutes: [], watched: ['n1'] };
    const { raised, resolved } = decideAlerts(facts, ledger.open, at);
    for (const body of resolved)
      ledger.take({ type: 'AlertResolved', at, body: { ...body, destinations: [] } });
    for (const alert of raised) {
      told.push({ at, since: alert.since });
      ledger.take({ type: 'AlertRaised', at, body: { alert, destinations: [] } });
    }
  }
  return told;
}

const endOf = (spans: readonly HealthSpan[]): number => Math.max(...spans.map(({ to }) => to ?? 0)) + 900_000;

describe('the length of trouble', () => {
  it('counts trouble alone, across breaks of less than half a minute', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const spans = toSpans(story);
        expect(replay(spans, endOf(spans))[0]).toEqual(countSeconds(story));
      }),
      tries(200),
    );
  });

  it('is the same in a replay and for a worker that checks every ten seconds', () => {
    fc.assert(
      fc.property(stories, (story) => {
        const spans = toSpans(story);
        const [replayed, watched] = [replay(spans, endOf(spans)), watch(spans, endOf(spans))];
        expect(watched.map(({ since }) => since)).toEqual(replayed.map(({ since }) => since));
        for (const [index, { at }] of watched.entries()) {
          const lateMs = at - (replayed[index]?.at ?? 0);
          expect(lateMs).toBeGreaterThanOrEqual(0);
          expect(lateMs).toBeLessThan(10_000);
        }
      }),
      tries(200),
    );
  });

  const toldOf = (...story: [number, number][]): [number, number][] => {
    const spans = toSpans(story);
    return replay(spans, endOf(spans)).map(({ at, since }) => [
      (at - START) / SECOND,
      (since - START) / SECOND,
    ]);
  };

  it('does not include an outage five minutes before', () => {
    expect(toldOf([11, 240], [59, 240], [61, 0])).toEqual([[610, 550]]);
  });

  it('is reported for a DA layer that is well for half a second a minute', () => {
    expect(toldOf(...Array.from({ length: 10 }, (): [number, number] => [59.5, 0.5]))).toEqual([[60.5, 0]]);
  });

  it('includes no break, however many there are', () => {
    expect(toldOf(...Array.from({ length: 12 }, (): [number, number] => [6, 29]))).toEqual([[321, 0]]);
    expect(toldOf(...Array.from({ length: 12 }, (): [number, number] => [6, 30]))).toEqual([]);
  });

  it('includes simultaneous trouble of two components once', () => {
    const [own] = RULES;
    if (own === undefined) throw new Error('there is a rule');
    const rules = [{ ...own, condition: { kind: 'health', states: ['CRITICAL'] } as const }];
    const [span] = toSpans([[40, 0]]);
    if (span === undefined) throw new Error('there is a span');
    const told = (length: number): number => {
      const other = { ...span, component: 'NODE', to: START + length * SECOND } as const;
      const facts = { rules, health: [span, other], sampled: [], mutes: [], watched: ['n1'] };
      return decideAlerts(facts, [], START + 60_000).raised.length;
    };
    expect([told(40), told(59), told(60)]).toEqual([0, 0, 1]);
  });
});
