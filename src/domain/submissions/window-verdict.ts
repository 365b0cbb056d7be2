/** One answer of a node's submissions list. */
export interface FetchedWindow {
  /** Each row in the order sent, also rows that are not JSON, in compared form: see `comparedForm`. */
  readonly rows: readonly string[];
  /** False when the answer was cut off: by bytes, by time or by its syntax. */
  readonly complete: boolean;
  /** Whether the process that showed the list empty has lived since: see `provenBetween`. Absent: unknown. */
  readonly isSameProcess?: boolean;
  /** Rows that a list of such a node holds before it drops any; absent: unknown. */
  readonly ringHolds?: number;
}

/** A gap in the record: rows that were, or may have been, in the ring and that no poll saw. */
export interface WindowLoss {
  readonly kind: 'BEFORE_START' | 'RESET' | 'OVERFLOW' | 'AMBIGUOUS';
  /** Sequence of the last recorded row before the gap; 0 for none. */
  readonly after: number;
  /** Only what the list itself proves: blocks may prove more later. */
  readonly minLost: number;
  readonly maxLost: number | null;
}

/** An answer that was understood, and what to record of it. */
export interface WindowReading {
  /** Rows to record, the newest of the answer, oldest first. */
  readonly fresh: readonly string[];
  /** Rows that the window shares with the list as it was last seen. */
  readonly overlap: number;
  /** Whether nothing can be missing between the shared and the fresh rows. */
  readonly anchored: boolean;
  /** The list that the rows belong to, and how often the ring had been emptied; see `KnownWindow`. */
  readonly source: number;
  readonly ring: number;
  /** Known number of rows in the ring; null if only part of it was seen. */
  readonly length: number | null;
  readonly newestFirst: boolean;
  /** Whether something showed the direction, so that it is worth remembering. */
  readonly isDirectionShown: boolean;
  readonly ringSize: number;
  /** Recorded rows that the node now shows differently; `index` counts within the known rows of the list. */
  readonly altered: readonly { readonly index: number; readonly known: string; readonly fetched: string }[];
  readonly loss: WindowLoss | null;
}

/**
 * Meaning of a list's answer:
 * - `FIRST_CONTACT`: everything is fresh, earlier rows were never seen.
 * - `OBSERVED`: fresh rows follow the known ones without a gap.
 * - `UNCHANGED`: nothing new to record (`anchored: false`: and nothing proven, as recorded before).
 * - `AMBIGUOUS`: rows overlap only by being equal, which proves nothing.
 * - `SWITCHED`: the address answered with the list `source`, not with that of the previous poll (`from`).
 * - `RESET`: the ring was emptied, with `known` rows in it. If it was empty before, it may have been emptied, with rows
 *   that came since.
 * - `LOST`: a full ring shares nothing with the known rows.
 * - `STALE`: an old answer (`behind` rows behind the known ones, null if that is unclear): nothing to record.
 * - `CUT`: a part of an answer that reaches no anchor: it proves nothing.
 * - `INVALID`: anchors contradict each other: kept as evidence, nothing to record.
 */
export type Verdict =
  | ({ readonly kind: 'FIRST_CONTACT' | 'OBSERVED' | 'UNCHANGED' | 'AMBIGUOUS' | 'LOST' } & WindowReading)
  | ({ readonly kind: 'SWITCHED'; readonly from: number } & WindowReading)
  | ({ readonly kind: 'RESET'; readonly known: number } & WindowReading)
  | { readonly kind: 'STALE'; readonly source: number | null; readonly behind: number | null }
  | { readonly kind: 'CUT'; readonly rows: number }
  | { readonly kind: 'INVALID'; readonly detail: string };
