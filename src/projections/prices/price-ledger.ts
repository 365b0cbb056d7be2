import type { PriceSubject, RecordedPrice } from '../../domain/events.js';

/** A price of the book, known from one position of the log to another (null: it stands). Times are Unix microseconds. */
export interface PriceVersion {
  readonly chain: string;
  readonly subject: PriceSubject;
  /** Null: from the beginning. */
  readonly effectiveFrom: bigint | null;
  readonly value: RecordedPrice['value'];
  readonly source: string;
  readonly recordedAt: bigint;
  readonly fromPosition: bigint;
  readonly toPosition: bigint | null;
}

/** A stretch of time in which a chain's prices changed; null: without bound. */
export interface PriceChange {
  readonly chain: string;
  readonly fromUs: bigint | null;
  readonly toUs: bigint | null;
}

type Moment = Pick<PriceVersion, 'chain' | 'subject' | 'effectiveFrom'>;

/** The versions of the prices of some chains, to which events add. */
export class PriceLedger {
  private readonly standing = new Map<string, PriceVersion>();
  /** Every version ever, in the order of positions. */
  private readonly history: PriceVersion[];
  private readonly closedKnown: PriceVersion[] = [];
  private readonly known: ReadonlySet<PriceVersion>;
  private made = new Set<PriceVersion>();

  /** @param known all versions of the chains, in the order of positions */
  constructor(known: readonly PriceVersion[]) {
    this.known = new Set(known);
    this.history = [...known];
    for (const version of known) {
      if (version.toPosition === null) this.standing.set(keyOf(version), version);
    }
  }

  /** Adds a version, which replaces the one of its chain, subject and moment. */
  put(version: Omit<PriceVersion, 'toPosition'>): void {
    const key = keyOf(version);
    const before = this.standing.get(key);
    if (before !== undefined) this.close(before, version.fromPosition);
    const added = { ...version, toPosition: null };
    this.standing.set(key, added);
    this.history.push(added);
    this.made.add(added);
  }

  private close(before: PriceVersion, position: bigint): void {
    const closed = { ...before, toPosition: position };
    if (this.known.has(before)) this.closedKnown.push(closed);
    this.made.delete(before);
    const place = this.history.indexOf(before);
    // What comes and goes within one event was never known.
    if (before.fromPosition === position) {
      this.history.splice(place, 1);
      return;
    }
    if (!this.known.has(before)) this.made.add(closed);
    this.history[place] = closed;
  }

  /** The version that stands for a moment. */
  findStanding(moment: Moment): PriceVersion | undefined {
    return this.standing.get(keyOf(moment));
  }

  /** The latest version from a source, whether it stands or not; of one moment only where one is given. */
  findLatest(
    { chain, subject, effectiveFrom }: Pick<Moment, 'chain' | 'subject'> & Partial<Moment>,
    source: string,
  ): PriceVersion | undefined {
    return this.history.findLast(
      (version) =>
        version.chain === chain &&
        version.subject === subject &&
        version.source === source &&
        (effectiveFrom === undefined || version.effectiveFrom === effectiveFrom),
    );
  }

  /** The version that holds at a time. */
  findInForce(chain: string, subject: PriceSubject, us: bigint | null): PriceVersion | undefined {
    return this.getStanding(chain, subject).findLast(({ effectiveFrom }) => !isLater(effectiveFrom, us));
  }

  /** The standing versions of a subject, in the order of their moments. */
  private getStanding(chain: string, subject: PriceSubject): PriceVersion[] {
    return [...this.standing.values()]
      .filter((version) => version.chain === chain && version.subject === subject)
      .toSorted((a, b) => (isLater(a.effectiveFrom, b.effectiveFrom) ? 1 : -1));
  }

  /** Versions that were known before and stand no longer. */
  get closed(): readonly PriceVersion[] {
    return this.closedKnown;
  }

  /** Versions that are new, of which some may stand no longer either. */
  get added(): readonly PriceVersion[] {
    return [...this.made];
  }

  /** The times in which what was added holds. */
  get changes(): PriceChange[] {
    return [...this.made]
      .filter((version) => version.toPosition === null)
      .map(({ chain, subject, effectiveFrom }) => ({
        chain,
        fromUs: effectiveFrom,
        toUs: this.findNext(chain, subject, effectiveFrom)?.effectiveFrom ?? null,
      }));
  }

  private findNext(chain: string, subject: PriceSubject, us: bigint | null): PriceVersion | undefined {
    return this.getStanding(chain, subject).find(({ effectiveFrom }) => isLater(effectiveFrom, us));
  }
}

function keyOf({ chain, subject, effectiveFrom }: Moment): string {
  return `${subject} ${effectiveFrom ?? 'always'} ${chain}`;
}

/** Whether a moment is later than another; null is the beginning. */
function isLater(one: bigint | null, other: bigint | null): boolean {
  return one !== null && (other === null || one > other);
}
