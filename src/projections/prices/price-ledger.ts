import type { PriceSubject } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { MINUS_INFINITY_US } from '../../platform/rows/column-parsers.js';
import { RowVersions } from '../../platform/rows/row-versions.js';
import { PriceEntity } from '../../tables/prices.entities.js';
import type { Query } from '../projection.js';

/** A price of the book, known from `fromPosition` to `toPosition` of the log; a `toPosition` of null means that it is current. */
export interface PriceVersion extends Omit<PriceEntity, 'effectiveFrom'> {
  /** Null: from the beginning. */
  readonly effectiveFrom: Micros | null;
}

/** A period in which a chain's prices changed; a null bound means unbounded. */
export interface PriceChange {
  readonly chain: string;
  readonly fromAt: Micros | null;
  readonly toAt: Micros | null;
}

type PriceKey = Pick<PriceVersion, 'chain' | 'subject' | 'effectiveFrom'>;

/** All versions of the prices of some chains, to which events add new ones. */
export class PriceLedger {
  private readonly standing = new Map<string, PriceVersion>();
  /** Every version ever, in the order of their positions. */
  private readonly history: PriceVersion[];
  private readonly known: ReadonlySet<PriceVersion>;
  private readonly versions = new RowVersions(PriceEntity, ['chain', 'subject', 'effectiveFrom']);

  /** @param known all versions of the chains, in the order of their positions */
  constructor(known: readonly PriceVersion[]) {
    this.known = new Set(known);
    this.history = [...known];
    for (const version of known) {
      if (version.toPosition === null) this.standing.set(keyOf(version), version);
    }
  }

  /** Adds a version, which replaces the current version of its chain, subject and moment. */
  put(version: Omit<PriceVersion, 'toPosition'>): void {
    const key = keyOf(version);
    const before = this.standing.get(key);
    // A version that is replaced within the same event was never known.
    if (before?.fromPosition === version.fromPosition) this.history.splice(this.history.indexOf(before), 1);
    const added = { ...version, toPosition: null };
    this.standing.set(key, added);
    this.history.push(added);
    const effectiveFrom = version.effectiveFrom ?? MINUS_INFINITY_US;
    this.versions.put({ ...version, effectiveFrom }, version.fromPosition);
  }

  findStanding(moment: PriceKey): PriceVersion | undefined {
    return this.standing.get(keyOf(moment));
  }

  /** The latest version from a source, whether current or not; limited to one moment if `effectiveFrom` is given. */
  findLatest(
    { chain, subject, effectiveFrom }: Pick<PriceKey, 'chain' | 'subject'> & Partial<PriceKey>,
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

  /** The version in force at a time; null is the beginning. */
  findInForce(chain: string, subject: PriceSubject, us: Micros | null): PriceVersion | undefined {
    return this.getStanding(chain, subject).findLast(({ effectiveFrom }) => !isLater(effectiveFrom, us));
  }

  /** The current versions of a subject, in the order of their moments. */
  private getStanding(chain: string, subject: PriceSubject): PriceVersion[] {
    return [...this.standing.values()]
      .filter((version) => version.chain === chain && version.subject === subject)
      .toSorted((a, b) => (isLater(a.effectiveFrom, b.effectiveFrom) ? 1 : -1));
  }

  /** The periods in which the added versions are in force. */
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

function keyOf({ chain, subject, effectiveFrom }: PriceKey): string {
  return `${subject} ${effectiveFrom ?? 'always'} ${chain}`;
}

/** Whether a moment is later than another; null is the beginning. */
function isLater(one: Micros | null, other: Micros | null): boolean {
  return one !== null && (other === null || one > other);
}
