import { PriceBook } from '../../domain/cost/price-book.js';
import type { PriceEntry } from '../../domain/cost/price-entry.js';
import { bucketStart, nextBucket } from '../../domain/statistics/time-buckets.js';
import type { Micros } from '../../domain/time.js';
import type { Database, Query } from '../../platform/sql.js';
import type { CostTotal } from '../read/cost/cost-figures.js';
import { OWN_COST_NAMES } from '../read/measures.js';
import { readCostsWithTotal, type ReportRow } from '../read/report.reader.js';
import type { ReportRequest } from '../read/plan/report-request.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { ReadFault } from '../read/plan/read-fault.js';
import { getZones, zoneOf } from '../read/plan/scope.query.js';

/** The change of reported figures by new prices. The time is extended to whole buckets. */
export interface PriceEffect {
  readonly bucket: 'HOUR' | 'DAY';
  /** The chain's time zone, whose clocks name the buckets. */
  readonly zone: string;
  readonly before: CostTotal;
  /** Undefined, like `changes`, if so much is recorded that the comparison takes too long. */
  readonly after: CostTotal | undefined;
  /** Buckets whose figures change, the oldest first. */
  readonly changes: readonly BucketChange[] | undefined;
}

type OwnCost = ReportRow<(typeof OWN_COST_NAMES)[number]>;

/** A bucket as it is reported, and as it would be. */
interface BucketChange {
  readonly before: OwnCost;
  readonly after: OwnCost;
}

export interface PricePlan {
  readonly chain: string;
  readonly book: readonly PriceEntry[];
  readonly added: readonly PriceEntry[];
  readonly nowUs: Micros;
}

/** A time of up to a day is compared by hours, a longer time by days. */
const SHORT_US: Micros = 86_400_000_000n;

/** Prices each submission of the affected time by both books and compares the buckets; undefined if no bucket changes. */
export function readPriceEffect(
  dataSource: Database,
  { chain, book, added, nowUs }: PricePlan,
): Promise<PriceEffect | undefined> {
  return inSnapshot(dataSource, async (query) => {
    const zone = zoneOf({ zones: await getZones(query) }, chain);
    const { fromUs, toUs } = timeOf(book, added, nowUs);
    if (added.length === 0 || (fromUs !== undefined && fromUs >= toUs)) return undefined;
    const bucket = fromUs !== undefined && toUs - fromUs <= SHORT_US ? 'HOUR' : 'DAY';
    const request: ReportRequest = {
      filter: { chains: [chain] },
      bucket,
      groupBy: [],
      fromUs: fromUs === undefined ? undefined : bucketStart(fromUs, bucket, zone),
      toUs: nextBucket(toUs - 1n, bucket, zone),
      timeZone: zone,
      nowUs,
    };
    const pricedBy = (entries: readonly PriceEntry[]): ReportRequest => ({
      ...request,
      books: new Map([[chain, new PriceBook(entries)]]),
    });
    const compared = await compare(query, pricedBy(book), pricedBy([...book, ...added])).catch(
      async (error) => {
        if (!(error instanceof ReadFault && error.kind === 'TOO_EXPENSIVE')) throw error;
        const { total } = await readCostsWithTotal(query, request, OWN_COST_NAMES);
        return { before: total, after: undefined, changes: undefined };
      },
    );
    return compared.changes?.length === 0 ? undefined : { bucket, zone, ...compared };
  });
}

/** The time in which the added entries apply; `fromUs` is undefined for "from the beginning". */
function timeOf(
  book: readonly PriceEntry[],
  added: readonly PriceEntry[],
  nowUs: Micros,
): { readonly fromUs: Micros | undefined; readonly toUs: Micros } {
  const starts = added.map(({ effectiveFrom }) => effectiveFrom);
  const ends = added.map(({ subject, effectiveFrom }) =>
    book
      .filter((entry) => entry.subject === subject)
      .flatMap(({ effectiveFrom: us }) => us ?? [])
      .filter((us) => us > (effectiveFrom ?? us - 1n))
      .reduce((a: Micros, b) => (b < a ? b : a), nowUs),
  );
  const first = starts.reduce((a, b) => (a === null || b === null ? null : b < a ? b : a), starts[0] ?? null);
  return { fromUs: first ?? undefined, toUs: ends.reduce((a, b) => (b > a ? b : a), ends[0] ?? nowUs) };
}

async function compare(
  query: Query,
  old: ReportRequest,
  renewed: ReportRequest,
): Promise<Omit<PriceEffect, 'bucket' | 'zone'>> {
  const before = await readCostsWithTotal(query, old, OWN_COST_NAMES);
  const after = await readCostsWithTotal(query, renewed, OWN_COST_NAMES);
  const rows = new Map([...after.rows].map((row) => [row.timeUs, row]));
  const changes: BucketChange[] = [];
  for (const row of before.rows) {
    const now = rows.get(row.timeUs);
    if (now !== undefined && differ(row, now)) changes.push({ before: row, after: now });
  }
  return { before: before.total, after: after.total, changes };
}

/** Compares decimals and integers by their texts. */
function differ(one: OwnCost, other: OwnCost): boolean {
  return Object.entries(one).some(([name, value]) => String(value) !== String(other[name as keyof OwnCost]));
}
