import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import type { RecordMarkEntity } from '../../tables/record/record-mark.entity.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Query } from '../projection.js';
import { CellTable, type CellKey } from './record-cell-table.js';
import type { Cell } from './record-cells.js';
import { BatchEvidence } from './record-evidence.js';
import { loadWithSiblings } from './record-evidence-load.js';
import type { RecordMemory } from './record-evidence-batch.js';
import { placeAnew } from './record-loss-holders.js';
import { LossBook } from './record-losses.js';
import { markRenamed } from './record-mark-sources.js';
import type { Renamed } from './record-chain-names.js';
import { leaveLineage, placeRows, tellKinds } from './record-moves.js';
import { findNumbers } from './record-page-find.js';
import { takeOff } from './record-page-marks.js';
import { doubt, getRenamed } from './record-unplaced.js';
import { writeDecided } from './record-write.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');
const KEY_COLUMNS = columnsOf(SubmissionEntity, 'lineageKey', 'daHeight');

/** Of a mark of which so many rows or DA heights could not be done, the rest is left as it is, too. */
const MOST_SET_ASIDE = 10;

/**
 * Does the next page of a mark, as of the event that left it, and takes it off the mark. A DA height is always done whole,
 * so that it makes no difference how many are done at once.
 *
 * @param most rows or DA heights at most
 */
export async function workPage(
  mark: Readonly<RecordMarkEntity>,
  memory: RecordMemory,
  most: number,
  query: Query,
): Promise<void> {
  const { page, next } = await findPage(mark, memory, most, query);
  if (page.length > 0) await new RecordPage(mark, memory, query).work(page);
  await takeOff(mark, { next, done: page.length }, query);
}

/** Takes the next row or DA height off a mark without doing it: it cannot be done because of what is in it. */
export async function skipPage(
  mark: Readonly<RecordMarkEntity>,
  memory: RecordMemory,
  query: Query,
): Promise<void> {
  const { page, next } = await findPage(mark, memory, 1, query);
  const setAside = mark.setAside + page.length;
  const left = setAside < MOST_SET_ASIDE ? next : null;
  await takeOff({ ...mark, setAside }, { next: left, done: 0 }, query);
}

async function findPage(
  mark: Readonly<RecordMarkEntity>,
  memory: RecordMemory,
  most: number,
  query: Query,
): Promise<{ page: bigint[]; next: bigint | null }> {
  const found = await findNumbers(mark, memory, most + 1, query);
  return { page: found.slice(0, most), next: found[most] ?? null };
}

/** One page of a mark. */
class RecordPage {
  private readonly losses = new LossBook();
  private readonly cells = new CellTable();
  private readonly batch: BatchEvidence;

  constructor(
    private readonly mark: Readonly<RecordMarkEntity>,
    private readonly memory: RecordMemory,
    private readonly query: Query,
  ) {
    const loaded = { cells: this.cells, orphans: new Map() };
    this.batch = new BatchEvidence(memory, this.losses, loaded, query);
  }

  /** @param page sequences or DA heights, in their order */
  async work(page: readonly bigint[]): Promise<void> {
    await this.decide(page);
    this.batch.noteDecided();
    await writeDecided(this.batch, this.memory, this.losses, this.query);
  }

  private async decide(page: readonly bigint[]): Promise<void> {
    const { nodeKey, chainId, position, at, what } = this.mark;
    switch (what) {
      case 'CHAIN': {
        const renamed = { since: this.memory.names.since(nodeKey), before: chainId };
        await markRenamed(nodeKey, renamed, this.batch.marks, this.query, page);
        return this.doubt(renamed, page);
      }
      case 'KINDS':
        return this.evaluate(await this.tellKinds(page));
      case 'JOINING':
        return this.evaluate(await this.placeRows(page));
      case 'LEAVING':
        return this.leave(page);
      case 'WALKED':
      case 'UNDECIDED':
        return this.batch.evaluateAll(await this.loadOfLineage(page), position, at);
      case 'LOSS':
        return placeAnew(this.batch, await this.loadOfLineage(page), position);
      case 'LATE':
        return this.batch.reconsiderAll(await this.loadOfLineage(page), position, at);
      case 'READY':
        return this.batch.decideAll(await this.loadOfLineage(page), position, at);
      default:
        return what satisfies never;
    }
  }

  /** Asks again what rows that are of another chain now may be, or may have been. */
  private async doubt(renamed: Renamed, page: readonly bigint[]): Promise<void> {
    const { nodeKey, position, at } = this.mark;
    const rows = await getRenamed(nodeKey, renamed, this.query, page);
    const touched = new Set<Cell>();
    for (const chain of [renamed.before, this.memory.views.get(nodeKey).chainId]) {
      const [lineageKey] = this.memory.lineagesOf.get(chain ?? '') ?? [];
      if (lineageKey === undefined) continue;
      await this.load(rows.map(({ daHeight }) => ({ lineageKey, daHeight })));
      doubt(this.batch, rows, chain, position, touched);
    }
    await this.batch.evaluateAll(touched, position, at);
  }

  private async evaluate(keys: readonly CellKey[]): Promise<void> {
    await this.batch.evaluateAll(await this.load(keys), this.mark.position, this.mark.at);
  }

  private loadOfLineage(daHeights: readonly bigint[]): Promise<Cell[]> {
    return this.load(daHeights.map((daHeight) => ({ lineageKey: this.mark.lineageKey ?? 0, daHeight })));
  }

  private async load(keys: readonly CellKey[]): Promise<Cell[]> {
    await loadWithSiblings(keys, this.memory, this.query, this.cells);
    return keys.map(({ lineageKey, daHeight }) => this.cells.get(lineageKey, daHeight));
  }

  /** Gives rows their kind, and with them all others at their DA heights. @returns the cells of these */
  private async tellKinds(sequences: readonly bigint[]): Promise<CellKey[]> {
    const { nodeKey, position } = this.mark;
    const { HEADER = null, DATA = null } = this.memory.told.get(nodeKey) ?? {};
    const told = { nodeKey, headerNamespace: HEADER, dataNamespace: DATA, position };
    const keys = await this.query<CellKey>(
      `SELECT DISTINCT lineage_key AS "lineageKey", da_height AS "daHeight" FROM submission
        WHERE node_key = $1 AND sequence = ANY ($2::bigint[]) AND kind = ${UNKNOWN_KIND}
          AND lineage_key IS NOT NULL AND da_height IS NOT NULL AND (status = 0 OR evidence = ${CONFIRMED})`,
      [nodeKey, sequences],
    );
    await tellKinds(this.batch, told, 'sequence = ANY ($3::bigint[])', [sequences]);
    const list = KEY_COLUMNS.unnest(keys, 'cell', 3);
    const isThere = `(lineage_key, da_height) IN (SELECT * FROM ${list.sql})`;
    if (keys.length > 0) await tellKinds(this.batch, told, isThere, list.parameters);
    return keys;
  }

  /** Gives rows their lineage, and with them all successes at their DA heights. @returns the cells of these */
  private async placeRows(sequences: readonly bigint[]): Promise<CellKey[]> {
    const { nodeKey, position } = this.mark;
    const to = this.lineageOfNode();
    const rows = await this.query<{ daHeight: bigint }>(
      `SELECT DISTINCT da_height AS "daHeight" FROM submission
        WHERE node_key = $1 AND sequence = ANY ($2::bigint[]) AND lineage_key IS NULL
          AND da_height IS NOT NULL AND status = 0`,
      [nodeKey, sequences],
    );
    const daHeights = rows.map(({ daHeight }) => daHeight);
    await placeRows(this.batch, { nodeKey, to, position }, 'sequence = ANY ($4::bigint[])', [sequences]);
    await placeRows(this.batch, { nodeKey, to, position }, 'da_height = ANY ($4::bigint[]) AND status = 0', [
      daHeights,
    ]);
    return daHeights.map((daHeight) => ({ lineageKey: to, daHeight }));
  }

  private async leave(daHeights: readonly bigint[]): Promise<void> {
    const { nodeKey, lineageKey, position, at } = this.mark;
    const from = lineageKey ?? 0;
    const to = this.lineageOfNode();
    await this.loadOfLineage(daHeights);
    const touched = new Set<Cell>();
    await leaveLineage(this.batch, { nodeKey, from, to, position }, touched);
    await this.batch.evaluateAll(touched, position, at);
  }

  private lineageOfNode(): number {
    const { lineageKey } = this.memory.views.get(this.mark.nodeKey);
    if (lineageKey === null) throw new Error(`The node ${this.mark.nodeKey} shows no lineage`);
    return lineageKey;
  }
}
