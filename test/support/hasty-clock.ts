import { SystemClock } from '../../src/platform/clock.js';

/** The computer's clock for what waits in vain: nothing sleeps longer than a moment, so that what never answers is given up soon. */
export class HastyClock extends SystemClock {
  constructor(private readonly longestMs = 50) {
    super();
  }

  override sleep(...[ms, ...given]: Parameters<SystemClock['sleep']>): Promise<void> {
    return super.sleep(Math.min(ms, this.longestMs), ...given);
  }
}
