import type { NewEvent } from '../domain/events.js';
import type { Logger } from '../platform/logger.js';
import type { ObservedNode } from './subject-observer.js';

/** The lines of one node: they name it, and its chain as soon as that is known. Holes in its list are among them. */
export class NodeLog {
  /** Not to be asked for a child, which would keep the chain that was known by then. */
  readonly logger: Logger;
  private chain: string | null = null;

  constructor(logger: Logger, { id: node, chain }: Pick<ObservedNode, 'id' | 'chain'>) {
    this.logger = logger.child({ node });
    this.nameChain(chain ?? null);
  }

  /** Of a node that turns to another chain a line names both, the present one last. */
  nameChain(chain: string | null): void {
    if (chain === null || chain === this.chain) return;
    this.chain = chain;
    this.logger.setBindings({ chain });
  }

  /** Events that are in the log. That nothing is known of the time before the first look is no news. */
  noteRecorded(events: readonly NewEvent[]): void {
    for (const event of events) {
      switch (event.type) {
        case 'SubmissionWindowLost':
        case 'SubmissionRingReset':
        case 'SubmissionOverlapAmbiguous': {
          const { after, minLost, maxLost, likelyLost } = event.body;
          const hole = { found: event.type, afterSequence: after, minLost, maxLost, likelyLost };
          this.logger.info(hole, 'a hole: rows of the list may never have been seen');
          break;
        }
        default:
      }
    }
  }
}
