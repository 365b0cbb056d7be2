import type { FetchedWindow } from '../../src/domain/submissions/window-verdict.js';

/** A row of the model: its text as a node would send it, and its true place, which only the model knows. */
export interface ModelRow {
  readonly node: number;
  /** 1, 2, 3 … per node, in the order in which the rows entered its ring. */
  readonly truth: number;
  readonly text: string;
  /** The time of entry, in Unix milliseconds. */
  readonly atMs: number;
}

/** An answer as a node sends it, with the rows behind the texts. */
export interface ModelAnswer extends FetchedWindow {
  readonly sent: readonly ModelRow[];
}

/**
 * Kinds of equal rows.
 *
 * - `ZERO_TIME`: without a time but with the second of recording in the id, as the real node writes them.
 * - `TIMELESS`: with nothing that distinguishes them.
 * - `COPIES`: copies of the previous row, on a clock that shows whole seconds.
 * - `TWINS`: copies of the previous row in all fields, including a fine time.
 */
export type EqualRows = 'ZERO_TIME' | 'TIMELESS' | 'COPIES' | 'TWINS';

/** A node's ring of submissions, and the truth about it. */
export class ModelRing {
  /** The number of rows that ever entered. */
  truth = 0;
  /** All rows, including those that were pushed out or lost before any poll. */
  readonly entered: ModelRow[] = [];
  private rows: ModelRow[] = [];
  private readonly answers: (readonly ModelRow[])[] = [];

  constructor(
    private readonly node: number,
    readonly size: number,
    private readonly newestFirst: boolean,
    private readonly equal: { readonly share: number; readonly kind: EqualRows },
    private readonly random: () => number,
  ) {}

  /** Writes `count` rows between two moments, in Unix milliseconds. */
  write(count: number, fromMs: number, toMs: number): void {
    const rows = [...this.rows];
    for (let index = 0; index < count; index += 1) {
      this.truth += 1;
      const atMs = fromMs + ((toMs - fromMs) * (index + 1)) / (count + 1);
      const text =
        this.random() < this.equal.share ? this.equalText(atMs, rows.at(-1)?.text) : this.fineText(atMs);
      const row = { node: this.node, truth: this.truth, text, atMs };
      rows.push(row);
      this.entered.push(row);
    }
    this.rows = rows.slice(-this.size);
  }

  restart(): void {
    this.rows = [];
  }

  /** Answers with the present ring; only `keep` rows of the body arrive before the answer is cut off. */
  answer(keep?: number): ModelAnswer {
    this.answers.push(this.rows);
    return this.send(this.rows, keep);
  }

  /** Repeats the answer from `age` answers ago. */
  staleAnswer(age: number): ModelAnswer {
    return this.send(this.answers.at(-age) ?? this.rows);
  }

  private send(rows: readonly ModelRow[], keep?: number): ModelAnswer {
    const ordered = this.newestFirst ? rows.toReversed() : rows;
    const sent = keep === undefined ? ordered : ordered.slice(0, keep);
    return { sent, rows: sent.map((row) => row.text), complete: keep === undefined };
  }

  private fineText(atMs: number): string {
    const fraction =
      String(Math.floor(atMs % 1000)).padStart(3, '0') + String(this.truth % 1e6).padStart(6, '0');
    // Header and data rows sometimes end slightly out of order.
    const jitterMs = this.random() < 0.05 ? 40 : 0;
    const seconds = new Date(atMs - jitterMs).toISOString().slice(0, 19);
    const timestamp = this.equal.kind === 'COPIES' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
    return JSON.stringify({
      id: `submission_${this.truth}_${Math.floor(atMs / 1000)}`,
      height: this.truth,
      timestamp,
      status_code: 'Success',
      namespace: `n${this.node}`,
    });
  }

  private equalText(atMs: number, last: string | undefined): string {
    const isCopy = this.equal.kind === 'COPIES' || this.equal.kind === 'TWINS';
    if (isCopy && last !== undefined) {
      return last;
    }
    const row = { height: 0, timestamp: '0001-01-01T00:00:00Z', status_code: 'Error', message: 'too big' };
    const id = `submission_0_${Math.floor(atMs / 1000)}`;
    // Seconds distinguish rows within one ring only: two nodes that write the same in the same second differ in the namespace.
    return JSON.stringify(this.equal.kind === 'TIMELESS' ? row : { id, ...row, namespace: `n${this.node}` });
  }
}
