import { createHash } from 'node:crypto';

/** One of `count` parts of all nodes; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Whether a node belongs to a shard. It depends on the node's id alone, so every process agrees without talking. */
export function isInShard(nodeId: string, { index, count }: Shard): boolean {
  return createHash('sha256').update(nodeId).digest().readUInt32BE(0) % count === index - 1;
}
