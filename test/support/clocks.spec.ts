import { getEventListeners } from 'node:events';
import { ManualClock } from './manual-clock.js';
import { VirtualClock } from './virtual-clock.js';

describe.each([
  ['ManualClock', () => new ManualClock(0)],
  ['VirtualClock', () => new VirtualClock(0)],
])('%s', (_, create) => {
  it('leaves no listener on a signal after a sleep, and wakes sleepers when it aborts', async () => {
    const clock = create();
    const stop = new AbortController();
    const sleeping = [clock.sleep(1, stop.signal), clock.sleep(10, stop.signal)] as const;
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(2);
    await clock.advance(1, 1);
    await sleeping[0];
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    await sleeping[1];
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});
