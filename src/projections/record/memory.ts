import { NamespaceEntity } from '../../tables/record/namespace.entity.js';
import type { NodeEntity } from '../../tables/record/node.entity.js';
import { ProposerEntity } from '../../tables/record/proposer.entity.js';
import type { Query } from '../projection.js';
import { BracketBook } from './decisions/brackets.js';
import { FrontierBook } from './decisions/frontiers.js';
import { HighestDa } from './decisions/highest-da.js';
import { TurnBook } from './decisions/turns.js';
import { ChainNames, LineageBook } from './facts/chains.js';
import { KeyBook } from './facts/key-book.js';
import { NodeNamespaces } from './facts/node-namespaces.js';
import { NodeBook } from './facts/nodes.js';
import { RunBook } from './facts/runs.js';
import { WalkBook } from './facts/walks.js';

/** What an instance remembers of its tables between batches. */
export type RecordMemory = Awaited<ReturnType<typeof loadMemory>>;

/** Reads it from the tables. */
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
    /** Chain of each lineage. */
    chainOf: lineages.chainOf as ReadonlyMap<number, string>,
    lineagesOf: lineages.lineagesOf as ReadonlyMap<string, readonly number[]>,
    highest: await getHighest(query),
    brackets: await BracketBook.load(query),
    frontiers: await FrontierBook.load(query),
    turns: await TurnBook.load(query),
    /** Keys of the namespaces that a node told. */
    told: new Map(
      [...nodes.all()].map(({ nodeKey, headerNamespace, dataNamespace }) => [
        nodeKey,
        { HEADER: keyOf(headerNamespace), DATA: keyOf(dataNamespace) },
      ]),
    ),
  };
}

/** The history that a node's rows are of: the last whose blocks it showed, where that is of the chain that it names. */
export function lineageOf(
  { lineageKey, chainId }: Pick<NodeEntity, 'lineageKey' | 'chainId'>,
  { chainOf }: Pick<RecordMemory, 'chainOf'>,
): number | null {
  return lineageKey !== null && chainOf.get(lineageKey) === chainId ? lineageKey : null;
}

/** Keys of all nodes that name, or have named, a chain, the oldest first. */
export function nodesOf(chain: string, { names, nodes }: Pick<RecordMemory, 'names' | 'nodes'>): number[] {
  const keys = new Set(names.nodesOf(chain));
  for (const { nodeKey } of nodes.ofChain(chain)) keys.add(nodeKey);
  return [...keys].sort((a, b) => a - b);
}

/** The highest DA height of a row, or of a block. */
async function getHighest(query: Query): Promise<HighestDa> {
  const [row] = await query<{ highest: bigint | null }>(
    `SELECT greatest(max(b.header), max(b.data), (SELECT max(last_da_height) FROM submission_span)) AS highest
       FROM lineage l CROSS JOIN LATERAL (
         SELECT (SELECT max(header_da_height) FROM block b WHERE b.lineage_key = l.lineage_key) AS header,
                (SELECT max(data_da_height) FROM block b WHERE b.lineage_key = l.lineage_key AND b.tx_count > 0) AS data) b`,
  );
  return new HighestDa(row?.highest ?? -1n);
}
