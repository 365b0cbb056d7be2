import type { TruePost } from '../random-log.js';
import type { Fault } from './fault.js';
import type { Held, HeldChain, HeldRow } from './held.js';

/**
 * What is wrong with the chains' figures: each attempt counts once. Rows of several nodes that carry a time and are equal
 * as sent are paired one to one, and a confirmed one counts before the others; those of one node, and those without a time,
 * are never taken for one.
 */
export function judgeChains(held: Held, chains: readonly HeldChain[]): Fault[] {
  const faults: Fault[] = [];
  const fault = (text: string) => faults.push({ rule: 'ATTEMPTS', text });
  const names = new Set([
    ...held.rows.map(({ chain }) => chain),
    ...held.groups.map(({ lineage }) => chainOf(lineage)),
  ]);
  for (const name of names) {
    if (name === '') continue;
    const figures = chains.find(({ chain }) => chain === name);
    const attempts = countOnce(held.rows.filter(({ chain }) => chain === name));
    const groups = held.groups.filter(({ lineage }) => chainOf(lineage) === name);
    const count = attempts.reduce((sum, { times }) => sum + times, 0);
    if (figures?.attempts !== BigInt(count)) fault(`${name}: ${figures?.attempts} attempts, not ${count}`);
    if (figures?.reconstructed !== BigInt(groups.length)) {
      fault(`${name}: ${figures?.reconstructed} reconstructed, not ${groups.length}`);
    }
    const sum = (of: (row: { blobCount: number | null; sizeBytes: bigint | null }) => bigint) =>
      attempts.reduce(
        (all, { row, times, landed }) => all + BigInt(row.status === 'SUCCESS' ? times : landed) * of(row),
        0n,
      ) + groups.reduce((all, group) => all + of(group), 0n);
    const blobs = sum(({ blobCount }) => BigInt(blobCount ?? 0));
    const bytes = sum(({ sizeBytes }) => sizeBytes ?? 0n);
    if (figures?.blobs !== blobs) fault(`${name}: ${figures?.blobs} blobs, not ${blobs}`);
    if (figures?.bytes !== bytes) fault(`${name}: ${figures?.bytes} bytes, not ${bytes}`);
  }
  return faults;
}

/** Of a chain whose rows all tell what they are: as many attempts as were made and shown. */
export function countShown(held: Held, posts: readonly TruePost[], chain: string): number {
  const times = new Set(held.rows.filter((row) => row.chain === chain).map(({ occurredAt }) => occurredAt));
  return posts.filter(({ timestamp }) => times.has(BigInt(Date.parse(timestamp)) * 1_000n)).length;
}

/** Equal attempts: how many they are, and of how many a row is confirmed. */
function countOnce(rows: readonly HeldRow[]): { row: HeldRow; times: number; landed: number }[] {
  const twins = new Map<string, HeldRow[]>();
  rows.forEach((row, index) => {
    const name = row.occurredAt === null ? `${index}` : `${row.occurredAt} ${row.digest}`;
    twins.set(name, [...(twins.get(name) ?? []), row]);
  });
  return [...twins.values()].flatMap((all) => {
    const nodes = [...new Set(all.map(({ node }) => node))];
    const most = (of: (row: HeldRow) => boolean) =>
      Math.max(...nodes.map((node) => all.filter((row) => row.node === node && of(row)).length));
    const [row] = all;
    return row
      ? [{ row, times: most(() => true), landed: most(({ evidence }) => evidence === 'CONFIRMED') }]
      : [];
  });
}

function chainOf(lineage: string): string {
  return lineage.slice(0, lineage.lastIndexOf('/'));
}
