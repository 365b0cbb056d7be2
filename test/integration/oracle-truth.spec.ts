import { decideLog, type Decided } from '../support/decided/decide-log.js';
import { holdAgainstTruth } from '../support/decided/hold-truth.js';
import { STORIES } from '../support/decided/stories.js';
import { randomStory } from '../support/random-log.js';
import { recordLog } from '../support/record-log.js';
import { seededRandom } from '../support/seeded-random.js';

const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 5) }, (_, index) => index + 1);

describe.each(Object.entries(STORIES))('a synthetic log %s', (_, make) => {
  it.each(SEEDS)('is decided as it really was, at its end and before (%d)', (seed) => {
    const random = seededRandom(seed);
    const { events, posts } = make(random);
    for (const end of [events.length, Math.floor(events.length * random())]) {
      const part = events.slice(0, end);
      expect({ end, faults: holdAgainstTruth(part, posts, decideLog(part)) }).toEqual({ end, faults: [] });
    }
  });
});

it('a submission that landed in an abandoned history is not reported as unreferenced', () => {
  const { events, posts } = randomStory(seededRandom(5036), 150);
  expect(holdAgainstTruth(events, posts, decideLog(events))).toEqual([]);
});

it('a decision is never open again', () => {
  const closed = new Set<string>();
  for (const seed of [1, 2, 3]) {
    const { events } = randomStory(seededRandom(seed), 150, { isStraight: true });
    events.forEach((_, index) => {
      for (const { kind, daHeight, outcome } of decideLog(events.slice(0, index + 1)).groups) {
        const name = `${seed} ${kind} ${daHeight}`;
        if (outcome !== 'NOT_YET') closed.add(name);
        else expect(closed).not.toContain(name);
      }
    });
  }
  expect(closed.size).toBeGreaterThan(3);
});

describe('the recording', () => {
  const count = ({ rows, groups }: Decided) => ({
    confirmed: rows.filter(({ evidence }) => evidence === 'CONFIRMED').length,
    unreferenced: rows.filter(({ evidence }) => evidence === 'UNREFERENCED').length,
    reconstructed: groups.filter(({ outcome }) => outcome === 'RECONSTRUCTED').length,
    undecided: groups.filter(({ outcome }) => outcome === 'UNDECIDED').length,
  });

  it('leaves nothing over if it is monitored from its start to its end', () => {
    const decided = decideLog(recordLog({ nodes: ['aggregator'], every: 3_000 }));
    expect(count(decided)).toEqual({ confirmed: 254, unreferenced: 0, reconstructed: 0, undecided: 0 });
  });

  it('restores what two unmonitored minutes have lost, and counts what was posted in them for that loss', () => {
    const cut = { from: 60_000, to: 180_000 };
    const decided = decideLog(recordLog({ nodes: ['aggregator', 'follower'], every: 3_000, cut }));
    expect(count(decided)).toEqual({ confirmed: 187, unreferenced: 0, reconstructed: 69, undecided: 0 });
    expect(decided.losses.map(({ min }) => Number(min))).toEqual([0, 67, 0, 0]);
  });

  it('counts nothing twice if rows have no DA heights', () => {
    const rewrite = ({ timestamp, num_blobs, status_code }: Readonly<Record<string, unknown>>) => ({
      timestamp,
      num_blobs,
      status: status_code,
    });
    // The oracle takes half a second for this part, and twenty for all of it.
    const part = process.env['RANDOM_LOGS'] === undefined ? { to: 140_000 } : {};
    const decided = decideLog(recordLog({ nodes: ['aggregator'], every: 3_000, rewrite, ...part }));
    expect(decided.groups.filter(({ outcome }) => outcome === 'UNDECIDED').length).toBeGreaterThan(159);
    expect(decided.groups.filter(({ isCounted }) => isCounted)).toEqual([]);
  });
});
