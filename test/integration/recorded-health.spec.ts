import { contradictedMs, type HealthInterval } from '../../src/domain/health-intervals.js';
import { foldHistory, printHistory } from '../support/health-history.js';
import { observeRecording } from '../support/observed-recording.js';
import { seededRandom } from '../support/seeded-random.js';

const RUNS = 40;

/** The health of the recorded node, as observers with random phases and jitter would have found it. */
const runs = Array.from({ length: RUNS }, (_, seed) => {
  const { startMs, events } = observeRecording(seededRandom(seed + 1));
  const { intervals } = foldHistory(events);
  return { seed: seed + 1, startMs, ...intervals };
});

type Run = (typeof runs)[number];

const second = (run: { startMs: number }, ms: number) => (ms - run.startMs) / 1000;

/** Checks every run and shows the history of the first one that does not hold. */
function expectOfEachRun(component: 'DA' | 'NODE', holds: (history: History) => boolean): void {
  const broken = runs.find((run) => !holds(askHistory(run, run[component])));
  const shown = broken && `seed ${broken.seed}\n${printHistory(broken[component], broken.startMs)}`;
  expect(shown).toBeUndefined();
}

/** Questions to a history, in seconds of the recording. */
type History = ReturnType<typeof askHistory>;

function askHistory(run: Run, intervals: readonly HealthInterval[]) {
  const overlapping = (from: number, to: number) =>
    intervals.filter(
      (each) => second(run, each.from) < to && (each.to === null || second(run, each.to) > from),
    );
  return {
    /** The first moment in the span at which the state holds; infinity when there is none. */
    first: (from: number, to: number, state: string, rule?: string) => {
      const found = overlapping(from, to).find(
        (each) => each.state === state && (rule === undefined || each.rule === rule),
      );
      return found ? Math.max(from, second(run, found.from)) : Infinity;
    },
    never: (from: number, to: number, state: string) =>
      overlapping(from, to).every((each) => each.state !== state),
    always: (from: number, to: number, state: string) =>
      overlapping(from, to).every((each) => each.state === state),
    overlapping,
  };
}

describe('the health of the recorded node', () => {
  it('is critical within 10 s of the DA layer going away, though the node calls it degraded', () => {
    expectOfEachRun('DA', (history) => history.first(61, 71, 'CRITICAL', 'failing') <= 71);
  });

  it('is critical within 10 s of the sequence errors, while the node still claims healthy', () => {
    expectOfEachRun('DA', (history) => {
      const [failing] = history.overlapping(137, 147).filter(({ rule }) => rule === 'failing');
      return failing?.claim === 'healthy' && /account sequence|insufficient funds/.test(failing.reason);
    });
  });

  it('leaves critical within 5 s of the first success, and is healthy within 20 s', () => {
    for (const resumed of [88, 166]) {
      expectOfEachRun('DA', (history) => history.never(resumed + 5, resumed + 20, 'CRITICAL'));
      expectOfEachRun('DA', (history) => history.first(resumed, resumed + 20, 'HEALTHY') <= resumed + 20);
    }
  });

  it('is never critical while submissions go through, slowly or half of them', () => {
    for (const [from, to] of [
      [10, 60],
      [95, 124],
      [175, 194],
      [222, 239],
    ] as const) {
      expectOfEachRun('DA', (history) => history.never(from, to, 'CRITICAL'));
    }
  });

  it('is critical for the node and unknown for the DA layer while the node is down', () => {
    expectOfEachRun('NODE', (history) => history.always(305, 435.6, 'CRITICAL'));
    expectOfEachRun('DA', (history) => history.always(305, 435.6, 'UNKNOWN'));
  });

  it('finds the frozen inclusion that the node does not see, and says so', () => {
    for (const [from, by, to] of [
      [253, 283, 298],
      [437, 470, 559],
    ] as const) {
      expectOfEachRun('DA', (history) => history.first(from, by, 'CRITICAL', 'frozen') <= by);
      expectOfEachRun('DA', (history) => history.always(by, to, 'CRITICAL'));
    }
    const [frozen] = runs[0]?.DA.filter(({ rule }) => rule === 'frozen') ?? [];
    expect(frozen?.reason).toMatch(
      /^Inclusion is frozen: no block was shown as included for 2\d(\.\d)? s, \d+ submissions succeeded since, and block 476 is the first that waits/,
    );
  });

  it('records for how long the node claimed the contrary', () => {
    for (const run of runs) {
      const frozen = run.DA.filter(({ rule }) => rule === 'frozen');
      expect(frozen.map(({ claim }) => claim)).toEqual(['healthy', 'healthy']);
      expect(contradictedMs(frozen[0] as HealthInterval)).toBeGreaterThan(10_000);
      expect(run.DA.every((each) => each.state === 'CRITICAL' || contradictedMs(each) === 0)).toBe(true);
    }
  });

  it('joins all intervals without a gap, and is never healthy before a look succeeded', () => {
    for (const run of runs) {
      for (const line of [run.DA, run.NODE]) {
        expect(line.slice(1).map(({ from }) => from)).toEqual(line.slice(0, -1).map(({ to }) => to));
        expect(line.every(({ from, to }) => to === null || to > from)).toBe(true);
        expect(line.at(-1)?.to).toBeNull();
      }
      expect(run.DA.find(({ state }) => state === 'HEALTHY')?.from).toBeGreaterThan(run.startMs + 1_158);
    }
  });
});
