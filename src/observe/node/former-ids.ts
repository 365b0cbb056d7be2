import type { DataSource } from 'typeorm';
import { EventStore } from '../../event-log/event-store.js';

/** A node as the settings name it. */
interface NamedNode {
  readonly id: string;
  readonly formerId?: string;
}

/**
 * Gives nodes back the ids that earlier releases made from their addresses, where the log knows them by these: what is
 * recorded of a node stays its own. Such an id holds the key that stood in the address; who minds gives the node an id of
 * its own, and with it a new history.
 */
export async function keepFormerIds<Node extends NamedNode>(
  dataSource: DataSource,
  nodes: readonly Node[],
): Promise<Omit<Node, 'formerId'>[]> {
  const store = new EventStore(dataSource);
  const taken = new Set(nodes.map(({ id }) => id));
  const kept: Omit<Node, 'formerId'>[] = [];
  for (const { formerId, ...node } of nodes) {
    const isKnown =
      formerId !== undefined &&
      !taken.has(formerId) &&
      (await isRecorded(store, formerId)) &&
      !(await isRecorded(store, node.id));
    if (isKnown) taken.add(formerId);
    kept.push(isKnown ? { ...node, id: formerId } : node);
  }
  return kept;
}

async function isRecorded(store: EventStore, nodeId: string): Promise<boolean> {
  return (await store.loadStream(`${nodeId}/node`)).version > 0n;
}
