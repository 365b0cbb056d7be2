import type { NewEvent } from '../events.js';
import { carryPollsOnce } from './verdict-events.js';

describe('the events of one poll of the list', () => {
  it('carry the poll once, and all have the clock of the node', () => {
    const looks = { first: 1_000, last: 9_000, count: 5, longestGapMs: 2_000, nodeClock: 8_500 };
    const switched = {
      type: 'SubmissionRingSwitched',
      observedAt: 9_000,
      body: { looks, from: 0, to: 1 },
    } as const;
    const changed = {
      type: 'SubmissionSourceChanged',
      observedAt: 9_000,
      body: { state: 'AVAILABLE', detail: '' },
    } as const;
    const told: NewEvent[] = [switched, switched, changed];
    const again = { ...looks, first: 9_000, count: 0, longestGapMs: 0 };
    expect(carryPollsOnce(told)).toEqual([
      switched,
      { ...switched, body: { ...switched.body, looks: again } },
      changed,
    ]);
  });
});
