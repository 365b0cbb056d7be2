import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';

/** `from state rule` of each interval, in seconds of the story. */
function lineOf(story: HealthStory, component: 'DA' | 'NODE'): string[] {
  return foldHistory(story.events).intervals[component].map(
    ({ from, state, rule }) => `${(from - story.startMs) / 1000} ${state} ${rule}`,
  );
}

describe('an outage in which nothing was known to wait', () => {
  it('begins the age of the inclusion anew when submissions succeed again', () => {
    const story = new HealthStory().well(0, 30).rows(31, '.').rows(32, '.').rows(33, '.');
    for (let at = 34; at <= 90; at += 1) story.rows(at, 'x');
    story.quiet('blocks', 30, 90, 2);
    for (let at = 91; at <= 96; at += 1) story.rows(at, '.');
    expect(lineOf(story, 'DA').slice(-2)).toEqual(['38 CRITICAL failing', '91 WARNING failures']);
  });
});

describe('a node that tells which header it submitted last', () => {
  it('has nothing that waits when that is its head, although inclusion lags, and although it tells only once', () => {
    const story = new HealthStory().well(0, 30).progress(31, 30, 30).progress(32, 30, null);
    story.quiet('submissions', 30, 900).quiet('blocks', 32, 900, 5);
    expect(lineOf(story, 'DA').at(-1)).toBe('1 HEALTHY healthy');
  });

  it('is silent when it has blocks beyond that', () => {
    const story = new HealthStory().well(0, 30).progress(31, 31, 30);
    story.quiet('submissions', 30, 60);
    expect(lineOf(story, 'DA').at(-1)).toBe('45 CRITICAL silent');
  });
});

describe('a node that cannot be reached', () => {
  it('is so since the first failed look, in whatever ways it fails', () => {
    const story = new HealthStory().probe(1, 'reachable', 'REFUSED').probe(10, 'reachable', 'TIMEOUT');
    story.quiet('probes', 10, 20);
    expect(lineOf(story, 'NODE').at(-1)).toBe('1 CRITICAL unreachable');
  });
});

describe('a node that says that it is catching up', () => {
  const up = () =>
    new HealthStory().probe(1, 'reachable', 'OK', 200).probe(5, 'status', 'OK', 200, { catchingUp: true });
  const moving = (story: HealthStory, to: number) => {
    for (let at = 6; at <= to; at += 2) story.blocks(at, at, 0);
    return story.quiet('probes', 5, to, 5);
  };

  it('gets a warning after thirty seconds in which its head moves', () => {
    expect(lineOf(moving(up(), 60), 'NODE').at(-1)).toBe('35 WARNING catching-up');
  });

  it('gets none when it has caught up by then, or while its head has not moved since', () => {
    const caughtUp = up().probe(20, 'status', 'OK', 200, { catchingUp: false });
    expect(lineOf(moving(caughtUp, 60), 'NODE').at(-1)).toBe('1 HEALTHY healthy');
    const still = up().blocks(6, 6, 0);
    expect(lineOf(still.quiet('probes', 5, 14, 5), 'NODE').at(-1)).toBe('1 HEALTHY healthy');
  });
});
