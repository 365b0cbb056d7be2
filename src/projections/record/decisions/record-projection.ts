import { NamespaceEntity } from '../../../tables/record/namespace.entity.js';
import type { Projection, Query } from '../../projection.js';
import { newProposers, proposerOf, type Proposer } from '../record-blocks.js';
import { ChainNames } from '../record-chain-names.js';
import { ChainViews, toNodeView } from '../record-chains.js';
import type { RecordMemory as OldMemory } from '../record-evidence-batch.js';
import type { RecordFact } from '../record-facts.js';
import { KeyBook } from '../record-keys.js';
import { LineageBook } from '../record-lineages.js';
import { LossBook } from '../record-losses.js';
import { toNamespace } from '../record-node-changes.js';
import { NodeNamespaces } from '../record-node-namespaces.js';
import { NodeBook } from '../record-nodes.js';
import { decodeEvent, RECORD_EVENTS, type DecodedEvent, type RecordEvent } from '../record-decode.js';
import { RecordReader } from '../record-reader.js';
import { RECORD_SUCCESSION } from '../record-succession.js';
import { RunBook } from '../record-runs.js';
import { WalkBook } from '../record-walks.js';
import { BracketBook } from './brackets.js';
import { Cells } from './cells.js';
import { StepDecider } from './decide-steps.js';
import { FrontierBook } from './frontiers.js';
import { changeRowsOf } from './node-rows.js';
import { PossibleRows } from './possible-rows.js';
import { Rows } from './row.js';
import { StepBook } from './steps.js';
import { writeTurn } from './write-turn.js';
import { cutAtTurns } from './turning-events.js';

/** Rows or blocks that are held in memory and written at once. */
const MOST_AT_ONCE = 5_000;
/** What an instance remembers of its tables between batches. */
export interface RecordMemory extends Omit<OldMemory, 'decidedThrough' | 'openLosses'> {
  readonly brackets: BracketBook;
  readonly frontiers: FrontierBook;
}

/**
 * The record itself: nodes, submissions with their evidence, blocks, losses.
 *
 * Events of all streams meet here, since evidence joins submissions with blocks. A batch is read in three steps:
 * the events into rows and facts; the facts, one by one, into decisions; then everything into the tables.
 */
export class DecidedRecord implements Projection {
  readonly name = 'record';
  /**
   * 10: the namespaces of each node that statistics tell by name.
   * 9: what one walk stepped over is asked again when another passes it; alike failures landed in the order of their list; none is
   * confirmed where a success of its list may be it; rows of another chain explain nothing; a list out of reach lost nothing yet.
   */
  readonly version = 10;
  readonly tables = [
    'node',
    'node_chain',
    'node_namespace',
    'namespace',
    'lineage',
    'submission',
    'submission_run',
    'submission_span',
    'submission_evidence_past',
    'proposer',
    'block',
    'block_span',
    'inclusion_walk',
    'frontier',
    'bracket',
    'inclusion_open',
    'loss',
    'record_change',
    'record_mark',
  ];
  readonly keys = {
    node: ['node_key', 'id', 'url', 'from_position'],
    namespace: ['namespace_key', 'namespace'],
    lineage: ['lineage_key', 'chain_id', 'n', 'from_position'],
    proposer: ['proposer_key', 'proposer_address', 'validator_hash', 'version_block', 'version_app'],
  };
  readonly succession = RECORD_SUCCESSION;
  readonly handles = RECORD_EVENTS;
  private namespaces = newNamespaces();
  private proposers = newProposers();
  private memory: RecordMemory | undefined;

  async apply(events: readonly RecordEvent[], query: Query): Promise<undefined> {
    for (const batch of cutByWeight(events)) {
      const { lineages, nodes } = await this.remember(query);
      for (const part of cutAtTurns(batch, nodes, lineages)) await this.applyPart(part, query);
    }
  }

  reset(): void {
    this.namespaces = newNamespaces();
    this.proposers = newProposers();
    this.memory = undefined;
  }

  private async remember(query: Query): Promise<RecordMemory> {
    return (this.memory ??= await this.load(query));
  }

  private async applyPart(events: readonly RecordEvent[], query: Query): Promise<void> {
    const decoded = events.map(decodeEvent);
    const memory = await this.remember(query);
    await this.learn(decoded, memory, query);
    const reader = new RecordReader({
      nodes: memory.nodes,
      lineages: memory.lineages,
      names: memory.names,
      walks: memory.walks,
      runs: memory.runs,
      keyOfNamespace: (namespace) => this.namespaces.keyOf({ namespace }),
      keyOfProposer: (proposer) => this.proposers.keyOf(proposer),
    });
    for (const event of decoded) reader.read(event);
    await memory.names.write(query);
    await memory.lineages.write(query);
    await memory.walks.prepare(reader.facts, query);
    const [rows, cells, losses] = [new Rows(), new Cells(), new LossBook()];
    const book = new StepBook(memory, { rows, cells, losses }, query);
    const changed = new Set<Parameters<typeof changeRowsOf>[3] extends Set<infer T> ? T : never>();
    for (const facts of byEvent(reader.facts)) {
      await changeRowsOf(facts, { memory, rows, book }, query, changed);
      await book.take(facts);
    }
    const nodesOf = (chain: string) => [
      ...new Set([...(memory.names.nodesOf.get(chain) ?? []), ...memory.views.keysOfChain(chain)]),
    ];
    const decider = new StepDecider(
      {
        ...memory,
        nodesOf,
        cells,
        losses,
        possible: new PossibleRows(rows, memory.brackets.changed(), nodesOf),
        loadCells: (wanted) =>
          cells.load(wanted, { ...memory, rows }, (chain) => hasUnplaced(chain, memory), query),
      },
      query,
    );
    await decider.run(book.steps);
    for (const row of changed) decider.decided.rows.add(row);
    for (const [lineageKey, daHeight] of book.highest) {
      if (daHeight > (memory.maxDa.get(lineageKey) ?? -1n)) memory.maxDa.set(lineageKey, daHeight);
    }
    await writeTurn({ reader, memory, losses, book, decided: decider.decided }, query);
    await memory.namespaces.write(
      query,
      (stream, position) => memory.nodes.ofStream(stream, position).nodeKey,
      (namespace) => this.namespaces.keyOf({ namespace }),
    );
  }

  private async learn(decoded: readonly DecodedEvent[], memory: RecordMemory, query: Query): Promise<void> {
    const namespaces = new Set<string>();
    const proposers: Proposer[] = [];
    for (const { event, rows, blocks } of decoded) {
      const told =
        event.type === 'NodeDescribed'
          ? [event.body.headerNamespace, event.body.dataNamespace].map(toNamespace)
          : rows.map(({ namespace }) => namespace);
      for (const namespace of told) {
        if (namespace === null) continue;
        namespaces.add(namespace);
        const name = memory.namespaces.note(event, namespace);
        if (name !== undefined) namespaces.add(name);
      }
      for (const block of blocks) proposers.push(proposerOf(block));
    }
    await this.learnNamespaces(namespaces, query);
    await this.proposers.learn(proposers, query);
  }

  private learnNamespaces(namespaces: Iterable<string>, query: Query): Promise<void> {
    return this.namespaces.learn(
      [...namespaces].map((namespace) => ({ namespace })),
      query,
    );
  }

  private async load(query: Query): Promise<RecordMemory> {
    const nodes = await NodeBook.load(query);
    const lineages = await LineageBook.load(query);
    const told = [...nodes.all()].flatMap(({ headerNamespace, dataNamespace }) => [
      headerNamespace,
      dataNamespace,
    ]);
    const namespaces = told.filter((namespace) => namespace !== null);
    await this.learnNamespaces(namespaces, query);
    const keyOf = (namespace: string | null) =>
      namespace === null ? null : this.namespaces.keyOf({ namespace });
    return {
      nodes,
      lineages,
      names: await ChainNames.load(query),
      walks: await WalkBook.load(query),
      runs: await RunBook.load(query),
      namespaces: await NodeNamespaces.load(query),
      views: new ChainViews([...nodes.all()].map(toNodeView)),
      chainOf: lineages.chainOf,
      lineagesOf: lineages.lineagesOf,
      maxDa: await getHighestDa(query),
      brackets: await BracketBook.load(query),
      frontiers: await FrontierBook.load(query),
      told: new Map(
        [...nodes.all()].map(({ nodeKey, headerNamespace, dataNamespace }) => [
          nodeKey,
          { HEADER: keyOf(headerNamespace), DATA: keyOf(dataNamespace) },
        ]),
      ),
    };
  }
}

/** What each event means, in the order of the log. */
function byEvent(facts: readonly RecordFact[]): RecordFact[][] {
  const events: RecordFact[][] = [];
  for (const fact of facts) {
    const last = events.at(-1);
    if (last?.[0]?.position === fact.position) last.push(fact);
    else events.push([fact]);
  }
  return events;
}

/** The highest DA height that blocks point to, by lineage. */
async function getHighestDa(query: Query): Promise<Map<number, bigint>> {
  const rows = await query<{ lineageKey: number; highest: bigint | null }>(
    `SELECT l.lineage_key AS "lineageKey", greatest(
              (SELECT max(header_da_height) FROM block b WHERE b.lineage_key = l.lineage_key),
              (SELECT max(data_da_height) FROM block b WHERE b.lineage_key = l.lineage_key AND b.tx_count > 0)
            ) AS highest
       FROM lineage l`,
  );
  return new Map(
    rows.flatMap(({ lineageKey, highest }) => (highest === null ? [] : [[lineageKey, highest]])),
  );
}

function cutByWeight(events: readonly RecordEvent[]): RecordEvent[][] {
  const parts: RecordEvent[][] = [];
  let part: RecordEvent[] = [];
  let weight = 0;
  for (const event of events) {
    part.push(event);
    weight += weightOf(event);
    if (weight < MOST_AT_ONCE) continue;
    parts.push(part);
    part = [];
    weight = 0;
  }
  return part.length > 0 ? [...parts, part] : parts;
}

function weightOf(event: RecordEvent): number {
  if (event.type === 'SubmissionsObserved') return event.body.rows.length;
  if (event.type === 'BlocksObserved') return event.body.count;
  return event.type === 'BlockInclusionObserved' ? event.body.heights.length : 1;
}

function newNamespaces(): KeyBook<NamespaceEntity, 'namespaceKey'> {
  return new KeyBook({
    table: NamespaceEntity,
    key: 'namespaceKey',
    values: ['namespace'],
    identify: ({ namespace }) => namespace,
  });
}

/** Whether some rows of a chain may be of no history: a node that names it has shown no blocks of it. */
function hasUnplaced(chain: string, { names, views, chainOf }: RecordMemory): boolean {
  return [...(names.nodesOf.get(chain) ?? [])].some((nodeKey) => {
    const { lineageKey } = views.get(nodeKey);
    return lineageKey === null || chainOf.get(lineageKey) !== chain;
  });
}
