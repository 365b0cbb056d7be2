import { groupBy } from '../../domain/collections.js';
import type { EventBodies } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { type Database, onConnection } from '../../platform/sql.js';
import { FeeLedger, type FeeVerdict } from '../../projections/prices/fee-ledger.js';
import { loadKnownFees } from '../../projections/prices/fee-rows.js';
import type { ImportedFeeEntity } from '../../tables/prices.entities.js';
import { dropContradictions } from './fee-conflicts.js';
import type { BadLine } from './csv-file.js';
import { readFeeFile, type FeeFile, type FeeLine } from './fee-file.js';
import { placeFees, type FeePlacement } from './fee-places.js';
import { requireKnownNames } from '../read/known-names.query.js';
import { PricesCatchUp } from './prices-catch-up.js';
import { requireSource } from './source-text.js';

export interface FeeImportRequest {
  readonly chain: string;
  /** CSV: its text, or pieces of it. */
  readonly file: string | AsyncIterable<string | Uint8Array>;
  readonly source: string;
  /** The person or key that imports the file; see {@link EventBodies}. */
  readonly by: string;
  /** Whether to import the good lines of a file with bad ones; else such a file is not imported at all. */
  readonly skipBad?: boolean;
}

export interface FeeImportResult extends FeePlacement {
  /** Lines of the file without its header and empty lines. */
  readonly rows: number;
  /** Fees that were not known before. */
  readonly added: number;
  /** Fees that differ from an earlier import. */
  readonly corrected: number;
  /** Lines whose fee was known before or is repeated from another line (one transaction on several lines pays once). */
  readonly alreadyKnown: number;
  /** The first bad lines, and the number of all bad lines. */
  readonly faults: readonly BadLine[];
  readonly faultCount: number;
  /** False if the file has bad lines and nothing was recorded. */
  readonly isImported: boolean;
}

/** About how many fees one event contains. */
const FEES_PER_EVENT = 5_000;

/** Imports fees that were read from the DA layer. Importing a file again changes nothing. */
export class FeeImporter {
  private readonly catchUp: PricesCatchUp;

  constructor(
    private readonly dataSource: Database,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {
    this.catchUp = new PricesCatchUp(dataSource, store);
  }

  /** @throws UserError for an unknown chain, or a file that cannot be read as a list of fees */
  async import(request: FeeImportRequest): Promise<FeeImportResult> {
    const source = requireSource(request.source);
    await this.catchUp.run();
    await requireKnownNames(this.dataSource, { chains: [request.chain] });
    const read = await readFeeFile(request.file);
    const file = dropContradictions(read, await this.loadKnown(request.chain, read.rows));
    const rows = file.rows.length + file.faultCount;
    const { faults, faultCount } = file;
    if (faultCount > 0 && request.skipBad !== true) return { ...NOTHING, rows, faults, faultCount };
    const verdicts = await this.record({ ...request, source }, file);
    const placement = await onConnection(this.dataSource, (query) =>
      placeFees(query, request.chain, file.rows),
    );
    return { ...placement, ...countVerdicts(verdicts), rows, faults, faultCount, isImported: true };
  }

  /** Records new fees; returns what each line did. */
  private async record(
    { chain, source, by }: Pick<FeeImportRequest, 'chain' | 'source' | 'by'>,
    { rows: lines }: FeeFile,
  ): Promise<FeeVerdict[]> {
    const stream = `${chain}/operator`;
    const settled = new Map<FeeLine, FeeVerdict>();
    for (;;) {
      const { version } = await this.store.loadStream(stream);
      await this.catchUp.run();
      const ledger = new FeeLedger(await this.loadKnown(chain, lines));
      const fees = lines.map(({ fee }) => fee);
      const verdicts = ledger.apply({ chain, source, position: 0n }, fees);
      const isAll = await this.append(
        stream,
        version,
        { source, by },
        cutIntoEvents(lines, verdicts),
        settled,
      );
      // Lost the race: someone else has imported fees or set prices. The next iteration finds what is still missing.
      if (!isAll) continue;
      await this.catchUp.run();
      return lines.map((line, index) => settled.get(line) ?? verdicts[index] ?? 'KNOWN');
    }
  }

  /** Appends an event for each part, and notes its lines in `settled`; false as soon as another writer appended first. */
  private async append(
    stream: string,
    version: bigint,
    said: Pick<FeeImportRequest, 'source' | 'by'>,
    parts: readonly (readonly JudgedLine[])[],
    settled: Map<FeeLine, FeeVerdict>,
  ): Promise<boolean> {
    let expectedVersion = version;
    for (const part of parts) {
      const body: EventBodies['FeesImported'] = { ...said, fees: part.map(({ line }) => line.fee) };
      const event = { type: 'FeesImported', observedAt: this.clock.now(), body } as const;
      const result = await this.store.append({ stream, expectedVersion, events: [event] });
      if (!result.won) return false;
      expectedVersion = result.version;
      for (const { line, verdict } of part) settled.set(line, verdict);
    }
    return true;
  }

  private loadKnown(chain: string, lines: readonly FeeLine[]): Promise<ImportedFeeEntity[]> {
    const fees = lines.map(({ fee }) => ({ chain, fee }));
    return onConnection(this.dataSource, (query) => loadKnownFees(query, fees));
  }
}

const NOTHING = {
  added: 0,
  corrected: 0,
  alreadyKnown: 0,
  unmatched: [],
  ambiguous: [],
  isImported: false,
} as const;

interface JudgedLine {
  readonly line: FeeLine;
  readonly verdict: FeeVerdict;
}

/**
 * The lines that must be recorded, by event. All lines of a place (DA height and namespace) go together as soon as one of them
 * is new, because an event says how many equal fees there are.
 */
function cutIntoEvents(lines: readonly FeeLine[], verdicts: readonly FeeVerdict[]): JudgedLine[][] {
  const judged = lines.map((line, index): JudgedLine => ({ line, verdict: verdicts[index] ?? 'KNOWN' }));
  const places = groupBy(judged, ({ line: { fee } }) => `${fee.daHeight} ${fee.namespace ?? ''}`);
  const events: JudgedLine[][] = [];
  for (const place of places.values()) {
    if (place.every(({ verdict }) => verdict === 'KNOWN' || verdict === 'REPEATED')) continue;
    const last = events.at(-1);
    if (last && last.length + place.length <= FEES_PER_EVENT) for (const each of place) last.push(each);
    else events.push([...place]);
  }
  return events;
}

function countVerdicts(
  verdicts: readonly FeeVerdict[],
): Pick<FeeImportResult, 'added' | 'corrected' | 'alreadyKnown'> {
  const count = (...wanted: readonly FeeVerdict[]): number =>
    verdicts.filter((verdict) => wanted.includes(verdict)).length;
  return {
    added: count('ADDED'),
    corrected: count('CORRECTED'),
    alreadyKnown: count('KNOWN', 'REPEATED', 'IDENTIFIED'),
  };
}
