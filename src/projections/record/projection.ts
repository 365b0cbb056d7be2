import { NamespaceEntity } from '../../tables/record/namespace.entity.js';
import type { Projection, Query } from '../projection.js';
import { newProposers, proposerOf, type Proposer } from './facts/blocks.js';
import { ChainNames } from './facts/chain-names.js';
import { ChainViews, toNodeView } from './facts/chain-views.js';
import type { RecordMemory } from './memory.js';
import { KeyBook } from './facts/key-book.js';
import { LineageBook } from './facts/lineages.js';
import { toNamespace } from './facts/node-changes.js';
import { NodeNamespaces } from './facts/node-namespaces.js';
import { NodeBook } from './facts/nodes.js';
import { decodeEvent, RECORD_EVENTS, type DecodedEvent, type RecordEvent } from './facts/decode.js';
import { RecordReader } from './facts/reader.js';
import { RECORD_SUCCESSION } from './succession.js';
import { RunBook } from './facts/runs.js';
import { WalkBook } from './facts/walks.js';
import { BracketBook } from './decisions/brackets.js';
import { decideBatch, skipInTurn, workTurn } from './decisions/work-turns.js';
import { FrontierBook } from './decisions/frontiers.js';
import { MarkBook } from './decisions/marks.js';
import { SettledCells } from './decisions/settled-cells.js';
import { TurnBook } from './decisions/turns.js';
import { cutAtTurns } from './decisions/turning-events.js';

/** Rows or DA heights beyond those that events name which are decided at once. */
const PAGE_SIZE = 5_000;
/** Rows or blocks that are held in memory and written at once. */
const MOST_AT_ONCE = 5_000;
/**
 * The record itself: nodes, submissions with their evidence, blocks, losses.
 *
 * Events of all streams meet here, since evidence joins submissions with blocks. A batch is read into rows and facts; the facts, one by
 * one, into steps; the steps are decided, or left to turns; then everything is written.
 */
export class RecordProjection implements Projection {
  readonly name = 'record';
  /** 11: decided at the frontier; what some attempt may be, and none certainly is, is UNDECIDED. */
  readonly version = 11;
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
    'loss',
    'record_change',
    'decision_turn',
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

  /**
   * @param pageSize rows or DA heights of a turn at most
   * @param mostAtOnce beyond so many of those that events touch of a chain all of them are left to turns
   */
  constructor(
    readonly pageSize = PAGE_SIZE,
    private readonly mostAtOnce = pageSize,
  ) {}

  async apply(events: readonly RecordEvent[], query: Query): Promise<boolean> {
    const memory = await this.remember(query);
    const marks = new MarkBook();
    for (const batch of cutByWeight(events)) {
      for (const part of cutAtTurns(batch, memory)) await this.applyPart(part, marks, query);
    }
    await marks.write(query);
    return !memory.turns.isEmpty;
  }

  async workOff(query: Query, most: number): Promise<bigint | undefined> {
    return workTurn(await this.remember(query), most, query);
  }

  async leaveOut(query: Query): Promise<bigint | undefined> {
    return skipInTurn(await this.remember(query), query);
  }

  reset(): void {
    this.namespaces = newNamespaces();
    this.proposers = newProposers();
    this.memory = undefined;
  }

  private async remember(query: Query): Promise<RecordMemory> {
    return (this.memory ??= await this.load(query));
  }

  private async applyPart(events: readonly RecordEvent[], marks: MarkBook, query: Query): Promise<void> {
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
    await decideBatch(reader, memory, marks, this.mostAtOnce, query);
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
      maxRowDa: await getHighestOfRows(query),
      brackets: await BracketBook.load(query),
      frontiers: await FrontierBook.load(query),
      settled: new SettledCells(),
      turns: await TurnBook.load(query),
      told: new Map(
        [...nodes.all()].map(({ nodeKey, headerNamespace, dataNamespace }) => [
          nodeKey,
          { HEADER: keyOf(headerNamespace), DATA: keyOf(dataNamespace) },
        ]),
      ),
    };
  }
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

/** The highest DA height of a row, by node. */
async function getHighestOfRows(query: Query): Promise<Map<number, bigint>> {
  const rows = await query<{ nodeKey: number; highest: bigint | null }>(
    'SELECT node_key AS "nodeKey", max(last_da_height) AS highest FROM submission_span WHERE node_key > 0 GROUP BY 1',
  );
  return new Map(rows.flatMap(({ nodeKey, highest }) => (highest === null ? [] : [[nodeKey, highest]])));
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
