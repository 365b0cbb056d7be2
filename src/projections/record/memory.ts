import { ownerOf } from '../../domain/events.js';
import { insertRows } from '../../platform/rows/write-rows.js';
import {
  NamespaceEntity,
  NodeNamespaceEntity,
  type NodeEntity,
  ProposerEntity,
} from '../../tables/record.entities.js';
import type { Query } from '../projection.js';
import { BracketBook } from './facts/brackets.js';
import { FrontierBook } from './facts/frontiers.js';
import { HighestDa } from './facts/highest-da.js';
import { DeferredTasks } from './turns/deferred-tasks.js';
import { ChainNames, LineageBook } from './facts/chains.js';
import { KeyBook } from './facts/key-book.js';
import { ListBook } from './facts/list-book.js';
import { NodeBook } from './facts/nodes.js';
import { RunBook } from './facts/runs.js';
import { WalkBook } from './facts/walks.js';
import { OTHER_NAMESPACES } from './readers/named-namespaces.reader.js';

/**
 * How many namespaces of a node statistics list by name. A chain posts to one or two, but each namespace has rows of its
 * own in every bucket, and a node can invent any number of them.
 */
export const NAMED_NAMESPACES = 100;

/** A name that is not in the tables yet. */
interface Added {
  readonly stream: string;
  readonly namespace: string;
  readonly position: bigint;
}

/** The namespaces that each node has shown, in the order of the log, as far as statistics list them by name. */
class NodeNamespaces {
  private added: Added[] = [];

  private constructor(private readonly byNode: Map<string, Set<string>>) {}

  static async load(query: Query): Promise<NodeNamespaces> {
    const rows = await query<{ node: string; namespaces: string[] }>(
      `SELECT n.id AS node, array_agg(k.namespace) AS namespaces
         FROM node_namespace o JOIN node n USING (node_key) JOIN namespace k USING (namespace_key) GROUP BY n.id`,
    );
    return new NodeNamespaces(new Map(rows.map(({ node, namespaces }) => [node, new Set(namespaces)])));
  }

  /**
   * Notes that a node shows a namespace.
   * @returns the name under which statistics list it, the first time that this name applies to the node
   */
  note({ stream, position }: Pick<Added, 'stream' | 'position'>, namespace: string): string | undefined {
    const node = ownerOf(stream);
    const known = this.byNode.get(node) ?? new Set();
    if (known.has(namespace)) return undefined;
    const name = known.size < NAMED_NAMESPACES ? namespace : OTHER_NAMESPACES;
    if (known.has(name)) return undefined;
    this.byNode.set(node, known.add(name));
    this.added.push({ stream, position, namespace: name });
    return name;
  }

  /** @param before writes the names from events before this position and drops the rest; undefined: writes all */
  async write(
    {
      nodes,
      namespaceKeys,
    }: { readonly nodes: NodeBook; readonly namespaceKeys: KeyBook<NamespaceEntity, 'namespaceKey'> },
    before: bigint | undefined,
    query: Query,
  ): Promise<void> {
    const shown = this.added.filter(({ position }) => before === undefined || position < before);
    const rows = shown.map(({ stream, position, namespace }) => ({
      namespaceKey: namespaceKeys.keyOf({ namespace }),
      nodeKey: nodes.ofStream(stream, position).nodeKey,
      fromPosition: position,
    }));
    this.added = [];
    await insertRows(query, NodeNamespaceEntity, rows);
  }
}

/** Everything that an instance caches of its tables between batches. */
export type RecordMemory = Awaited<ReturnType<typeof loadMemory>>;

export async function loadMemory(query: Query) {
  const nodes = await NodeBook.load(query);
  const lineages = await LineageBook.load(query);
  const namespaceKeys = new KeyBook(NamespaceEntity, 'namespaceKey', ['namespace']);
  const told = [...nodes.all()].flatMap(({ headerNamespace, dataNamespace }) => [
    { namespace: headerNamespace ?? '' },
    { namespace: dataNamespace ?? '' },
  ]);
  await namespaceKeys.learn(
    told.filter(({ namespace }) => namespace !== ''),
    query,
  );
  const keyOf = (namespace: string | null) =>
    namespace === null ? null : namespaceKeys.keyOf({ namespace });
  return {
    nodes,
    lineages,
    names: await ChainNames.load(query),
    lists: await ListBook.load(query),
    walks: await WalkBook.load(query),
    runs: await RunBook.load(query),
    namespaces: await NodeNamespaces.load(query),
    namespaceKeys,
    proposerKeys: new KeyBook(ProposerEntity, 'proposerKey', [
      'proposerAddress',
      'validatorHash',
      'versionBlock',
      'versionApp',
    ]),
    chainOf: lineages.chainOf as ReadonlyMap<number, string>,
    lineagesOf: lineages.lineagesOf as ReadonlyMap<string, readonly number[]>,
    highest: await getHighest(query),
    brackets: await BracketBook.load(query),
    frontiers: await FrontierBook.load(query),
    deferred: await DeferredTasks.load(query),
    /** Keys of the namespaces that each node reported. */
    told: new Map(
      [...nodes.all()].map(({ nodeKey, headerNamespace, dataNamespace }) => [
        nodeKey,
        { HEADER: keyOf(headerNamespace), DATA: keyOf(dataNamespace) },
      ]),
    ),
  };
}

/** The lineage of a node's rows in a chain: that of the last blocks it showed, if it belongs to the chain; else null. */
export function lineageOf(
  { lineageKey }: Pick<NodeEntity, 'lineageKey'>,
  chainId: string | null,
  { chainOf }: Pick<RecordMemory, 'chainOf'>,
): number | null {
  return lineageKey !== null && chainOf.get(lineageKey) === chainId ? lineageKey : null;
}

/** Keys of all nodes that name, or have named, a chain, oldest first. */
export function nodesOf(chain: string, { names, nodes }: Pick<RecordMemory, 'names' | 'nodes'>): number[] {
  const keys = new Set(names.nodesOf(chain));
  for (const { nodeKey } of nodes.ofChain(chain)) keys.add(nodeKey);
  return [...keys].sort((a, b) => a - b);
}

/** The highest DA height of any row or block; -1 if there is none. */
async function getHighest(query: Query): Promise<HighestDa> {
  const [row] = await query<{ highest: bigint | null }>(
    `SELECT greatest(max(b.header), max(b.data), (SELECT max(last_da_height) FROM submission_span)) AS highest
       FROM lineage l CROSS JOIN LATERAL (
         SELECT (SELECT max(header_da_height) FROM block b WHERE b.lineage_key = l.lineage_key) AS header,
                (SELECT max(data_da_height) FROM block b WHERE b.lineage_key = l.lineage_key AND b.tx_count > 0) AS data) b`,
  );
  return new HighestDa(row?.highest ?? -1n);
}
