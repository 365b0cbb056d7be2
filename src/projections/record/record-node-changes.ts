import type { Looks, NodeEvents, RecordedEvent } from '../../domain/events.js';
import { toInt64 } from '../../domain/int64.js';
import { toChainId } from './record-lineages.js';
import type { NodeRecord } from './record-nodes.js';

/** What an event of its own stream says of a node. */
export function describeNode(node: NodeRecord, event: RecordedEvent & { type: keyof NodeEvents }): void {
  switch (event.type) {
    case 'NodeRegistered':
    case 'NodeSettingsChanged':
      node.url = event.body.url;
      node.statusUrl = event.body.statusUrl ?? null;
      if (event.body.chain) node.chainId = toChainId(event.body.chain);
      node.retired = false;
      node.toPosition = null;
      return;
    case 'NodeRetired':
      node.retired = true;
      node.toPosition = event.position;
      return;
    case 'NodeDescribed':
      if (event.body.chain) node.chainId = toChainId(event.body.chain);
      node.aggregator = event.body.aggregator;
      node.shape = event.body.shape;
      node.servicePrefix = event.body.servicePrefix;
      node.headerNamespace = event.body.headerNamespace ?? node.headerNamespace;
      node.dataNamespace = event.body.dataNamespace ?? node.dataNamespace;
      return;
    case 'NodeWatched': {
      const { submissions, blocks, claims } = event.body.looks;
      // A list that cannot be reached is looked at all the same.
      if (node.listState !== 'UNREACHABLE') seeNode(node, event, submissions);
      seeNode(node, event, blocks);
      seeNode(node, event, claims);
    }
  }
}

/** Moves the time at which the node was last seen to the last of the looks that an event carries. */
export function seeNode(node: NodeRecord, event: RecordedEvent, looks: Looks | undefined): void {
  if (looks) seeNodeAt(node, event, BigInt(looks.last) * 1000n);
}

/** As `seeNode`, Unix microseconds. Nothing was seen later than it was recorded: a clock that says so was wrong. */
export function seeNodeAt(node: NodeRecord, { recordedAt }: RecordedEvent, at: bigint): void {
  node.lastSeenAt = laterOf(node.lastSeenAt, at < recordedAt ? at : recordedAt);
}

/** What the node told of its own progress. What it does not tell stays as it was. */
export function noteProgress(
  node: NodeRecord,
  body: Extract<RecordedEvent, { type: 'NodeProgressObserved' }>['body'],
): void {
  const read = (text: string | null, before: bigint | null) =>
    text === null ? before : toInt64(BigInt(text));
  node.head = read(body.head, node.head);
  node.oldest = read(body.oldest, node.oldest);
  node.daIncluded = read(body.daIncluded, node.daIncluded);
  node.lastSubmittedHeader = read(body.lastSubmittedHeader, node.lastSubmittedHeader);
  node.lastSubmittedData = read(body.lastSubmittedData, node.lastSubmittedData);
  if (body.clockOffsetMs !== null) node.clockOffsetMs = BigInt(Math.round(body.clockOffsetMs));
}

export function laterOf(a: bigint | null, b: bigint): bigint {
  return a === null || b > a ? b : a;
}
