import { toEstimate, toMicros } from '../../../domain/bounds.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { RowVersions } from '../../../platform/rows/row-versions.js';
import type { Written } from '../../../platform/rows/write-rows.js';
import { LossEntity } from '../../../tables/record/loss.entity.js';
import type { Query } from '../../projection.js';
import type { Origin, RecordFact } from './facts.js';

type LossRecord = Omit<Written<LossEntity>, 'minLost' | 'maxLost' | 'toPosition'>;

/** The holes that a turn states or changes. */
export class LossBook {
  private readonly losses = new Map<bigint, LossRecord>();
  private readonly counts: {
    readonly lossPosition: bigint;
    readonly by: bigint;
    readonly position: bigint;
  }[] = [];
  private readonly versions = new RowVersions(LossEntity, ['lossPosition']);

  add({ position, nodeKey }: Origin, { kind, loss }: RecordFact & { type: 'loss' }): void {
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
  count(lossPosition: bigint, by: bigint, position: bigint): void {
    this.counts.push({ lossPosition, by, position });
  }

  async write(query: Query): Promise<void> {
    const wanted = this.counts.map(({ lossPosition }) => lossPosition).filter((at) => !this.losses.has(at));
    const which = 'WHERE to_position IS NULL AND loss_position = ANY ($1::bigint[])';
    const found = wanted.length === 0 ? [] : await readRows(query, LossEntity, which, [wanted]);
    for (const loss of found) this.losses.set(loss.lossPosition, loss);
    for (const { lossPosition, by, position } of this.counts) {
      const loss = this.losses.get(lossPosition);
      if (loss) this.put({ ...loss, shownLost: loss.shownLost + by, fromPosition: position }, position);
    }
    await this.versions.write(query);
  }

  private put(loss: LossRecord, position: bigint): void {
    this.losses.set(loss.lossPosition, loss);
    const { provenMin, provenMax, shownLost } = loss;
    const minLost = highest(provenMin, shownLost);
    const maxLost = provenMax === null ? null : highest(provenMax, minLost);
    this.versions.put({ ...loss, minLost, maxLost }, position);
  }
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
