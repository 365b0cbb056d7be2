import { canonicalJson } from '../exact-json.js';
import { findRowTime, type RowTime } from './submission-row.js';

/** Position of a fetched window relative to known rows: `fetched[j]` is the same row as `known[j + offset]`. */
export interface Alignment {
  readonly offset: number;
  /** Number of rows that were compared and are the same. */
  readonly compared: number;
  /** Whether the compared rows read differently in reverse: they would not fit in the wrong direction. */
  readonly showsDirection: boolean;
  /** Rows at the position of a known row, with its time, that differ in something else. */
  readonly altered: readonly AlteredPlace[];
}

/** Position in both lists of a row that the node now shows differently. */
export interface AlteredPlace {
  readonly knownIndex: number;
  readonly fetchedIndex: number;
}

/** Shared anchors that cannot all be the same rows, or a different row between them. */
export type Conflict = { readonly conflict: string };

/** From this many fresh rows on, looking up each one costs less than comparing it with every known row. */
const MANY_FRESH = 20;
/** Encodes two adjacent rows as one number; a window has far fewer than 2^20 different rows. */
const PAIR = 2 ** 20;

/**
 * Two lists of rows, both oldest first, made comparable: equal texts become equal numbers.
 *
 * An anchor can be in both lists only if it is the same row: it occurs once in each list and has a time finer than a
 * second. Rows of one second, however, can be equal in every field. Their anchor is a step from a row to a next one with
 * another time, if the step occurs once in each list. Time passes each second once.
 */
export class ComparedRows {
  private readonly symbols = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly knownCounts: number[] = [];
  private readonly fetchedCounts: number[] = [];
  private readonly times: (RowTime | null | undefined)[] = [];
  private readonly knownRows: readonly number[];
  private readonly fetchedRows: readonly number[];
  private knownSteps: ReadonlyMap<number, number> | undefined;
  private fetchedSteps: ReadonlyMap<number, number> | undefined;

  constructor(
    private readonly known: readonly string[],
    private readonly fetched: readonly string[],
  ) {
    this.knownRows = known.map((text) => this.toSymbol(text, this.knownCounts));
    this.fetchedRows = fetched.map((text) => this.toSymbol(text, this.fetchedCounts));
  }

  /**
   * The only position that the shared anchors prove; undefined without shared anchors. Steps from second to second prove it
   * only if all shared rows are equal: two nodes may well write equal rows in the same seconds.
   */
  findByAnchors(): Alignment | Conflict | undefined {
    const offset = this.newestVote();
    if (offset === undefined) return undefined;
    // If all shared rows are equal, every anchor among them implies the same position: no need to check each.
    return this.isEqualAt(offset) ? this.alignmentAt(offset, []) : this.findByRows();
  }

  /**
   * The longest overlap of equal rows that ends where `known` ends, else a position within `known` that contains all
   * fetched rows. It proves nothing.
   *
   * @param reach rows in the ring when `known` was last seen; a window cannot go back further
   */
  findLongest(reach: number): Alignment | undefined {
    const { length } = this.fetched;
    for (let fresh = Math.max(0, length - reach); fresh < length; fresh += 1) {
      if (this.isEqualTo(this.known.length - length + fresh, length - 1 - fresh)) {
        return this.alignmentAt(this.known.length - length + fresh, []);
      }
    }
    const newestWithin = length > 0 ? this.known.length - length - 1 : -1;
    for (let offset = newestWithin; offset >= 0; offset -= 1) {
      if (this.isEqualTo(offset, length - 1)) return this.alignmentAt(offset, []);
    }
    return undefined;
  }

  sharesAnchor(): boolean {
    return this.newestVote() !== undefined;
  }

  private newestVote(): number | undefined {
    for (let index = this.fetchedRows.length - 1; index >= 0; index -= 1) {
      const vote = this.voteAt(index);
      if (vote !== undefined) return vote;
    }
    return undefined;
  }

  private findByRows(): Alignment | Conflict | undefined {
    let offset: number | undefined;
    for (let index = 0; index < this.fetchedRows.length; index += 1) {
      const vote = this.rowVoteAt(index);
      if (vote !== undefined && offset !== undefined && vote !== offset) {
        return { conflict: `rows have another order than before (moved by ${vote - offset})` };
      }
      offset ??= vote;
    }
    return offset === undefined ? undefined : this.compareAt(offset);
  }

  private compareAt(offset: number): Alignment | Conflict {
    const altered: AlteredPlace[] = [];
    for (let index = Math.max(0, -offset); this.isShared(index, offset); index += 1) {
      const known = this.known[index + offset] ?? '';
      const fetched = this.fetched[index] ?? '';
      if (known === fetched || canonicalJson(known) === canonicalJson(fetched)) continue;
      const time = this.timeOf(this.knownRows[index + offset] ?? 0);
      if (!time || this.timeOf(this.fetchedRows[index] ?? 0)?.ns !== time.ns) {
        return {
          conflict: `another row appears between rows that were there before (${index} from the oldest)`,
        };
      }
      altered.push({ knownIndex: index + offset, fetchedIndex: index });
    }
    return this.alignmentAt(offset, altered);
  }

  /** Like `isEqualAt`, but compares the row at `newest` first, which nearly always decides. */
  private isEqualTo(offset: number, newest: number): boolean {
    return this.fetchedRows[newest] === this.knownRows[newest + offset] && this.isEqualAt(offset);
  }

  private isEqualAt(offset: number): boolean {
    for (let index = Math.max(0, -offset); this.isShared(index, offset); index += 1) {
      if (this.fetchedRows[index] !== this.knownRows[index + offset]) return false;
    }
    return true;
  }

  /** The offset that an anchor at `index` of the fetched rows implies; undefined if there is no anchor. */
  private voteAt(index: number): number | undefined {
    const row = this.fetchedRows[index] ?? 0;
    return this.knownCounts[row] === undefined
      ? undefined
      : (this.rowVoteAt(index) ?? this.stepVoteAt(index));
  }

  private rowVoteAt(index: number): number | undefined {
    const row = this.fetchedRows[index] ?? 0;
    const standsOnce = this.knownCounts[row] === 1 && this.fetchedCounts[row] === 1;
    return standsOnce && this.timeOf(row)?.isFine ? this.knownRows.indexOf(row) - index : undefined;
  }

  private stepVoteAt(index: number): number | undefined {
    const row = this.fetchedRows[index] ?? 0;
    const next = this.fetchedRows[index + 1];
    if (next === undefined || this.knownCounts[next] === undefined || !this.isStep(row, next)) {
      return undefined;
    }
    this.knownSteps ??= findSteps(this.knownRows);
    this.fetchedSteps ??= findSteps(this.fetchedRows);
    const step = row * PAIR + next;
    const place = this.knownSteps.get(step) ?? -1;
    return place >= 0 && (this.fetchedSteps.get(step) ?? -1) >= 0 ? place - index : undefined;
  }

  private isStep(row: number, next: number): boolean {
    const time = row === next ? null : this.timeOf(row);
    const nextTime = time && this.timeOf(next);
    return Boolean(time && nextTime && time.ns !== nextTime.ns);
  }

  private timeOf(row: number): RowTime | null {
    const time = this.times[row] === undefined ? findRowTime(this.texts[row] ?? '') : this.times[row];
    this.times[row] = time;
    return time;
  }

  private isShared(index: number, offset: number): boolean {
    return index < this.fetchedRows.length && index + offset < this.knownRows.length;
  }

  private alignmentAt(offset: number, altered: readonly AlteredPlace[]): Alignment {
    const oldest = Math.max(0, -offset);
    const newest = Math.min(this.fetchedRows.length, this.knownRows.length - offset);
    const shared = this.fetchedRows.slice(oldest, Math.max(oldest, newest));
    return { offset, compared: shared.length, showsDirection: !isPalindrome(shared), altered };
  }

  private toSymbol(text: string, counts: number[]): number {
    let symbol = this.symbols.get(text);
    if (symbol === undefined) {
      symbol = this.texts.push(text) - 1;
      this.symbols.set(text, symbol);
    }
    counts[symbol] = (counts[symbol] ?? 0) + 1;
    return symbol;
  }
}

/**
 * The usual case, found without comparing every row: the newest known row is an anchor, all rows before it are equal, and
 * no row after it is known. Undefined proves nothing: then compare thoroughly.
 */
export function findPlainly(known: readonly string[], fetched: readonly string[]): Alignment | undefined {
  const last = known.at(-1) ?? '';
  const index = fetched.lastIndexOf(last);
  const standsOnce =
    index >= 0 && fetched.indexOf(last) === index && known.indexOf(last) === known.length - 1;
  if (!standsOnce || !findRowTime(last)?.isFine) return undefined;
  const compared = Math.min(index + 1, known.length);
  for (let back = 1; back < compared; back += 1) {
    if (fetched[index - back] !== known[known.length - 1 - back]) return undefined;
  }
  const fresh = fetched.slice(index + 1);
  const isKnown = fresh.length > MANY_FRESH || fresh.some((text) => known.includes(text));
  // The newest shared row occurs once, so the rows read differently in reverse as soon as there are two.
  const showsDirection = compared > 1;
  return isKnown ? undefined : { offset: known.length - 1 - index, compared, showsDirection, altered: [] };
}

function isPalindrome(rows: readonly number[]): boolean {
  return rows.every((row, index) => row === rows[rows.length - 1 - index]);
}

/** Position of each step from a row to the next; -1 for a step that occurs more than once. */
function findSteps(rows: readonly number[]): ReadonlyMap<number, number> {
  const steps = new Map<number, number>();
  for (let index = 0; index + 1 < rows.length; index += 1) {
    const step = (rows[index] ?? 0) * PAIR + (rows[index + 1] ?? 0);
    steps.set(step, steps.has(step) ? -1 : index);
  }
  return steps;
}
