import type { HeightSpan } from '../../../domain/evidence/inclusion-walk.js';
import type { LossFact, SourceState } from '../../../domain/events.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { Micros } from '../../../domain/time.js';
import type { RowsReport } from '../decisions/row.js';
import type { BlockFact } from './blocks.js';
import type { SubmissionRecord } from './submissions.js';

/** The parts of an event that decisions refer to. */
export interface Origin {
  readonly position: bigint;
  /** Time of the poll that the event reports, by the observer's clock. */
  readonly at: Micros;
  readonly nodeKey: number;
}

interface BlocksFact {
  readonly type: 'blocks';
  readonly lineageKey: number;
  readonly blocks: readonly BlockFact[];
}

/** Blocks that the node cannot give, now or ever. */
interface UnavailableFact extends HeightSpan {
  readonly type: 'unavailable';
  readonly lineageKey: number;
}

export type RecordFact =
  | BlocksFact
  | UnavailableFact
  | { readonly type: 'rows'; readonly rows: readonly SubmissionRecord[] }
  | { readonly type: 'loss'; readonly kind: LossKind; readonly loss: LossFact }
  /** The list was polled and showed nothing new. */
  | { readonly type: 'quiet' }
  | { readonly type: 'list'; readonly state: SourceState };

/** The consequences of an event for evidence and losses. */
export interface EventFacts extends Origin {
  /** The node's chain before the event. */
  readonly chainBefore: string | null;
  readonly told?: RowsReport | undefined;
  readonly fact?: RecordFact;
}
