import type { Database } from '../../../platform/sql.js';
import type { Micros } from '../../../domain/time.js';
import { getExtent, type Extent, findScope, zoneOf } from './scope.query.js';
import { inSnapshot } from '../../../platform/snapshot.js';

/** A chain, and the time for which something is known about it. */
export interface RecordedChain {
  readonly chain: string;
  /** The zone in which its days are counted. */
  readonly zone: string;
  /** Undefined if nothing is known yet. */
  readonly extent: Extent | undefined;
}

/** All chains that are known, by name. */
export function getRecordedChains(dataSource: Database, nowUs: Micros): Promise<RecordedChain[]> {
  return inSnapshot(dataSource, async (query) => {
    const all = await findScope(query, {}, []);
    const chains = [...new Set(all.owners.map(({ chain }) => chain))].filter((chain) => chain !== '');
    const found: RecordedChain[] = [];
    for (const chain of chains) {
      const scope = await findScope(query, { chains: [chain] }, []);
      found.push({ chain, zone: zoneOf(scope, chain), extent: await getExtent(query, scope, nowUs) });
    }
    return found;
  });
}
