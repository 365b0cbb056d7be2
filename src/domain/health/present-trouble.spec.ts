import fc from 'fast-check';
import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import { tries } from '../../../test/support/tries.js';
import { NO_FAILURES, countFailure } from './failure-tally.js';
import { findPresentTrouble } from './present-trouble.js';

const words = (story: HealthStory, component: 'DA' | 'NODE', at: number): string | undefined =>
  findPresentTrouble(component, foldHistory(story.events).fold, null, story.startMs + at * 1_000)?.reason;

/** A node that answers up to second 30. */
function dead(until: number): HealthStory {
  const story = new HealthStory().probe(1, 'reachable', 'OK').well(1, 30).quiet('probes', 1, 30);
  story.probe(31, 'reachable', 'REFUSED', null, { detail: 'connection refused' });
  return until > 31 ? story.quiet('probes', 31, until) : story;
}

/** A node without funds from second 31 on, refused from second 91 on, and healthy from second 141 on. */
function changing(until: number): HealthStory {
  const story = new HealthStory().well(0, 30);
  for (let at = 31; at <= Math.min(until, 140); at += 1) story.rows(at, at <= 90 ? 'f' : 'r');
  for (let at = 141; at <= until; at += 1) story.rows(at, '.');
  return story;
}

const failing = (story: HealthStory) =>
  foldHistory(story.events)
    .intervals.DA.filter(({ rule }) => rule === 'failing')
    .map(({ from, to, reason }) => [
      (from - story.startMs) / 1_000,
      to && (to - story.startMs) / 1_000,
      reason,
    ]);

describe('the text of trouble', () => {
  it('is the present text while the trouble lasts', () => {
    for (const [at, length] of [
      [40, '10 s'],
      [150, '2 min'],
      [192, '2 min 42 s'],
    ] as const) {
      const said = `Node unreachable for ${length}: connection refused.`;
      expect(words(dead(at), 'NODE', at)).toBe(said);
      // The latest polls are on record within a minute.
      expect(words(dead(Math.max(at - 60, 36)), 'NODE', at)).toBe(said);
    }
  });

  it('excludes time in which Hindsight did not poll', () => {
    expect(words(dead(90), 'NODE', 3_600)).toBe('Node unreachable for 1 min: connection refused.');
  });

  it('has the present cause, count and duration, and a change of cause is in the history', () => {
    expect(words(changing(60), 'DA', 60)).toMatch(
      /^No submission succeeded for 30 s: 30 attempts failed in a row .*Latest error: insufficient funds\.$/,
    );
    expect(words(changing(120), 'DA', 120)).toMatch(
      /^No submission succeeded for 1 min 30 s: 90 attempts failed in a row .*Latest error: connection refused\.$/,
    );
    expect(failing(changing(120)).map(([from, to]) => [from, to])).toEqual([
      [35, 93],
      [93, null],
    ]);
  });

  it('has, for past trouble, the most frequent cause and the numbers at the end', () => {
    expect(failing(changing(150))).toEqual([
      [
        35,
        93,
        'No submission succeeded for 1 min 3 s: 63 attempts failed in a row. ' +
          'Most frequent cause (60 of 63 failures): insufficient funds. ' +
          'Latest cause: connection refused.',
      ],
      [
        93,
        141,
        'No submission succeeded for 1 min 51 s: 110 attempts failed in a row. ' +
          'Most frequent cause (60 of 110 failures): insufficient funds. ' +
          'Latest cause: connection refused.',
      ],
    ]);
    const story = dead(180);
    story.probe(181, 'reachable', 'OK');
    const over = foldHistory(story.events).intervals.NODE.find(({ rule }) => rule === 'unreachable');
    expect(over?.reason).toBe('Node unreachable for 2 min 31 s: connection refused.');
  });

  it('is absent for a component that is well, and for our own coverage', () => {
    expect(words(changing(150), 'NODE', 150)).toBeUndefined();
    const { fold } = foldHistory(changing(60).events);
    expect(findPresentTrouble('COVERAGE', fold, null, 0)).toBeUndefined();
  });
});

describe('failures by cause', () => {
  const CODES = ['OUT_OF_FUNDS', 'TIMED_OUT', 'UNKNOWN'] as const;

  it('are each counted once, from the first after a success and five minutes without failures', () => {
    const gaps = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(299_999, 300_000));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(gaps, fc.constantFrom(...CODES), fc.boolean()), { maxLength: 50 }),
        (failures) => {
          let [tally, at, first] = [NO_FAILURES, 0, 0];
          for (const [index, [gap, code, isRun]] of failures.entries()) {
            at += gap;
            if (gap >= 300_000 && !isRun) first = index;
            tally = countFailure(tally, { text: code, code }, at, isRun);
            const own = failures.slice(first, index + 1).map(([, each]) => each);
            for (const each of CODES)
              expect(tally.causes.find((cause) => cause.code === each)?.count ?? 0).toBe(
                own.filter((one) => one === each).length,
              );
            const lastThree = own.slice(-3);
            if (lastThree.length === 3 && new Set(lastThree).size === 1) expect(tally.now).toBe(code);
          }
        },
      ),
      tries(200),
    );
  });
});
