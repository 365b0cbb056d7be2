import type { SubmissionEntity } from '../../../tables/record/submission.entity.js';

const COMPARED = [
  'evidence',
  'blobCount',
  'sizeBytes',
  'blockFrom',
  'blockTo',
  'shares',
  'signedShares',
  'timeAt',
  'lossPosition',
  'possible',
] as const satisfies readonly (keyof SubmissionEntity)[];

/** Blobs that no row carried for certain, as a row of `submission`; `observedAt`: when blocks had shown them. */
export interface StandingGroup extends Pick<
  SubmissionEntity,
  (typeof COMPARED)[number] | 'chainId' | 'kind' | 'observedAt' | 'namespaceKey' | 'fromPosition'
> {
  readonly lineageKey: number;
  readonly daHeight: bigint;
  toPosition?: bigint;
  readonly isStored: boolean;
}

/** The versions of groups that a turn makes. */
export class GroupVersions {
  readonly ended = new Set<StandingGroup>();
  readonly added = new Set<StandingGroup>();

  add(group: StandingGroup): void {
    this.added.add(group);
  }

  /** A group is none any more, or another one. */
  end(group: StandingGroup, position: bigint): void {
    group.toPosition = position;
    if (group.isStored) this.ended.add(group);
    // What came and went by one event was never known.
    else if (group.fromPosition === position) this.added.delete(group);
  }
}

/** Whether a new decision says the same as the standing one. */
export function isSameGroup(standing: StandingGroup, decided: StandingGroup): boolean {
  return COMPARED.every((name) => standing[name] === decided[name]);
}
