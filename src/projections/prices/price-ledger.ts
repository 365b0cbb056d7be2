import type { PriceSubject } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { MINUS_INFINITY_US } from '../../platform/rows/column-parsers.js';
import { RowVersions } from '../../platform/rows/row-versions.js';
import { PriceEntity } from '../../tables/prices/price.entity.js';
import type { Query } from '../projection.js';

/** A price of the book, known from one position of the log to another (null: it stands). */
export interface PriceVersion extends Omit<PriceEntity, 'effectiveFrom'> {
  /** Null: from the beginning. */
  readonly effectiveFrom: Micros | null;
}

/** A stretch of time in which a chain's prices changed; null: without bound. */
export interface PriceChange {
  readonly chain: string;
  readonly fromAt: Micros | null;
  readonly toAt: Micros | null;
}

type Moment = Pick<PriceVersion, 'chain' | 'subject' | 'effectiveFrom'>;

/** The versions of the prices of some chains, to which events add. */
export class PriceLedger {
  private readonly standing = new Map<string, PriceVersion>();
  /** Every version ever, in the order of positions. */
  private readonly history: PriceVersion[];
  private readonly known: ReadonlySet<PriceVersion>;
  private readonly versions = new RowVersions(PriceEntity, ['chain', 'subject', 'effectiveFrom']);

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
    // What comes and goes within one event was never known.
    if (before?.fromPosition === version.fromPosition) this.history.splice(this.history.indexOf(before), 1);
    const added = { ...version, toPosition: null };
    this.standing.set(key, added);
    this.history.push(added);
    const effectiveFrom = version.effectiveFrom ?? MINUS_INFINITY_US;
    this.versions.put({ ...version, effectiveFrom }, version.fromPosition);
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
  findInForce(chain: string, subject: PriceSubject, us: Micros | null): PriceVersion | undefined {
    return this.getStanding(chain, subject).findLast(({ effectiveFrom }) => !isLater(effectiveFrom, us));
  }

  /** The standing versions of a subject, in the order of their moments. */
  private getStanding(chain: string, subject: PriceSubject): PriceVersion[] {
    return [...this.standing.values()]
      .filter((version) => version.chain === chain && version.subject === subject)
      .toSorted((a, b) => (isLater(a.effectiveFrom, b.effectiveFrom) ? 1 : -1));
  }

  /** The times in which what was added holds. */
  get changes(): PriceChange[] {
    return [...this.standing.values()]
      .filter((version) => !this.known.has(version))
      .map(({ chain, subject, effectiveFrom }) => ({
        chain,
        fromAt: effectiveFrom,
        toAt: this.findNext(chain, subject, effectiveFrom)?.effectiveFrom ?? null,
      }));
  }

  write(query: Query): Promise<void> {
    return this.versions.write(query);
  }

  private findNext(chain: string, subject: PriceSubject, us: Micros | null): PriceVersion | undefined {
    return this.getStanding(chain, subject).find(({ effectiveFrom }) => isLater(effectiveFrom, us));
  }
}

function keyOf({ chain, subject, effectiveFrom }: Moment): string {
  return `${subject} ${effectiveFrom ?? 'always'} ${chain}`;
}

/** Whether a moment is later than another; null is the beginning. */
function isLater(one: Micros | null, other: Micros | null): boolean {
  return one !== null && (other === null || one > other);
}
