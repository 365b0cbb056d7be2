import { contradictedMs, type RuleInterval } from '../../src/domain/health/health-intervals.js';
import { printHistory } from './health-history.js';

/** The health found for the recorded aggregator. `startMs`: the observer's clock at the recording's start. */
export interface FoundHealth {
  readonly name: string;
  readonly startMs: number;
  readonly DA: readonly RuleInterval[];
  readonly NODE: readonly RuleInterval[];
}

/** Spans of the recording in which submissions go through, slowly or half of them. */
const WORKING = [
  [10, 60],
  [95, 124],
  [175, 194],
  [222, 239],
] as const;

/** Describes the required health of the recorded aggregator, whenever the polls happened. Seconds of the recording. */
export function describeRecordedHealth(getRuns: () => readonly FoundHealth[]): void {
  /** Checks every run and shows the history of the first run that fails. */
  function expectOfEach(component: 'DA' | 'NODE', holds: (history: History) => boolean | undefined): void {
    const runs = getRuns();
    expect(runs.length).toBeGreaterThan(0);
    const broken = runs.find((run) => !holds(askHistory(run.startMs, run[component])));
    expect(broken && `${broken.name}\n${printHistory(broken[component], broken.startMs)}`).toBeUndefined();
  }

  it('is critical within 10 s of the DA layer going away', () => {
    expectOfEach('DA', (history) => history.first(61, 71, 'CRITICAL', 'failing') <= 71);
  });

  it('is critical within 10 s of the sequence errors, while the node still claims healthy', () => {
    expectOfEach('DA', (history) => {
      const failing = history.overlapping(137, 147).find(({ rule }) => rule === 'failing');
      const isDifferent = failing?.claim === 'healthy' && contradictedMs(failing) > 2_000;
      return isDifferent && /account sequence|insufficient funds/.test(failing.reason);
    });
  });

  it('leaves critical within 5 s of the first success, and is healthy within 20 s', () => {
    for (const resumed of [88, 166]) {
      expectOfEach('DA', (history) => history.never(resumed + 5, resumed + 20, 'CRITICAL'));
      expectOfEach('DA', (history) => history.first(resumed, resumed + 20, 'HEALTHY') <= resumed + 20);
    }
  });

  it('is never critical while submissions go through, slowly or half of them', () => {
    for (const [from, to] of WORKING) {
      expectOfEach('DA', (history) => history.never(from, to, 'CRITICAL'));
    }
  });

  it('is critical for the node and unknown for the DA layer while the node is down', () => {
    expectOfEach('NODE', (history) => history.always(305, 435.6, 'CRITICAL'));
    expectOfEach('DA', (history) => history.always(305, 435.6, 'UNKNOWN'));
  });

  it('finds the frozen inclusion that the node does not notice, and reports it', () => {
    for (const [from, by, to] of [
      [253, 283, 298],
      [437, 470, 559],
    ] as const) {
      expectOfEach('DA', (history) => history.first(from, by, 'CRITICAL', 'frozen') <= by);
      expectOfEach('DA', (history) => history.always(by, to, 'CRITICAL'));
    }
    const [frozen] = getRuns()[0]?.DA.filter(({ rule }) => rule === 'frozen') ?? [];
    expect(frozen?.reason).toMatch(
      /^Finality is frozen: no block became final for \d+(\.\d)? s, although \d+ submissions succeeded; first waiting block: 476 /,
    );
  });

  it('records for how long the node claimed otherwise', () => {
    expectOfEach('DA', (history) => {
      const frozen = history.overlapping(0, 560).filter(({ rule }) => rule === 'frozen');
      const others = history.overlapping(0, 560).filter(({ state }) => state !== 'CRITICAL');
      const isProven = frozen.every((each) => each.claim === 'healthy' && contradictedMs(each) > 10_000);
      return frozen.length === 2 && isProven && others.every((each) => contradictedMs(each) === 0);
    });
  });

  it('joins all intervals without a gap, and is never healthy before a successful poll', () => {
    for (const component of ['DA', 'NODE'] as const) {
      expectOfEach(component, (history) => {
        const line = history.overlapping(-1, Infinity);
        const isJoined = line.every((each, index) => each.to === (line[index + 1]?.from ?? null));
        return isJoined && line.every(({ from, to }) => to === null || to > from);
      });
    }
    expectOfEach('DA', (history) => history.first(-1, Infinity, 'HEALTHY') > 1.158);
  });
}

type History = ReturnType<typeof askHistory>;

/** Queries on a history, in seconds of the recording. */
function askHistory(startMs: number, intervals: readonly RuleInterval[]) {
  const second = (ms: number) => (ms - startMs) / 1000;
  const overlapping = (from: number, to: number) =>
    intervals.filter((each) => second(each.from) < to && (each.to === null || second(each.to) > from));
  return {
    overlapping,
    /** The first moment in the span at which the state holds; infinity without such a moment. */
    first: (from: number, to: number, state: string, rule?: string) => {
      const found = overlapping(from, to).find(
        (each) => each.state === state && (rule === undefined || each.rule === rule),
      );
      return found ? Math.max(from, second(found.from)) : Infinity;
    },
    never: (from: number, to: number, state: string) =>
      overlapping(from, to).every((each) => each.state !== state),
    always: (from: number, to: number, state: string) =>
      overlapping(from, to).every((each) => each.state === state),
  };
}
