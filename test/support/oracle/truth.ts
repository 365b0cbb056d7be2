import type { RecordedEvent } from '../../../src/domain/events.js';
import type { TruePost } from '../random-log.js';
import type { Held } from './held.js';
import { readLog } from './known-log.js';

/**
 * What is held against what truly happened.
 *
 * @param log up to what is held
 * @param posts all attempts of the chain, in their order
 * @param chain whose they are
 */
export function holdAgainstTruth(
  log: readonly RecordedEvent[],
  posts: readonly TruePost[],
  held: Held,
  chain: string,
): string[] {
  const faults: string[] = [];
  const known = readLog(log);
  const byTime = new Map(posts.map((post) => [post.timestamp, post]));
  const shownAt = new Map<TruePost, bigint>();
  const postOf = new Map<string, TruePost>();
  for (const node of known.nodes.values()) {
    for (const { row, sequence, position } of node.rows) {
      const post = byTime.get(row.occurredAtText ?? '');
      if (!post) continue;
      postOf.set(`${node.id} ${sequence}`, post);
      if (!shownAt.has(post)) shownAt.set(post, position);
    }
  }
  for (const { lineage, kind, daHeight, blobCount } of held.groups) {
    if (!lineage.startsWith(`${chain}/`)) continue;
    const there = posts.filter((post) => post.hasLanded && post.kind === kind && post.daHeight === daHeight);
    const lost = there.filter((post) => !shownAt.has(post));
    const most = lost.reduce((sum, post) => sum + post.blobCount, 0);
    const name = `${lineage} ${kind} ${daHeight}`;
    if (there.length === 0) faults.push(`${name} is reconstructed, and was never posted`);
    else if (lost.length === 0) faults.push(`${name} is reconstructed, and was recorded`);
    else if (blobCount > most) faults.push(`${name} is reconstructed with ${blobCount} blobs, and ${most} were lost`);
  }
  for (const { node, sequence, status, evidence, kind, daHeight } of held.rows) {
    const post = postOf.get(`${node} ${sequence}`);
    if (!post) continue;
    const name = `${node} ${sequence} (${post.kind} ${post.daHeight}, ${post.hasLanded ? 'landed' : 'not landed'})`;
    const alike = posts.filter(
      (other) => other !== post && other.daHeight === post.daHeight && other.kind === post.kind,
    );
    const isAlone = alike.length === 0 && (daHeight === null || daHeight === post.daHeight);
    if (isAlone && evidence === 'UNREFERENCED' && post.hasLanded) faults.push(`${name} is UNREFERENCED`);
    if (isAlone && evidence === 'CONFIRMED' && !post.hasLanded && status === 'SUCCESS') {
      faults.push(`${name} is CONFIRMED`);
    }
    if ((kind === 'HEADER' || kind === 'DATA') && kind !== post.kind) faults.push(`${name} is taken for ${kind}`);
    if (status !== 'SUCCESS' && evidence === 'CONFIRMED' && daHeight !== post.daHeight) {
      const isThere = posts.some((other) => other.daHeight === daHeight && other.kind === post.kind && !shownAt.has(other));
      if (!isThere) faults.push(`${name} is CONFIRMED at ${daHeight}`);
    }
  }
  faults.push(...judgeLosses());
  return faults;

  /** Attempts that were made between the rows around a loss and never shown: no minimum may be higher. */
  function judgeLosses(): string[] {
    return held.losses.flatMap(({ node, position, minLost }) => {
      const loss = known.losses.find((each) => each.position === position);
      if (!loss || minLost <= BigInt(loss.minLost)) return [];
      const orders = (known.nodes.get(node)?.rows ?? []).map(
        ({ sequence }) => [sequence, posts.indexOf(postOf.get(`${node} ${sequence}`) as TruePost)] as const,
      );
      const before = orders.filter(([sequence]) => sequence <= loss.after).map(([, order]) => order);
      const behind = orders.filter(([sequence]) => sequence > loss.after).map(([, order]) => order);
      const from = Math.max(-1, ...before.slice(-1));
      const to = behind[0] ?? posts.length;
      const lost = posts.slice(from + 1, to).filter((post) => post.hasLanded && !shownAt.has(post)).length;
      if (minLost <= BigInt(lost)) return [];
      return [`loss ${position} of ${node}: at least ${minLost}, and ${lost} were`];
    });
  }
}
