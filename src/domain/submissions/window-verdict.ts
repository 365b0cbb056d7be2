/** One answer of a node's submissions list. */
export interface FetchedWindow {
  /** Each row in the order sent, also rows that are no JSON, in the form in which rows are compared: see `comparedForm`. */
  readonly rows: readonly string[];
  /** False when the answer was cut off: by bytes, by time or by its syntax. */
  readonly complete: boolean;
  /** Whether the process that showed the list empty has lived since: see `provenBetween`. Left out: that is not known. */
  readonly isSameProcess?: boolean;
  /** Rows that a list of such a node holds before it drops any; left out: that is not known. */
  readonly ringHolds?: number;
}

/** A hole in the record: rows that were in the ring, or may have been, and that no look saw. */
export interface WindowLoss {
  readonly kind: 'BEFORE_START' | 'RESET' | 'OVERFLOW' | 'AMBIGUOUS';
  /** Sequence of the last recorded row before the hole; 0 for none. */
  readonly after: number;
  /** Only what the list itself proves, which is nothing: blocks may prove more later. */
  readonly minLost: number;
  readonly maxLost: number | null;
}

/** A window that was understood, and what to record of it. */
export interface WindowReading {
  /** Rows to record, the newest of the answer, oldest first. */
  readonly fresh: readonly string[];
  /** Rows that the window shares with what the list held when it was seen last. */
  readonly overlap: number;
  /** Whether nothing can be missing between those rows and the fresh ones. */
  readonly anchored: boolean;
  /** The list that the rows belong to, and how often the ring had been emptied; see `KnownWindow`. */
  readonly source: number;
  readonly ring: number;
  /** Rows that the ring is known to hold now; null where only part of it was seen. */
  readonly length: number | null;
  readonly newestFirst: boolean;
  /** Whether something showed the direction, so that it is worth remembering. */
  readonly isDirectionShown: boolean;
  readonly ringSize: number;
  /** Recorded rows that the node now shows otherwise; `index` counts within the known rows of the list. */
  readonly altered: readonly { readonly index: number; readonly known: string; readonly fetched: string }[];
  /** The hole in front of the fresh rows. */
  readonly loss: WindowLoss | null;
}

/**
 * What an answer of the list means:
 * - `FIRST_CONTACT`: everything is fresh, what came before was never seen.
 * - `OBSERVED`: fresh rows follow the known ones without a hole.
 * - `UNCHANGED`: nothing new to record (`anchored: false`: and nothing proven, as said before).
 * - `AMBIGUOUS`: rows overlap by being equal, which proves nothing.
 * - `SWITCHED`: the address answered with the list `source`, not with the one of the look before (`from`).
 * - `RESET`: the ring was emptied, with `known` rows in it. Where it was empty before, it may have been emptied, with
 *   rows that came since.
 * - `LOST`: a full ring shares nothing with what was known.
 * - `STALE`: an old answer (`behind` rows behind what is known, null where that is not clear): nothing to record.
 * - `CUT`: a part of an answer that reaches no anchor: it proves nothing.
 * - `INVALID`: anchors contradict each other: to be kept as evidence, nothing to record.
 */
export type Verdict =
  | ({ readonly kind: 'FIRST_CONTACT' | 'OBSERVED' | 'UNCHANGED' | 'AMBIGUOUS' | 'LOST' } & WindowReading)
  | ({ readonly kind: 'SWITCHED'; readonly from: number } & WindowReading)
  | ({ readonly kind: 'RESET'; readonly known: number } & WindowReading)
  | { readonly kind: 'STALE'; readonly source: number | null; readonly behind: number | null }
  | { readonly kind: 'CUT'; readonly rows: number }
  | { readonly kind: 'INVALID'; readonly detail: string };
