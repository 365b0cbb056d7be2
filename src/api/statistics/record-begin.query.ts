import { Inject, Injectable } from '@nestjs/common';
import { microsToNanos, millisToMicros, type Nanos } from '../../domain/time.js';
import { keptFor } from '../../platform/kept-for.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { getExtent, findScope } from '../../statistics/read/plan/scope.query.js';
import { inSnapshot } from '../../platform/snapshot.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** How long an answer is reused. */
const KNOWN_FOR_MS = 10_000;

/** Finds the begin of the record, so that requests without times are cheap if little is recorded. */
@Injectable()
export class RecordBeginQuery {
  /** Begin of the record of any chain or node, up to 10 s old; now if nothing is recorded. Undefined: it cannot be read. */
  readonly find: () => Promise<Nanos | undefined>;

  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) { clock }: Pick<ApiOptions, 'clock'>,
  ) {
    this.find = keptFor(clock, KNOWN_FOR_MS, () => this.read(clock.now()).catch(() => undefined));
  }

  private read(atMs: number): Promise<Nanos> {
    const nowUs = millisToMicros(atMs);
    return inSnapshot(this.reads, async (query) => {
      const [chains, nodes] = [await findScope(query, {}, []), await findScope(query, {}, ['NODE'])];
      const owners = [...chains.owners, ...nodes.owners];
      const extent = await getExtent(query, { ...chains, owners }, nowUs);
      return microsToNanos(extent?.fromUs ?? nowUs);
    });
  }
}
