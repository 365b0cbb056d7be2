import type { Applied, Projection, Query } from '../projection.js';
import { MarkBook } from './turns/marks.js';
import { decideBatch } from './turns/batch.js';
import { runDeferredTasks } from './turns/work.js';
import { proposerOf, type Proposer } from './facts/blocks.js';
import { decodeEvent, RECORD_EVENTS, type DecodedEvent, type RecordEvent } from './facts/decode.js';
import { toNamespace } from './facts/nodes.js';
import { loadMemory, type RecordMemory } from './memory.js';
import { RECORD_SUCCESSION } from './succession.js';

/** The most rows or DA heights decided at once, beyond those that events name. */
const PAGE_SIZE = 5_000;
/** The most rows or blocks that are kept in memory and written at once. */
const MOST_AT_ONCE = 5_000;
/**
 * The record itself: nodes, submissions with their evidence, blocks, losses.
 *
 * Events of all streams meet here, since evidence joins submissions with blocks. A batch is read event by event into rows
 * and steps; the steps are decided, or left to deferred tasks; then everything is written.
 */
export class RecordProjection implements Projection {
  readonly name = 'record';
  /** 15: a success in a list without a chain leaves a group undecided. */
  readonly version = 15;
  readonly tables = [
    'node',
    'node_chain',
    'node_list',
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
  private memory: RecordMemory | undefined;

  /**
   * @param pageSize the most rows or DA heights of one time slice
   * @param mostAtOnce if events touch more DA heights of a chain than this, all of them are left to deferred tasks
   */
  constructor(
    readonly pageSize = PAGE_SIZE,
    readonly mostAtOnce = pageSize,
  ) {}

  async apply(events: readonly RecordEvent[], query: Query): Promise<Applied> {
    const memory = await this.remember(query);
    const marks = new MarkBook();
    let count = 0;
    for (const part of cutByWeight(events)) {
      const applied = await this.applyPart(part, memory, marks, query);
      count += applied;
      if (applied < part.length) break;
    }
    await marks.write(query);
    // Memory contains names and blocks of the waiting events, so it is dropped.
    if (count < events.length) this.reset();
    return { count, isLeft: !memory.deferred.isEmpty };
  }

  async workOff(query: Query, most: number): Promise<bigint | undefined> {
    return runDeferredTasks(await this.remember(query), most, query);
  }

  async leaveOut(query: Query): Promise<bigint | undefined> {
    return runDeferredTasks(await this.remember(query), 1, query, true);
  }

  reset(): void {
    this.memory = undefined;
  }

  private async remember(query: Query): Promise<RecordMemory> {
    return (this.memory ??= await loadMemory(query));
  }

  /** @returns how many events are applied; the others wait until no deferred task is left */
  private async applyPart(
    events: readonly RecordEvent[],
    memory: RecordMemory,
    marks: MarkBook,
    query: Query,
  ): Promise<number> {
    const decoded = events.map(decodeEvent);
    await this.learn(decoded, memory, query);
    await memory.walks.prepare(decoded, memory, query);
    let count = 0;
    while (count < decoded.length) {
      const applied = await decideBatch(decoded.slice(count), memory, marks, this, query);
      if (applied === 0) break;
      count += applied;
    }
    await memory.namespaces.write(memory, events[count]?.position, query);
    return count;
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
    await memory.namespaceKeys.learn(
      [...namespaces].map((namespace) => ({ namespace })),
      query,
    );
    await memory.proposerKeys.learn(proposers, query);
  }
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
