import type { Micros } from '../../domain/time.js';

/** An interval of a node. */
export interface IntervalRequest {
  readonly node: string;
  readonly nodeKey: number;
  readonly fromUs: Micros;
  /** Excluded. */
  readonly toUs: Micros;
  /** What lies behind is not known. */
  readonly nowUs: Micros;
  /** Position of the log: only what was known there. */
  readonly knownAt?: bigint | undefined;
}
