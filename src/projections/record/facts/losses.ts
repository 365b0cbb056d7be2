import { toEstimate, toMicros } from '../../../domain/bounds.js';
import { BLOB_KINDS } from '../../../domain/evidence/decide-cell.js';
import { countLost, originOf } from '../../../domain/evidence/lost-rows.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { RowVersions } from '../../../platform/rows/row-versions.js';
import type { Written } from '../../../platform/rows/write-rows.js';
import { LossEntity, type SubmissionEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { BracketKey } from '../decisions/row.js';
import type { Origin, RecordFact } from './facts.js';

type LossRecord = Omit<Written<LossEntity>, 'minLost' | 'maxLost' | 'toPosition'>;
type LossGroup = Pick<SubmissionEntity, 'evidence' | 'kind' | 'timeAt' | 'observedAt'>;
/** Returns rows of a bracket that may have landed and are not in the table yet. */
type AddedRows = (bracket: BracketKey) => readonly Pick<SubmissionEntity, 'fromPosition'>[];

const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');
const UNDECIDED = ['undecidedHeaders', 'undecidedData'] as const;
const CERTAIN = { GAP: 'shownLost', ELSEWHERE: 'postedElsewhere' } as const;
const AFTER = ['header_after', 'data_after'] as const;
/** Next to more rows than this, no minimum is counted. */
const MOST_ROWS = 10_000;
const WANTED = columnsFor({ n: 'int4', lossPosition: 'int8', kind: 'int2', position: 'int8' });

/** The gaps that a time slice states or changes. */
export class LossBook {
  private readonly losses = new Map<bigint, LossRecord>();
  private readonly counts: {
    readonly lossPosition: bigint;
    readonly position: bigint;
    readonly group?: LossGroup;
    readonly by: bigint;
  }[] = [];
  private readonly versions = new RowVersions(LossEntity, ['lossPosition']);

  add({ position, nodeKey }: Origin, { kind, loss }: RecordFact & { type: 'loss' }): void {
    const { after, minLost, maxLost, likelyLost, from, to } = loss;
    const stated = {
      lossPosition: position,
      nodeKey,
      kind,
      afterSequence: toEstimate(after) ?? 0n,
      provenMin: toEstimate(minLost) ?? 0n,
      provenMax: toEstimate(maxLost),
      likelyLost: toEstimate(likelyLost),
      fromAt: from === null ? null : toMicros(from),
      toAt: toMicros(to),
      shownLost: 0n,
      undecidedHeaders: 0n,
      undecidedData: 0n,
      postedElsewhere: 0n,
      fromPosition: position,
    };
    this.put(stated, [0n, 0n]);
  }

  /** Adds a group that only this loss can contain, from an event on, or removes it. @param by 1 or -1 */
  count(lossPosition: bigint, group: LossGroup, by: bigint, position: bigint): void {
    this.counts.push({ lossPosition, group, by, position });
  }

  /** Notes that a row was recorded next to the gap and may be one of its groups. */
  noteRow(lossPosition: bigint, position: bigint): void {
    this.counts.push({ lossPosition, by: 0n, position });
  }

  async write(query: Query, added: AddedRows): Promise<void> {
    const wanted = this.counts.map(({ lossPosition }) => lossPosition).filter((at) => !this.losses.has(at));
    const which = 'WHERE to_position IS NULL AND loss_position = ANY ($1::bigint[])';
    const found = wanted.length === 0 ? [] : await readRows(query, LossEntity, which, [wanted]);
    for (const { minLost: _min, maxLost: _max, ...loss } of found) this.losses.set(loss.lossPosition, loss);
    const changed = this.applyCounts();
    const rows = await countRows(changed, added, query);
    changed.forEach((loss, n) => this.put(loss, rows[n] ?? [0n, 0n]));
    await this.versions.write(query);
  }

  /** @returns each loss as it is after each event that changes it, in the order of the log */
  private applyCounts(): LossRecord[] {
    const changed = new Map<string, LossRecord>();
    for (const { lossPosition, group, by, position } of this.counts.splice(0)) {
      const before = this.losses.get(lossPosition);
      if (!before) continue;
      const loss = { ...before, ...(group && countGroup(before, group, by)), fromPosition: position };
      const isOpen = loss.undecidedHeaders > 0n || loss.undecidedData > 0n;
      if (!group && !isOpen) continue;
      this.losses.set(lossPosition, loss);
      changed.set(`${lossPosition} ${position}`, loss);
    }
    return [...changed.values()];
  }

  /** @param rows the number of rows that may be its headers, and its data */
  private put(loss: LossRecord, rows: readonly bigint[]): void {
    this.losses.set(loss.lossPosition, loss);
    const undecided = UNDECIDED.map((name, kind) => ({ groups: loss[name], rows: rows[kind] ?? 0n }));
    const minLost = countLost({ ...loss, undecided });
    this.versions.put({ ...loss, minLost, maxLost: loss.provenMax }, loss.fromPosition);
  }
}

function countGroup(loss: LossRecord, group: LossGroup, by: bigint): Partial<LossRecord> {
  const origin = originOf(group, loss);
  const isCertain = group.evidence === RECONSTRUCTED;
  if (origin === 'UNKNOWN' || (origin === 'ELSEWHERE' && !isCertain)) return {};
  const name = isCertain ? CERTAIN[origin] : (UNDECIDED[group.kind] ?? 'undecidedData');
  return { [name]: loss[name] + by };
}

/** For each loss, counts the rows next to its gap that may be groups of a kind, if it has undecided groups of that kind. */
async function countRows(losses: readonly LossRecord[], added: AddedRows, query: Query): Promise<bigint[][]> {
  const counts = losses.map(() => BLOB_KINDS.map(() => 0n));
  const wanted = losses.flatMap((loss, n) =>
    UNDECIDED.flatMap((name, kind) => {
      const { lossPosition, fromPosition: position } = loss;
      return loss[name] > 0n ? [{ n, lossPosition, kind, position }] : [];
    }),
  );
  if (wanted.length === 0) return counts;
  const list = WANTED.unnest(wanted, 'w');
  const select = (after: string, kind: number) => `
    SELECT w.n, w.position, b.node_key AS "nodeKey", b.kind, b.after_sequence AS "afterSequence",
           (SELECT count(*) FROM (
              SELECT 1 FROM submission s
               WHERE s.node_key = b.node_key AND s.${after} = b.after_sequence AND s.${after} IS NOT NULL
                 AND s.from_position <= w.position LIMIT ${MOST_ROWS}) next) AS count
      FROM w JOIN bracket b ON b.loss_position = w.loss_position AND b.kind = w.kind WHERE w.kind = ${kind}`;
  const found = await query<BracketKey & { n: number; position: bigint; count: bigint }>(
    `WITH w AS (SELECT * FROM ${list.sql}) ${AFTER.map(select).join(' UNION ALL ')}`,
    list.parameters,
  );
  for (const { n, position, count, ...bracket } of found) {
    const fresh = added(bracket).filter(({ fromPosition }) => fromPosition <= position).length;
    const [rows, loss, name] = [counts[n], losses[n], UNDECIDED[bracket.kind]];
    if (!rows || !loss || !name) continue;
    // With too many rows to count, each group may be one of them.
    rows[bracket.kind] = count >= BigInt(MOST_ROWS) ? loss[name] : count + BigInt(fresh);
  }
  return counts;
}
