import fc from 'fast-check';
import { foldEach, foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import type { RecordedEvent } from '../events.js';
import { contradictedMs, type RuleInterval } from './health-intervals.js';
import { DA_RULES } from './health-da.js';
import type { HealthFold } from './health-fold.js';
import { NODE_RULES } from './health-node.js';
import { isOutOfReach } from './health-node-facts.js';
import type { HealthComponent, HealthState } from './health-rule.js';
import { isTroubled } from './trouble.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';
import { tries } from '../../../test/support/tries.js';

/** `from state rule` of each interval, in seconds of the story. */
function lineOf(story: HealthStory, component: 'DA' | 'NODE'): string[] {
  const { intervals } = foldHistory(story.events);
  return intervals[component].map(
    ({ from, state, rule }) => `${(from - story.startMs) / 1000} ${state} ${rule}`,
  );
}
const da = (story: HealthStory) => lineOf(story, 'DA').slice(1);
const node = (story: HealthStory) => lineOf(story, 'NODE').slice(1);

describe('the health of the DA component', () => {
  it('is unknown until the list was polled and something was attempted', () => {
    const story = new HealthStory().source(1, 'AVAILABLE').quiet('submissions', 1, 5).rows(6, '.');
    expect(lineOf(story, 'DA')).toEqual([
      '0 UNKNOWN not-watched',
      '1 UNKNOWN no-attempt',
      '6 HEALTHY healthy',
    ]);
  });

  it('is critical from the moment at which failures in a row have lasted too long, and says which', () => {
    const story = new HealthStory().well(0, 30).rows(31, 'x').rows(32, 'xx').rows(33, 'xxx').rows(36, 'x');
    expect(da(story).slice(-2)).toEqual(['32 WARNING failures', '35 CRITICAL failing']);
    const [last] = foldHistory(story.events).intervals.DA.slice(-1);
    expect(last?.reason).toBe(
      'No submission succeeded for 5 s: 7 attempts failed in a row (critical after 5 s; successes usually 1 s apart). ' +
        'Latest error: no route.',
    );
  });

  it('counts every failing status, and ends the state with the first success', () => {
    const story = new HealthStory().well(0, 30).rows(36, 'xxxxxx').rows(37, '.');
    expect(da(story).slice(-2)).toEqual(['36 CRITICAL failing', '37 WARNING failures']);
  });

  it('is critical when blocks wait and the DA layer does not answer at all, but only once polls have proven it', () => {
    const story = new HealthStory().well(0, 30).blocks(32, 32, 29);
    expect(da(story).at(-1)).toBe('1 HEALTHY healthy');
    story.quiet('submissions', 30, 47);
    expect(da(story).slice(-2)).toEqual(['33 WARNING slow', '45 CRITICAL silent']);
  });

  it('stays healthy while a lazy chain has nothing to submit', () => {
    const story = new HealthStory().well(0, 30).progress(31, 30, 30).blocks(32, 30, 30);
    story.quiet('submissions', 30, 900).quiet('blocks', 32, 900, 5);
    expect(da(story)).toEqual(['1 HEALTHY healthy']);
  });

  it('is critical for a frozen inclusion until it moves, and warns on the way', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 60; at += 1) story.rows(at, '.').blocks(at, at, 29);
    story.blocks(61, 61, 35);
    expect(da(story).slice(-3)).toEqual([
      '42 WARNING inclusion-late',
      '52 CRITICAL frozen',
      '61 HEALTHY healthy',
    ]);
  });

  it('does not treat the first success after a long outage as a frozen inclusion', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 90; at += 1) story.rows(at, 'x').blocks(at, at, 29);
    for (let at = 91; at <= 96; at += 1) story.rows(at, '.').blocks(at, at, 29);
    expect(da(story).slice(-2)).toEqual(['35 CRITICAL failing', '91 WARNING failures']);
  });

  it('warns after a restart that left inclusion frozen, until it is proven frozen again', () => {
    const story = new HealthStory().well(0, 30);
    for (let at = 31; at <= 60; at += 1) story.rows(at, '.').blocks(at, at, 29);
    story.reset(61).rows(62, '.').blocks(62, 62, 29);
    for (let at = 63; at <= 90; at += 1) story.rows(at, '.').blocks(at, at, 29);
    expect(da(story).slice(-4)).toEqual([
      '52 CRITICAL frozen',
      '61 UNKNOWN no-attempt',
      '62 WARNING inclusion-late',
      '83 CRITICAL frozen',
    ]);
  });

  it('is unknown from 5 s after the last good poll on, with the name of the obstacle', () => {
    for (const [state, rule] of [
      ['UNREACHABLE', 'unreachable'],
      ['DISABLED', 'disabled'],
      ['NOT_AGGREGATOR', 'not-aggregator'],
      ['NOT_SUPPORTED', 'not-supported'],
      ['INVALID', 'invalid'],
    ] as const) {
      const story = new HealthStory().well(0, 30).source(31, state, 'why').quiet('submissions', 31, 60);
      expect(da(story).at(-1)).toBe(`35 UNKNOWN ${rule}`);
      story.source(61, 'AVAILABLE').rows(61, '.');
      expect(da(story).at(-1)).toBe('61 HEALTHY healthy');
    }
  });

  it('forgives a single failed poll', () => {
    const story = new HealthStory()
      .well(0, 30)
      .source(31, 'UNREACHABLE')
      .source(32, 'AVAILABLE')
      .rows(33, '.');
    expect(da(story)).toEqual(['1 HEALTHY healthy']);
  });

  it('is unknown while Hindsight itself was away, and counts no age over that time', () => {
    const story = new HealthStory().well(0, 30).rows(31, 'xxxx').rows(600, 'x').rows(602, 'x');
    expect(da(story).slice(-2)).toEqual(['61 UNKNOWN not-watched', '600 WARNING failures']);
    story.rows(605, 'x');
    expect(da(story).at(-1)).toBe('604 CRITICAL failing');
  });

  it('is unknown while Hindsight was away, whatever was polled first when it was back', () => {
    const story = new HealthStory()
      .well(0, 30)
      .claim(30, 'healthy')
      .claim(600, 'healthy')
      .blocks(600, 40, 39);
    story.rows(601, '.');
    expect(da(story).slice(-2)).toEqual(['60 UNKNOWN not-watched', '601 HEALTHY healthy']);
    // Blocks were polled for a minute before the list, so that time was already reported.
    const late = new HealthStory()
      .well(0, 30)
      .claim(600, 'healthy')
      .quiet('blocks', 600, 660, 5)
      .rows(661, '.');
    expect(da(late).slice(-2)).toEqual(['660 UNKNOWN not-watched', '661 HEALTHY healthy']);
  });

  it('reports that a node which is no aggregator submits nothing', () => {
    const story = new HealthStory().describe(1, false).source(1, 'AVAILABLE');
    expect(da(story).at(-1)).toBe('1 UNKNOWN not-aggregator');
  });
});

describe('the claim of a node', () => {
  it('is recorded as a contradiction from our verdict to the poll that shows another claim', () => {
    const story = new HealthStory().claim(1, 'healthy').well(0, 30).rows(36, 'xxxxxx');
    story.quiet('claims', 1, 41, 5).rows(40, 'x').claim(46, 'degraded').rows(47, '.');
    const failing = foldHistory(story.events).intervals.DA.find(({ rule }) => rule === 'failing');
    expect(failing?.claim).toBe('healthy');
    expect(contradictedMs(failing as RuleInterval)).toBe(10_000);
  });

  it('is no contradiction when it follows our verdict within a poll', () => {
    const story = new HealthStory().claim(1, 'healthy').well(0, 30).rows(36, 'xxxxxx').claim(37, 'unhealthy');
    const [last] = foldHistory(story.events).intervals.DA.slice(-1);
    expect([last?.rule, last && contradictedMs(last)]).toEqual(['failing', 0]);
  });

  it('is unknown while it was not polled', () => {
    const story = new HealthStory().claim(1, 'healthy').well(0, 30).rows(36, 'xxxxxx');
    story.quiet('submissions', 36, 100).quiet('claims', 1, 41, 5).claim(96, 'healthy');
    const [last] = foldHistory(story.events).intervals.DA.slice(-1);
    expect(last?.contradicted.map((span) => span.map((ms) => (ms - story.startMs) / 1000))).toEqual([
      [36, 41],
    ]);
  });

  it('does not contradict a critical state by calling it degraded', () => {
    const story = new HealthStory().claim(1, 'degraded').well(0, 30).rows(36, 'xxxxxx');
    story.quiet('claims', 1, 61, 5);
    const [last] = foldHistory(story.events).intervals.DA.slice(-1);
    expect([last?.claim, last && contradictedMs(last)]).toEqual(['degraded', 0]);
  });
});

describe('the health of the NODE component', () => {
  const up = () => new HealthStory().probe(1, 'reachable', 'OK', 200).probe(1, 'live', 'OK', 200);
  const moving = () => {
    const story = up();
    for (let at = 2; at <= 40; at += 2) story.blocks(at, at, 0);
    return story;
  };

  it('is critical 5 s after the last poll that reached the node, once a second poll has failed', () => {
    const story = up().quiet('probes', 1, 16, 5).probe(21, 'reachable', 'REFUSED');
    expect(node(story)).toEqual(['1 HEALTHY healthy']);
    story.quiet('probes', 21, 26);
    expect(node(story)).toEqual(['1 HEALTHY healthy', '21 CRITICAL unreachable']);
    story.probe(30, 'reachable', 'OK', 200);
    expect(node(story).at(-1)).toBe('30 HEALTHY healthy');
  });

  it('forgives a single failed poll', () => {
    const story = up().probe(6, 'reachable', 'TIMEOUT').probe(7, 'reachable', 'OK', 200);
    expect(node(story.quiet('probes', 7, 30))).toEqual(['1 HEALTHY healthy']);
  });

  it('believes the node when it says that it is not alive, or not ready', () => {
    const story = up().probe(6, 'ready', 'FAILED', 503).probe(11, 'live', 'FAILED', 503);
    expect(node(story)).toEqual(['1 HEALTHY healthy', '6 WARNING not-ready', '11 CRITICAL not-live']);
  });

  it('makes no statement on a node in whose place a web page answers, and takes back nothing that it knew', () => {
    for (const probe of ['live', 'ready']) {
      const story = up().probe(6, probe, 'INVALID', 200).quiet('probes', 6, 30);
      expect(node(story)).toEqual(['1 HEALTHY healthy', '6 UNKNOWN invalid']);
      expect(node(story.probe(31, probe, 'OK', 200)).at(-1)).toBe('31 HEALTHY healthy');
    }
    const dead = up()
      .probe(6, 'live', 'FAILED', 503)
      .probe(11, 'live', 'INVALID', 200)
      .quiet('probes', 11, 30);
    expect(node(dead)).toEqual(['1 HEALTHY healthy', '6 CRITICAL not-live']);
  });

  it.each([401, 403, 407, 429])(
    'makes no statement on a node whose address refuses Hindsight by %i, however long',
    (status) => {
      const story = up();
      for (const probe of ['live', 'ready']) story.probe(6, probe, 'INVALID', status);
      story.probe(6, 'reachable', 'INVALID').quiet('probes', 6, 60);
      expect(node(story)).toEqual(['1 HEALTHY healthy', '6 UNKNOWN refused']);
      story.probe(61, 'reachable', 'OK').probe(61, 'live', 'OK', 200).probe(61, 'ready', 'OK', 200);
      expect(node(story).at(-1)).toBe('61 HEALTHY healthy');
    },
  );

  it('is out of reach if nothing is there any more, and well again as soon as it answers', () => {
    const story = up().probe(6, 'reachable', 'FAILED').probe(6, 'live', 'INVALID', 404);
    story.probe(6, 'ready', 'INVALID', 404).quiet('probes', 6, 20);
    expect(node(story).at(-1)).toMatch(/CRITICAL unreachable$/);
    expect(node(story.probe(21, 'reachable', 'OK')).at(-1)).toBe('21 HEALTHY healthy');
  });

  describe('behind something else that hides the node', () => {
    const hidden = (story = up()) =>
      story
        .probe(6, 'reachable', 'INVALID')
        .probe(6, 'live', 'INVALID', 404)
        .probe(6, 'ready', 'INVALID', 404);

    it('is unknown and never out of reach, however long', () => {
      expect(node(hidden().quiet('probes', 6, 60))).toEqual(['1 HEALTHY healthy', '6 UNKNOWN invalid']);
    });

    it('is unknown by the same rule if the node was hidden from the first poll on', () => {
      expect(node(hidden(new HealthStory()).quiet('probes', 6, 60)).at(-1)).toBe('6 UNKNOWN invalid');
    });

    it('is out of reach from when nothing answers any more, and stays so behind a page', () => {
      const story = hidden().quiet('probes', 6, 30).probe(31, 'reachable', 'REFUSED').quiet('probes', 31, 40);
      expect(node(story).slice(-2)).toEqual(['6 UNKNOWN invalid', '31 CRITICAL unreachable']);
      story.probe(41, 'reachable', 'INVALID').probe(41, 'live', 'INVALID', 404).quiet('probes', 41, 60);
      expect(node(story).at(-1)).toBe('31 CRITICAL unreachable');
      story.probe(61, 'reachable', 'OK').probe(61, 'live', 'OK', 200).probe(61, 'ready', 'OK', 200);
      expect(node(story).at(-1)).toBe('61 HEALTHY healthy');
    });

    it('is out of reach if a gateway says so, which changes nothing that the node said', () => {
      const story = up().probe(6, 'reachable', 'FAILED').probe(6, 'live', 'INVALID', 502);
      expect(node(story)).toEqual(['1 HEALTHY healthy']);
      expect(node(story.quiet('probes', 6, 20)).at(-1)).toMatch(/CRITICAL unreachable$/);
      expect(node(story.probe(21, 'reachable', 'OK')).at(-1)).toBe('21 HEALTHY healthy');
    });
  });

  it('is critical when the head does not move for many times its usual pace', () => {
    const story = moving();
    story.quiet('blocks', 40, 70, 2).blocks(72, 41, 0);
    expect(node(story)).toEqual([
      '1 HEALTHY healthy',
      '50 WARNING head-late',
      '60 CRITICAL head-still',
      '72 HEALTHY healthy',
    ]);
  });

  it('is unknown if the node answers and its blocks can no longer be read', () => {
    const story = moving();
    story.quiet('probes', 1, 219, 2);
    expect(node(story)).toEqual(['1 HEALTHY healthy']);
    story.quiet('probes', 219, 401, 2);
    expect(node(story)).toEqual(['1 HEALTHY healthy', '220 UNKNOWN blocks-not-seen']);
    expect(node(story.quiet('blocks', 401, 403, 2)).at(-1)).toBe('403 HEALTHY healthy');
    story.quiet('blocks', 403, 411, 2);
    expect(node(story.quiet('blocks', 411, 441, 2)).slice(-2)).toEqual([
      '413 WARNING head-late',
      '423 CRITICAL head-still',
    ]);
  });

  it('does not become healthy by a failed poll of unseen blocks, nor by another history of its chain', () => {
    const story = moving();
    story.quiet('probes', 1, 401, 5);
    for (let at = 405; at < 1_000; at += 170) {
      story.probe(at, 'reachable', 'REFUSED').probe(at + 1, 'reachable', 'OK', 200);
      story.quiet('probes', at + 1, at + 166, 5);
    }
    expect(node(story)).toEqual(['1 HEALTHY healthy', '220 UNKNOWN blocks-not-seen']);
    const turned = up().blocks(2, 40, 0);
    turned.turn(42).quiet('probes', 1, 401, 5);
    expect(node(turned)).toEqual([
      '1 HEALTHY healthy',
      '42 WARNING history-replaced',
      '222 UNKNOWN blocks-not-seen',
    ]);
  });

  it('waits for blocks for 90 s at least: polls of them are on record a minute later', () => {
    const story = up().blocks(2, 1, 0).quiet('probes', 1, 120, 1);
    const { NODE } = foldHistory(story.events, {
      ...DEFAULT_THRESHOLDS,
      notWatchedAfterMs: 10_000,
    }).intervals;
    expect(NODE.slice(1).map(({ from, rule }) => `${(from - story.startMs) / 1000} ${rule}`)).toEqual([
      '1 healthy',
      '92 blocks-not-seen',
    ]);
  });

  it('expects no blocks from a time in which the node was out of reach', () => {
    const story = up().blocks(2, 1, 0).probe(8, 'reachable', 'REFUSED').quiet('probes', 8, 298, 5);
    expect(node(story.probe(300, 'reachable', 'OK', 200).quiet('probes', 300, 340, 5)).slice(-2)).toEqual([
      '8 CRITICAL unreachable',
      '300 HEALTHY healthy',
    ]);
  });

  it('makes no statement on blocks that were never seen, nor on a time without polls', () => {
    expect(node(up().quiet('probes', 1, 901, 5))).toEqual(['1 HEALTHY healthy']);
    const away = up().blocks(2, 1, 0).quiet('probes', 1, 16, 5).quiet('probes', 600, 780, 5);
    expect(node(away).slice(1)).toEqual(['46 UNKNOWN not-watched', '605 HEALTHY healthy']);
    expect(node(away.quiet('probes', 780, 790, 5)).at(-1)).toBe('785 UNKNOWN blocks-not-seen');
  });

  it('is unknown while it was not polled', () => {
    const story = up().quiet('probes', 1, 16, 5).quiet('probes', 300, 310, 5);
    expect(node(story)).toEqual(['1 HEALTHY healthy', '46 UNKNOWN not-watched', '305 HEALTHY healthy']);
    for (const first of [599, 602]) {
      const back = up().quiet('probes', 1, 16, 5).rows(600, '.');
      back.quiet('probes', first - 5, first + 5, 5);
      expect(node(back).slice(-2)).toEqual([
        '46 UNKNOWN not-watched',
        `${Math.max(first, 600)} HEALTHY healthy`,
      ]);
    }
  });
});

/** The next steps that a synthetic story may take. */
const WHAT = 'rows quiet fail back reset blocks down up claim late follower unready dead syncing'.split(' ');

describe('every history', () => {
  const step = fc.record({
    seconds: fc.integer({ min: 0, max: 40 }),
    what: fc.constantFrom(...WHAT),
    rows: fc.string({ unit: fc.constantFrom('.', 'x'), minLength: 1, maxLength: 8 }),
    included: fc.integer({ min: 0, max: 60 }),
  });

  it('joins without a gap, knows its rules, and is never healthy without a good poll', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const story = tell(steps);
        const firstRows = story.events.find(({ type }) => type === 'SubmissionsObserved')?.observedAt;
        const { DA, NODE } = foldHistory(story.events).intervals;
        for (const line of [DA, NODE]) {
          expect(line.slice(1).map(({ from }) => from)).toEqual(line.slice(0, -1).map(({ to }) => to));
          expect(line.at(-1)?.to).toBeNull();
          expect(line.every(({ from, to }) => to === null || to > from)).toBe(true);
        }
        const rules = new Set([...DA_RULES, ...NODE_RULES].map(({ name }) => name));
        expect([...DA, ...NODE].every(({ rule }) => rules.has(rule))).toBe(true);
        const healthyFrom = DA.find(({ state }) => state === 'HEALTHY')?.from ?? Infinity;
        expect(healthyFrom).toBeGreaterThanOrEqual(Number((firstRows ?? 0n) / 1000n));
        const ends = story.events.map(({ observedAt }) => Number(observedAt / 1000n));
        expect(Math.max(...[...DA, ...NODE].map(({ from }) => from))).toBeLessThanOrEqual(Math.max(...ends));
      }),
      tries(100),
    );
  });

  it('never changes the verdict on the time before the node was last seen', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { events } = tell(steps, 30);
        const final = foldHistory(events).intervals;
        for (const { intervals, fold } of foldEach(events)) {
          for (const component of ['DA', 'NODE'] as const) {
            const told = upTo(fold.toldTo ?? 0, intervals[component]);
            expect(upTo(fold.toldTo ?? 0, final[component])).toBe(told);
          }
        }
      }),
      tries(100),
    );
  });

  it('is not healthy after a moment from which on there were no polls', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.array(step, { maxLength: 10 }), (before, after) => {
        // Deadlines lie further ahead for a chain whose pace is not known yet.
        const story = tell(before, 2);
        const looked = looksOf(story.events);
        tell(after, 0, { story, at: Math.max(...looked) / 1000 - story.startMs / 1000 + 300 });
        const back = looksOf(story.events).slice(looked.length);
        const away = { from: Math.max(...looked) + 30_000, to: Math.min(...back) };
        const { DA, NODE } = foldHistory(story.events).intervals;
        const begun = [...DA, ...NODE].filter(({ from }) => from > away.from && from < away.to);
        expect(begun.filter(({ state }) => state === 'HEALTHY')).toEqual([]);
      }),
      tries(300),
    );
  });

  it('never improves by a failed poll', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { events } = tell(steps, 30);
        let before = foldHistory([]);
        for (const [index, after] of foldEach(events).entries()) {
          const event = events[index] as RecordedEvent;
          for (const component of failedLooks(event, before.fold)) {
            const [was, is] = [before, after].map(({ intervals }) => intervals[component].at(-1));
            // The event may prove that polls before it were good.
            const isProvenBefore =
              event.type !== 'NodeWatched' && is && is.from < Number(event.observedAt / 1000n);
            expect([was, is, isProvenBefore || !isBetter(was?.state, is?.state)]).toContain(true);
          }
          before = after;
        }
      }),
      tries(100),
    );
  });

  it('comes out the same when the state is stored and read back after every event', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { events } = tell(steps);
        const whole = foldHistory(events);
        const stored = foldHistory(events, DEFAULT_THRESHOLDS, (fold) => JSON.parse(JSON.stringify(fold)));
        expect(stored).toEqual(whole);
      }),
      tries(60),
    );
  });

  /** The content of intervals before a moment, without the claims, which later polls may change. */
  function upTo(moment: number, intervals: readonly RuleInterval[]): string {
    const told = intervals
      .filter(({ from }) => from < moment)
      .map(({ from, to, state, rule, reason, limit }) => {
        const end = to === null ? moment : Math.min(to, moment);
        // The reason of trouble is written again when it is over: how long it lasted, and its causes.
        return { from, end, state, rule, reason: isTroubled(state) ? null : reason, limit };
      });
    return JSON.stringify(told, null, 1);
  }

  /** The first and the last time of the polls in each event. */
  function looksOf(events: readonly RecordedEvent[]): number[] {
    return events.flatMap(({ type, body }) => {
      if (!('looks' in body) || !body.looks) return [];
      const all = type === 'NodeWatched' ? Object.values(body.looks) : [body.looks];
      return all.flatMap(({ first, last }) => [first, last]);
    });
  }

  /** The components for which an event reports failed polls only. */
  function failedLooks({ type, body }: RecordedEvent, { da, node }: HealthFold): readonly HealthComponent[] {
    if (type === 'SubmissionSourceChanged') return body.state === 'AVAILABLE' ? [] : ['DA'];
    if (type === 'ProbeChanged')
      return body.statusCode === null && body.outcome !== 'OK' ? ['DA', 'NODE'] : [];
    if (type !== 'NodeWatched') return [];
    const { submissions, blocks, probes } = body.looks;
    if (blocks || (submissions && !da.failing) || (probes && !isOutOfReach(node))) return [];
    return submissions || probes ? ['DA', 'NODE'] : [];
  }

  function isBetter(before: HealthState | undefined, after: HealthState | undefined): boolean {
    const order = ['HEALTHY', 'WARNING', 'CRITICAL'];
    if (before === undefined || after === 'UNKNOWN') return false;
    return before === 'UNKNOWN' ? after === 'HEALTHY' : order.indexOf(after ?? '') < order.indexOf(before);
  }

  /** Polls in the order of time, some of them recorded late. */
  function tell(
    steps: readonly { seconds: number; what: string; rows: string; included: number }[],
    wellTo = 0,
    { story, at: from }: { story: HealthStory; at: number } = { story: new HealthStory(), at: wellTo },
  ) {
    if (wellTo > 0) story.probe(0, 'reachable', 'OK').probe(0, 'live', 'OK', 200).well(0, wellTo);
    let at = from;
    let lookedTo = from;
    let includedTo = from;
    for (const { seconds, what, rows, included } of steps) {
      at += seconds / 4;
      if (what === 'rows') story.rows(at, rows);
      else if (what === 'quiet') story.quiet('submissions', lookedTo, at).quiet('blocks', lookedTo, at, 2);
      else if (what === 'fail') story.source(at, 'UNREACHABLE');
      else if (what === 'back') story.source(at, 'AVAILABLE');
      else if (what === 'reset') story.reset(at);
      else if (what === 'blocks')
        story.blocks(at, Math.ceil(at), (includedTo = Math.min(at, includedTo + included)));
      else if (what === 'down')
        for (const probe of ['reachable', 'live', 'ready', 'status']) story.probe(at, probe, 'REFUSED');
      else if (what === 'up') story.probe(at, 'reachable', 'OK').probe(at, 'live', 'OK', 200);
      else if (what === 'unready') story.probe(at, 'reachable', 'OK').probe(at, 'ready', 'FAILED', 503);
      else if (what === 'dead') story.probe(at, 'reachable', 'OK').probe(at, 'live', 'FAILED', 503);
      else if (what === 'syncing') story.probe(at, 'status', 'OK', 200, { catchingUp: included > 30 });
      else if (what === 'follower') story.source(at, 'NOT_AGGREGATOR');
      else if (what === 'claim') story.claim(at, rows.length > 4 ? 'healthy' : 'unhealthy');
      else story.quiet('probes', lookedTo, at, 5).quiet('claims', lookedTo, at, 5);
      lookedTo = at;
    }
    return story;
  }
});
