import type { LossFact, SourceState } from '../../../domain/events.js';
import type { LossKind } from '../../../domain/submissions/loss-explanation.js';
import type { Micros, Nanos } from '../../../domain/time.js';
import type { Renamed } from './chains.js';
import type { SubmissionRecord } from './submissions.js';

/** A block of a fact: recorded now, or (without `recorded`) recorded before and shown with DA heights now. */
export interface BlockFact {
  readonly height: bigint;
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  readonly recorded?: {
    readonly timeNs: Nanos;
    readonly hasData: boolean;
    readonly headerBlobBytes: number | null;
    readonly dataBlobBytes: number | null;
    /** It names no block before it. */
    readonly isChainStart: boolean;
  };
}

export interface BlocksFact {
  readonly type: 'blocks';
  readonly lineageKey: number;
  readonly blocks: readonly BlockFact[];
}

/** What an event means for evidence and losses, in the order of the log. */
export type RecordFact = { readonly position: bigint; readonly nodeKey: number; readonly at: Micros } & (
  | BlocksFact
  /** Blocks that cannot be had of the node, now or ever. */
  | { readonly type: 'gap'; readonly lineageKey: number; readonly from: bigint; readonly to: bigint }
  /** Rows that entered the list, which was seen at `at`. */
  | { readonly type: 'rows'; readonly rows: readonly SubmissionRecord[] }
  | { readonly type: 'loss'; readonly kind: LossKind; readonly loss: LossFact }
  /** The list was looked at and showed nothing new. */
  | { readonly type: 'quiet' }
  | { readonly type: 'list'; readonly state: SourceState }
  /** The chain that the node names, and whose rows without a lineage belong to it by that. */
  | {
      readonly type: 'chain';
      readonly chainId: string | null;
      readonly retired: boolean;
      readonly renamed: Renamed | undefined;
    }
  /** The node's namespaces, by key; null: not told. */
  | {
      readonly type: 'described';
      readonly headerNamespace: number | null;
      readonly dataNamespace: number | null;
    }
  /** The node shows the blocks of another lineage than before, or of its first; or it names the chain of its lineage again. */
  | { readonly type: 'joined'; readonly to: number }
);
