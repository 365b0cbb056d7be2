import { toEstimate, toMicros } from '../../../domain/bounds.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import { RowVersions } from '../../../platform/rows/row-versions.js';
import type { Written } from '../../../platform/rows/write-rows.js';
import { LossEntity } from '../../../tables/record/loss.entity.js';
import type { Query } from '../../projection.js';
import type { RecordFact } from '../facts/facts.js';

type LossRecord = Omit<Written<LossEntity>, 'minLost' | 'maxLost' | 'toPosition'>;

/** The holes that a turn states or changes. */
export class LossBook {
  private readonly losses = new Map<bigint, LossRecord>();
  private readonly versions = new RowVersions(LossEntity, ['lossPosition']);

  add({ position, nodeKey, kind, loss }: RecordFact & { type: 'loss' }): void {
    const { after, minLost, maxLost, likelyLost, from, to } = loss;
    this.put(
      {
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
        fromPosition: position,
      },
      position,
    );
  }

  /** So many more of what only blocks prove are part of it, or fewer. */
  async count(lossPosition: bigint, by: bigint, position: bigint, query: Query): Promise<void> {
    const loss = this.losses.get(lossPosition) ?? (await find(lossPosition, query));
    if (loss) this.put({ ...loss, shownLost: loss.shownLost + by, fromPosition: position }, position);
  }

  write(query: Query): Promise<void> {
    return this.versions.write(query);
  }

  private put(loss: LossRecord, position: bigint): void {
    this.losses.set(loss.lossPosition, loss);
    const { provenMin, provenMax, shownLost } = loss;
    const minLost = highest(provenMin, shownLost);
    const maxLost = provenMax === null ? null : highest(provenMax, minLost);
    this.versions.put({ ...loss, minLost, maxLost }, position);
  }
}

async function find(lossPosition: bigint, query: Query): Promise<LossRecord | undefined> {
  const [loss] = await query<LossRecord>(
    `SELECT ${selectList(LossEntity, 'l')} FROM loss l WHERE l.loss_position = $1 AND l.to_position IS NULL`,
    [lossPosition],
  );
  return loss;
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
