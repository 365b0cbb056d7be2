import { SystemClock } from '../../src/platform/clock.js';

/** The computer's clock for code that waits in vain: sleeps are short, so that callers soon give up on a missing answer. */
export class HastyClock extends SystemClock {
  constructor(private readonly longestMs = 50) {
    super();
  }

  override sleep(...[ms, ...given]: Parameters<SystemClock['sleep']>): Promise<void> {
    return super.sleep(Math.min(ms, this.longestMs), ...given);
  }
}
