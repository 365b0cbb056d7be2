import type { Operation } from './operation.js';
import type { RequestLoaders } from './request-loaders.js';

/** What every resolver is given beside its arguments. */
export interface ApiContext {
  readonly loaders: RequestLoaders;
  readonly operation: Operation;
  /** Cost of the operation, once it is known. */
  cost?: number;
}
