import type { Decimal } from './decimal.js';
import type { GasSchedule } from './pay-for-blobs.js';
import type { Micros } from '../time.js';

/** A price that applies from a moment on, until the next entry of its subject. */
export type PriceEntry = {
  /** Null: from the beginning. */
  readonly effectiveFrom: Micros | null;
} & (
  | { readonly subject: 'GAS_PRICE'; /** utia per gas. */ readonly utia: Decimal }
  | { readonly subject: 'GAS_SCHEDULE'; readonly schedule: GasSchedule }
  | { readonly subject: 'FIAT_RATE'; readonly unit: string; readonly perTia: Decimal }
);
