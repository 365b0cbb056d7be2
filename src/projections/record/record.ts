import { NamespaceEntity } from '../../tables/record/namespace.entity.js';
import type { Projection, Query } from '../projection.js';
import { newProposers, proposerOf, type Proposer } from './record-blocks.js';
import { ChainNames } from './record-chain-names.js';
import { ChainViews, toNodeView } from './record-chains.js';
import { BatchEvidence } from './record-evidence.js';
import type { RecordMemory } from './record-evidence-batch.js';
import type { CellTable } from './record-cell-table.js';
import { loadCells, loadNamedCells, loadOrphans, TooMuchAtOnce } from './record-evidence-load.js';
import type { RecordFact } from './record-facts.js';
import { KeyBook } from './record-keys.js';
import { LineageBook } from './record-lineages.js';
import { LossBook, countOpenLosses } from './record-losses.js';
import { toNamespace } from './record-node-changes.js';
import { NodeNamespaces } from './record-node-namespaces.js';
import { NodeBook } from './record-nodes.js';
import { decodeEvent, RECORD_EVENTS, type DecodedEvent, type RecordEvent } from './record-decode.js';
import { findFirstMark, PageMarks } from './record-page-marks.js';
import { skipPage, workPage } from './record-pages.js';
import { RecordReader } from './record-reader.js';
import { RECORD_SUCCESSION } from './record-succession.js';
import { RunBook } from './record-runs.js';
import { Renames } from './record-renames.js';
import { WalkBook } from './record-walks.js';
import { writeBatch } from './record-write.js';

/** Rows or blocks that are held in memory and written at once. */
const MOST_AT_ONCE = 5_000;
/** Rows or DA heights beyond those that events name which are done at once. */
const PAGE_SIZE = 5_000;
/** The same of many events together, in pages: they touch some each, and cutting them up costs time. */
const PAGES_OF_BATCH = 4;

/**
 * The record itself: nodes, submissions with their evidence, blocks, losses.
 *
 * Events of all streams meet here, since evidence joins submissions with blocks. A batch is read in three steps:
 * the events into rows and facts; the facts, one by one, into decisions; then everything into the tables.
 */
export class RecordProjection implements Projection {
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

  /**
   * @param pageSize rows or DA heights of a page at most
   * @param mostAtOnce beyond so many of those that an event does not name it leaves all of them to pages
   */
  constructor(
    readonly pageSize = PAGE_SIZE,
    private readonly mostAtOnce = pageSize,
  ) {}

  async apply(events: readonly RecordEvent[], query: Query): Promise<bigint | undefined> {
    for (const part of cutByWeight(events)) {
      const stopped = await this.applyPart(part, query);
      if (stopped !== undefined) return stopped;
    }
    return undefined;
  }

  reset(): void {
    this.namespaces = newNamespaces();
    this.proposers = newProposers();
    this.memory = undefined;
  }

  async workOff(query: Query, most: number): Promise<bigint | undefined> {
    const mark = await findFirstMark(query);
    if (mark) await workPage(mark, await this.remember(query), most, query);
    return mark?.position;
  }

  async leaveOut(query: Query): Promise<bigint | undefined> {
    const mark = await findFirstMark(query);
    if (mark) await skipPage(mark, await this.remember(query), query);
    return mark?.position;
  }

  private async remember(query: Query): Promise<RecordMemory> {
    return (this.memory ??= await this.load(query));
  }

  /** Where the events together touch too much, each half of them by itself. @returns as {@link apply} */
  private async applyPart(events: readonly RecordEvent[], query: Query): Promise<bigint | undefined> {
    const most = events.length === 1 ? this.mostAtOnce : PAGES_OF_BATCH * this.mostAtOnce;
    try {
      await this.tryPart(events, query, (reader, memory) => loadCells(reader.facts, memory, most, query));
      return undefined;
    } catch (error) {
      if (!(error instanceof TooMuchAtOnce)) throw error;
    }
    // What it was read into is not in the tables.
    this.reset();
    const middle = Math.ceil(events.length / 2);
    if (middle < events.length) {
      const stopped = await this.applyPart(events.slice(0, middle), query);
      return stopped ?? this.applyPart(events.slice(middle), query);
    }
    const pages = new PageMarks();
    await this.tryPart(events, query, (reader, memory) => loadNamedCells(reader.facts, memory, query), pages);
    return events[0]?.position;
  }

  private async tryPart(
    events: readonly RecordEvent[],
    query: Query,
    loadCellsOf: (reader: RecordReader, memory: RecordMemory) => Promise<CellTable>,
    pages?: PageMarks,
  ): Promise<void> {
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
    const cells = await loadCellsOf(reader, memory);
    // Not before: what is too much at once is read again. From here on it is asked of which chain rows without a lineage are.
    await memory.names.write(query);
    const orphans = await loadOrphans(reader.facts, query, pages && cells);
    await memory.walks.prepare(reader.facts, query);
    const losses = new LossBook();
    const evidence = new BatchEvidence(
      memory,
      losses,
      { cells, orphans },
      query,
      pages,
      new Renames(reader.facts),
    );
    for (const facts of byEvent(reader.facts)) await evidence.apply(facts);
    evidence.noteDecided();
    await writeBatch(reader, evidence, memory, losses, query);
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
      decidedThrough: new Map(),
      chainOf: lineages.chainOf,
      lineagesOf: lineages.lineagesOf,
      maxDa: await getHighestDa(query),
      openLosses: await countOpenLosses(query),
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
