import type { LossFact, SourceState } from '../../domain/events.js';
import type { SubmissionRecord } from './record-submissions.js';

/** A block of a fact: recorded now, or (without `recorded`) recorded before and shown with DA heights now. */
export interface BlockFact {
  readonly height: bigint;
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  readonly recorded?: {
    readonly timeNs: bigint;
    readonly hasData: boolean;
    readonly headerBytes: number | null;
    readonly dataBytes: number | null;
    /** It names no block before it. */
    readonly isChainStart: boolean;
  };
}

export interface BlocksFact {
  readonly type: 'blocks';
  readonly lineageKey: number;
  readonly blocks: readonly BlockFact[];
}

export type LossKind = 'OVERFLOW' | 'RESET' | 'AMBIGUOUS' | 'BEFORE_START';

/** What an event means for evidence and losses, in the order of the log. Times are Unix microseconds. */
export type RecordFact = { readonly position: bigint; readonly nodeKey: number; readonly at: bigint } & (
  | BlocksFact
  /** Blocks that cannot be had of the node, now or ever. */
  | { readonly type: 'gap'; readonly lineageKey: number; readonly from: bigint; readonly to: bigint }
  /** Rows that entered the list, which was seen at `at`. */
  | { readonly type: 'rows'; readonly rows: readonly SubmissionRecord[] }
  | { readonly type: 'loss'; readonly kind: LossKind; readonly loss: LossFact }
  /** The list was looked at and showed nothing new. */
  | { readonly type: 'quiet' }
  | { readonly type: 'list'; readonly state: SourceState }
  /** The node's clock minus the observer's, microseconds. */
  | { readonly type: 'clock'; readonly offset: bigint }
  | { readonly type: 'chain'; readonly chainId: string | null; readonly retired: boolean }
  /** The node's namespaces, by key; null: not told. */
  | {
      readonly type: 'described';
      readonly headerNamespace: number | null;
      readonly dataNamespace: number | null;
    }
  /** The node shows the blocks of another lineage than before (`from`), or of its first. */
  | { readonly type: 'joined'; readonly from: number | null; readonly to: number }
);
