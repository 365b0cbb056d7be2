import fc from 'fast-check';
import { foldHistory } from '../../../test/support/health-history.js';
import { HealthStory } from '../../../test/support/health-story.js';
import { tries } from '../../../test/support/tries.js';
import type { RuleInterval } from './health-intervals.js';

const WELL_TO = 30;

/** The result of one poll of the list, or of the blocks. */
interface Poll {
  readonly wait: number;
  readonly rows: string;
  readonly hasBlocks: boolean;
}

/** A node whose submissions were slow once and have been fast since. */
function onceSlow(wellAgainTo: number): HealthStory {
  const story = new HealthStory().probe(1, 'reachable', 'OK').probe(1, 'live', 'OK', 200);
  story.well(0, WELL_TO).quiet('submissions', WELL_TO, 49).rows(50, '.');
  return story.well(50, wellAgainTo);
}

function lineOf(story: HealthStory): string[] {
  return foldHistory(story.events).intervals.DA.map(
    ({ from, rule }) => `${(from - story.startMs) / 1000} ${rule}`,
  );
}

describe('a node that was slow once', () => {
  it('has no trouble of its DA layer when it dies later', () => {
    const story = onceSlow(82);
    for (const probe of ['reachable', 'live', 'ready']) story.probe(83, probe, 'REFUSED');
    story.source(83, 'UNREACHABLE').quiet('submissions', 83, 300).quiet('probes', 83, 300);
    expect(lineOf(story).slice(-3)).toEqual(['50 slow', '56 healthy', '87 unreachable']);
  });

  it('is unknown from when the warning would have ended, if polls fail by then', () => {
    const story = onceSlow(54).source(55, 'UNREACHABLE').quiet('submissions', 55, 70);
    expect(lineOf(story).slice(-2)).toEqual(['50 slow', '56 unreachable']);
  });
});

describe('a failed poll', () => {
  const poll: fc.Arbitrary<Poll> = fc.record({
    wait: fc.integer({ min: 1, max: 24 }),
    rows: fc.string({ unit: fc.constantFrom('.', 'x'), maxLength: 4 }),
    hasBlocks: fc.boolean(),
  });
  const tail = fc.array(fc.record({ wait: fc.integer({ min: 1, max: 8 }), hasBlocks: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  });

  it('neither begins nor extends trouble of the DA layer', () => {
    fc.assert(
      fc.property(fc.array(poll, { maxLength: 30 }), tail, (before, after) => {
        const failing = trouble(tell(before, after, true));
        const answered = trouble(tell(before, after, false));
        for (const { from, to } of failing) {
          const isWithin = answered.some(
            (each) => each.from <= from && (each.to ?? Infinity) >= (to ?? Infinity),
          );
          expect([from, to, isWithin]).toEqual([from, to, true]);
        }
      }),
      tries(120),
    );
  });

  /** The same polls at the same times. The last of them failed, or they showed nothing new. */
  function tell(
    before: readonly Poll[],
    after: readonly Pick<Poll, 'wait' | 'hasBlocks'>[],
    isFailing: boolean,
  ): HealthStory {
    const story = new HealthStory().well(0, WELL_TO);
    let at = WELL_TO;
    for (const { wait, rows, hasBlocks } of before) {
      const from = at;
      at += wait / 4;
      if (rows === '') story.quiet('submissions', from, at, wait / 4);
      else story.rows(at, rows);
      if (hasBlocks) story.blocks(at, Math.ceil(at), WELL_TO);
    }
    for (const [index, { wait, hasBlocks }] of after.entries()) {
      const from = at;
      at += wait / 4;
      if (isFailing && index === 0) story.source(at, 'UNREACHABLE');
      else story.quiet('submissions', from, at, wait / 4);
      if (hasBlocks) story.blocks(at, Math.ceil(at), WELL_TO);
    }
    return story;
  }

  /** Unbroken stretches of trouble. */
  function trouble(story: HealthStory): Pick<RuleInterval, 'from' | 'to'>[] {
    const stretches: Pick<RuleInterval, 'from' | 'to'>[] = [];
    for (const { from, to, state } of foldHistory(story.events).intervals.DA) {
      if (state !== 'WARNING' && state !== 'CRITICAL') continue;
      const last = stretches.at(-1);
      if (last?.to === from) stretches[stretches.length - 1] = { from: last.from, to };
      else stretches.push({ from, to });
    }
    return stretches;
  }
});
