import type { HeightRange } from '../../../domain/evidence/inclusion-walk.js';
import type { LossFact, SourceState } from '../../../domain/events.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { Micros } from '../../../domain/time.js';
import type { ToldOfRows } from '../decisions/row.js';
import type { BlockFact } from './blocks.js';
import type { SubmissionRecord } from './submissions.js';

/** An event, as far as decisions name it. */
export interface Origin {
  readonly position: bigint;
  /** Of the look that it tells of, observer's clock. */
  readonly at: Micros;
  readonly nodeKey: number;
}

interface BlocksFact {
  readonly type: 'blocks';
  readonly lineageKey: number;
  readonly blocks: readonly BlockFact[];
}

/** Blocks that cannot be had of the node, now or ever. */
interface GapFact extends HeightRange {
  readonly type: 'gap';
  readonly lineageKey: number;
}

/** What an event shows. */
export type RecordFact =
  | BlocksFact
  | GapFact
  /** Rows that entered the list. */
  | { readonly type: 'rows'; readonly rows: readonly SubmissionRecord[] }
  | { readonly type: 'loss'; readonly kind: LossKind; readonly loss: LossFact }
  /** The list was looked at and showed nothing new. */
  | { readonly type: 'quiet' }
  | { readonly type: 'list'; readonly state: SourceState };

/** What an event means for evidence and losses. */
export interface EventFacts extends Origin {
  /** The chain that its node was of before. */
  readonly chainBefore: string | null;
  readonly told?: ToldOfRows | undefined;
  readonly fact?: RecordFact;
}
