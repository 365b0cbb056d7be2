import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import type { HealthComponent } from './health-rule.js';

const PROBES = ['reachable', 'live', 'ready'] as const;

/** `from state rule` of each interval, in seconds of the story. */
function lineOf(story: HealthStory, component: HealthComponent): string[] {
  return foldHistory(story.events).intervals[component].map(
    ({ from, state, rule }) => `${(from - story.startMs) / 1000} ${state} ${rule}`,
  );
}

/** A node that answers, with blocks every two seconds up to a time. */
function up(blocksTo = 0): HealthStory {
  const story = new HealthStory().probe(1, 'reachable', 'OK').probe(1, 'live', 'OK', 200);
  for (let at = 2; at <= blocksTo; at += 2) story.blocks(at, at, 0);
  return story;
}

/** Nothing answers any more, as the observers record it. */
function dies(story: HealthStory, at: number): HealthStory {
  for (const probe of PROBES) story.probe(at, probe, 'REFUSED');
  return story;
}

function returns(story: HealthStory, at: number): HealthStory {
  return story.probe(at, 'reachable', 'OK').probe(at, 'live', 'OK', 200).probe(at, 'ready', 'OK', 200);
}

describe('a node that dies', () => {
  it('while its head does not move stays critical', () => {
    const story = dies(up(40).quiet('probes', 1, 66, 5).quiet('blocks', 40, 70, 2), 71).quiet(
      'probes',
      71,
      80,
    );
    expect(lineOf(story, 'NODE').slice(-2)).toEqual(['66 CRITICAL head-still', '71 CRITICAL unreachable']);
  });

  it('while it is not ready keeps its warning until that is worse', () => {
    const story = dies(up().probe(6, 'ready', 'FAILED', 503).quiet('probes', 6, 30), 31);
    expect(lineOf(story, 'NODE').at(-1)).toBe('6 WARNING not-ready');
    expect(lineOf(story.quiet('probes', 31, 33), 'NODE').at(-1)).toBe('32 WARNING look-failed');
    expect(lineOf(story.quiet('probes', 33, 38), 'NODE').at(-1)).toBe('35 CRITICAL unreachable');
  });

  it('while it reports that it is not live stays critical', () => {
    const story = dies(up().probe(6, 'live', 'FAILED', 503).quiet('probes', 6, 30), 31);
    expect(lineOf(story.quiet('probes', 31, 40), 'NODE').slice(-2)).toEqual([
      '6 CRITICAL not-live',
      '35 CRITICAL unreachable',
    ]);
  });

  it('while it reports that it is catching up is not reported as still catching up', () => {
    const story = up()
      .probe(5, 'status', 'OK', 200, { catchingUp: true })
      .blocks(6, 6, 0)
      .quiet('probes', 5, 32);
    dies(story, 33).quiet('probes', 33, 36);
    expect(lineOf(story, 'NODE').at(-1)).toBe('34 WARNING look-failed');
  });

  it('while Hindsight was away is not healthy when Hindsight comes back', () => {
    const story = dies(up(20).quiet('probes', 1, 20), 100);
    expect(lineOf(story, 'NODE').slice(-2)).toEqual(['50 UNKNOWN not-watched', '100 UNKNOWN not-reached']);
    expect(lineOf(story.quiet('probes', 100, 103), 'NODE').at(-1)).toBe('100 CRITICAL unreachable');
    expect(foldHistory(story.events).intervals.NODE.at(-1)?.reason).toMatch(/^Node unreachable for 1 min/);
  });

  it('makes its list unknown as soon as the node is out of reach, or 5 s after the last good poll', () => {
    const story = dies(up().quiet('probes', 1, 26, 5).well(0, 30), 31).source(32, 'UNREACHABLE');
    expect(lineOf(story.quiet('probes', 31, 34), 'DA').at(-1)).toBe('32 UNKNOWN unreachable');
    const alone = up().quiet('probes', 1, 26, 5).well(0, 30).source(32, 'UNREACHABLE');
    expect(lineOf(alone.quiet('submissions', 32, 36), 'DA').at(-1)).toBe('35 UNKNOWN unreachable');
  });

  it('changes no earlier verdict on its list', () => {
    const story = new HealthStory().source(1, 'NOT_AGGREGATOR').quiet('submissions', 1, 300, 2);
    story.source(302, 'UNREACHABLE').quiet('submissions', 302, 320);
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['1 UNKNOWN not-aggregator', '302 UNKNOWN unreachable']);
  });

  it('does not lose a warning of slow submissions by failed polls', () => {
    const story = up()
      .well(0, 30)
      .blocks(31, 32, 30)
      .rows(36, '.')
      .source(38, 'INVALID')
      .quiet('submissions', 38, 40);
    expect(lineOf(story.quiet('probes', 1, 60, 5), 'DA').slice(-2)).toEqual([
      '36 WARNING slow',
      '41 UNKNOWN invalid',
    ]);
  });
});

describe('a node that comes back', () => {
  it('with an unchanged head is not healthy meanwhile', () => {
    const story = dies(up(40).quiet('probes', 1, 66, 5).quiet('blocks', 40, 70, 2), 71).quiet(
      'probes',
      71,
      130,
    );
    returns(story, 131).quiet('blocks', 131, 139, 2);
    expect(lineOf(story, 'NODE').slice(-2)).toEqual(['71 CRITICAL unreachable', '131 CRITICAL head-still']);
    expect(lineOf(story.blocks(141, 41, 0), 'NODE').at(-1)).toBe('141 HEALTHY healthy');
  });

  it('with an unchanged list is still silent', () => {
    const story = up().well(0, 30).blocks(32, 32, 29).quiet('submissions', 30, 50);
    story.source(51, 'UNREACHABLE').source(52, 'AVAILABLE');
    expect(lineOf(story, 'DA').at(-1)).toBe('45 CRITICAL silent');
  });
});

describe('a lazy chain', () => {
  /** A block every 20 s, seen within 5 s, and submitted after 2 s. */
  function lazy(to: number): HealthStory {
    const story = up();
    for (let at = 0; at <= to; at += 20) {
      const height = at / 20 + 1;
      story
        .quiet('submissions', at - 17, at)
        .blocks(at + 1, height, height - 1)
        .rows(at + 2, '..');
      story.blocks(at + 6, height, height).quiet('blocks', at + 6, at + 17, 5);
    }
    return story;
  }

  it('is not slow while nothing waits, also before its pace is known', () => {
    expect(lineOf(lazy(400), 'DA').slice(2)).toEqual(['2 HEALTHY healthy']);
  });

  it('reports literally how long blocks waited', () => {
    const story = new HealthStory().probe(1, 'reachable', 'OK').well(0, 30).blocks(32, 32, 30).rows(37, '.');
    const slow = foldHistory(story.events).intervals.DA.at(-1);
    expect(slow).toMatchObject({
      rule: 'slow',
      reason: 'Submissions are slow: blocks waited 7 s for a success (warning after 3 s).',
      limit: { setting: 'slowAfter', limit: 3_000 },
    });
  });
});

describe('the setting of a verdict', () => {
  it.each([
    [1, 'failingAfter', 5_000],
    [4, 'failingUsualFactor', 12_000],
    [25, 'failingAtMost', 60_000],
    [40, 'failingAtMost', 60_000],
  ])('is the one that decided if %i s between successes is usual: %s', (seconds, setting, limit) => {
    const story = new HealthStory().probe(1, 'reachable', 'OK');
    for (let count = 1; count <= 12; count += 1)
      story.rows(count * seconds, '.').quiet('submissions', count * seconds, (count + 1) * seconds);
    for (let at = 13 * seconds; at <= 13 * seconds + 70; at += 1) story.rows(at, 'x');
    const failing = foldHistory(story.events).intervals.DA.find(({ rule }) => rule === 'failing');
    expect(failing?.limit).toEqual({ setting, limit });
    expect(failing?.reason).not.toMatch(/[a-z][A-Z]/);
  });
});

describe('a node that is taken out of the settings', () => {
  const failing = (): HealthStory =>
    up(40).rows(1, '.').rows(10, 'xxxxx').quiet('submissions', 10, 40).quiet('probes', 1, 40);

  it('is unknown from then on, in each of its lines, whatever trouble it had', () => {
    const story = failing().retire(45);
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['40 CRITICAL failing', '45 UNKNOWN retired']);
    expect(lineOf(story, 'NODE').at(-1)).toBe('45 UNKNOWN retired');
    expect(lineOf(story, 'COVERAGE')).toEqual([]);
    expect(foldHistory(story.events).intervals.DA.at(-1)?.reason).toMatch(
      /^No longer monitored: the node was removed from the settings/,
    );
  });

  it('is unknown since the last poll, if Hindsight was away until then', () => {
    const story = failing().retire(4_000);
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['40 CRITICAL failing', '70 UNKNOWN retired']);
    expect(lineOf(story, 'NODE').at(-1)).toBe('70 UNKNOWN retired');
  });

  it.each([60, 4_000])(
    'is judged by its present state when it is polled again, at %s s, not by its earlier state',
    (back) => {
      const story = failing().retire(45).register(back);
      expect(lineOf(story, 'DA').at(-1)).toBe('45 UNKNOWN retired');
      returns(story, back + 2).rows(back + 3, '.'.repeat(25));
      expect(lineOf(story, 'DA').slice(-2)).toEqual(['45 UNKNOWN retired', `${back + 3} HEALTHY healthy`]);
      expect(lineOf(story, 'NODE').slice(-2)).toEqual(['45 UNKNOWN retired', `${back + 2} HEALTHY healthy`]);
    },
  );

  it('ends its gaps in coverage as well, and is covered once it is back', () => {
    const story = up().rows(1, '.').rows(100, '.').retire(110);
    const missed = ['1 WARNING unwatched', '100 HEALTHY covered', '110 UNKNOWN retired'];
    expect(lineOf(story, 'COVERAGE')).toEqual(missed);
    expect(lineOf(story.register(500).rows(510, '.'), 'COVERAGE')).toEqual([
      ...missed,
      '500 HEALTHY covered',
    ]);
  });
});
