import { pino } from 'pino';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { scheduleJobs } from '../../src/platform/queues/queues.module.js';
import { HastyClock } from '../support/hasty-clock.js';
import { ManualClock } from '../support/manual-clock.js';
import { waitFor } from '../support/service-process.js';

describe('schedules of a queue that is unreachable', () => {
  it('are reported if the queue stays away, and not if it comes a moment later', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const clock = new ManualClock();
    // A port without a listener.
    const url = 'redis://127.0.0.1:9';
    const queue = new JobQueue(
      { backend: 'redis', url, prefix: 'test' },
      new HastyClock(),
      pino({ level: 'silent' }),
    );
    const loop = scheduleJobs(queue, new JobHandlers(), clock, logger);
    loop.start();
    const pauses: number[] = [];
    for (let failures = 0; failures < 4; failures += 1) {
      expect(lines).toEqual([]);
      await waitFor('it to be tried', () => (loop.view.state === 'asleep' && loop.view.last) || undefined);
      const pauseMs = (loop.view.nextAt ?? 0) - clock.now();
      pauses.push(pauseMs);
      if (failures < 3) await clock.advance(pauseMs);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(lines).toEqual([expect.stringContaining('the schedules cannot be stored in the queue')]);
    await loop.stop();
    await queue.close();
  });
});
