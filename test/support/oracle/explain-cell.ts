import type { BlobKind } from './block-walk.js';

export interface Blob {
  readonly height: bigint;
  /** Null under an unknown scheme. */
  readonly bytes: number | null;
}

/** The blobs that blocks point to at one DA height of one history of a chain, by rising height. */
export type Blobs = Readonly<Record<BlobKind, readonly Blob[]>>;

/** Who may have posted some of them. */
export interface Candidate {
  readonly node: string;
  /** What its namespace may hold; both where that is not known. */
  readonly kinds: readonly BlobKind[];
  readonly count: number | null;
  readonly bytes: bigint | null;
}

/** Blobs that stand next to each other, `to` excluded. */
export interface Run {
  readonly kind: BlobKind;
  readonly from: number;
  readonly to: number;
}

/** One way in which all can have come about: what each candidate carried, and what nobody did. */
export interface Explanation {
  readonly carried: readonly (Run | null)[];
  readonly left: Blobs;
}

/** A header blob without the signature of its envelope, as older nodes post it, is smaller by as much. */
const ENVELOPE_BYTES = 66;
const SCHEMES = { HEADER: [0, ENVELOPE_BYTES], DATA: [0] } as const;
const MOST_EXPLANATIONS = 5_000;

/**
 * All ways to give candidates runs of their count and bytes, such that none is left without one that could have one. Two
 * attempts of one node never carry the same blob; those of two nodes may, as they may be one attempt.
 *
 * @returns null where there are too many to try
 */
export function explain(blobs: Blobs, candidates: readonly Candidate[]): readonly Explanation[] | null {
  const choices = candidates.map((candidate) => runsOf(blobs, candidate));
  const found: Explanation[] = [];
  let tried = 0;
  const choose = (carried: readonly (Run | null)[]): void => {
    tried += 1;
    if (tried > MOST_EXPLANATIONS) return;
    const index = carried.length;
    const isFree = (run: Run, of: number) =>
      carried.every(
        (other, each) =>
          other === null || candidates[each]?.node !== candidates[of]?.node || !overlap(run, other),
      );
    if (index < candidates.length) {
      for (const run of [...(choices[index] ?? []), null])
        if (run === null || isFree(run, index)) choose([...carried, run]);
      return;
    }
    const isComplete = carried.every(
      (run, of) => run !== null || !choices[of]?.some((each) => isFree(each, of)),
    );
    if (isComplete) found.push({ carried, left: leftOf(blobs, carried) });
  };
  choose([]);
  return tried > MOST_EXPLANATIONS ? null : found;
}

/** The runs that have its count and, as far as they are known, its bytes. */
export function runsOf(blobs: Blobs, { kinds, count, bytes }: Candidate): Run[] {
  if (count === null || count === 0) return [];
  return kinds.flatMap((kind) => {
    const list = blobs[kind];
    return list.flatMap((_, from): Run[] => {
      const run = list.slice(from, from + count);
      return run.length === count && haveBytes(kind, run, bytes) ? [{ kind, from, to: from + count }] : [];
    });
  });
}

/** Whether the blobs can have had so many bytes in all; yes where one of them is not known. */
export function haveBytes(kind: BlobKind, blobs: readonly Blob[], bytes: bigint | null): boolean {
  if (bytes === null || blobs.some((blob) => blob.bytes === null)) return true;
  const sum = bytesOf(blobs) ?? 0n;
  return SCHEMES[kind].some((less) => sum - BigInt(less * blobs.length) === bytes);
}

/** Null where a size is not known. */
export function bytesOf(blobs: readonly Blob[]): bigint | null {
  let sum = 0n;
  for (const { bytes } of blobs) {
    if (bytes === null) return null;
    sum += BigInt(bytes);
  }
  return sum;
}

function overlap(a: Run, b: Run): boolean {
  return a.kind === b.kind && a.from < b.to && b.from < a.to;
}

function leftOf(blobs: Blobs, carried: readonly (Run | null)[]): Blobs {
  const left = (kind: BlobKind) =>
    blobs[kind].filter(
      (_, index) =>
        !carried.some((run) => run !== null && run.kind === kind && run.from <= index && index < run.to),
    );
  return { HEADER: left('HEADER'), DATA: left('DATA') };
}
