import { evidenceCodeOf, kindCodeOf, statusCodeOf } from '../../src/domain/submissions/submission-codes.js';
import type { BlobKind, StandingWalk } from '../../src/domain/evidence/inclusion-walk.js';
import type { ShownBlob } from '../../src/projections/record/facts/walks.js';
import type { Row } from '../../src/projections/record/decisions/row.js';
import { newStep, type Step } from '../../src/projections/record/decisions/step.js';

export const CHAIN = 'c1';
export const LINEAGE = 1;
export const [OBSERVED, CONFIRMED, UNCONFIRMED, RECONSTRUCTED] = [
  evidenceCodeOf('OBSERVED'),
  evidenceCodeOf('CONFIRMED'),
  evidenceCodeOf('UNCONFIRMED'),
  evidenceCodeOf('RECONSTRUCTED'),
];

/** The size of the chain's headers. */
const HEADER_BYTES = 331;

/** A success with one header of node 1 at DA height 100, recorded at a position. */
export function successAt(fromPosition: bigint, more: Partial<Row> = {}): Row {
  return {
    nodeKey: 1,
    sequence: fromPosition,
    status: 0,
    namespaceKey: null,
    blobCount: 1,
    sizeBytes: BigInt(HEADER_BYTES),
    evidenceFromPosition: fromPosition,
    fromPosition,
    timeAt: 0n,
    wildTime: false,
    observedAt: 0n,
    occurredAt: 0n,
    digest: fromPosition,
    message: null,
    toldLineageKey: LINEAGE,
    headerAfter: null,
    dataAfter: null,
    shownAt: null,
    lineageKey: LINEAGE,
    chainId: CHAIN,
    kind: kindCodeOf('HEADER'),
    daHeight: 100n,
    evidence: UNCONFIRMED,
    blockFrom: null,
    blockTo: null,
    shares: null,
    signedShares: null,
    countsForChain: true,
    isStored: true,
    ...more,
  };
}

/** A failure that may have landed, after the success of its kind with sequence 1. */
export function failureAt(fromPosition: bigint, more: Partial<Row> = {}): Row {
  return successAt(fromPosition, {
    status: statusCodeOf('NOT_INCLUDED_IN_BLOCK'),
    daHeight: null,
    evidence: OBSERVED,
    headerAfter: 1n,
    ...more,
  });
}

/** A block header, shown at a position. */
export function headerOf(height: bigint, position: bigint): ShownBlob {
  return { height, bytes: HEADER_BYTES, timeNs: 1_000n * height, position };
}

/** A walk of node 1, from the first block of the chain, that has passed all DA heights below a given one. */
export function walkTo(to: bigint): StandingWalk & { readonly nodeKey: number } {
  const line = { from: 1n, to, holes: [] };
  return { nodeKey: 1, fromStart: true, lines: { HEADER: line, DATA: line } };
}

/** The basis of an event's decisions: walks have passed, and all lists were polled, up to a DA height. */
export function stepAt(position: bigint, below: bigint, more: Partial<Step> = {}): Step {
  const ofKinds: Readonly<Record<BlobKind, bigint>> = { HEADER: below, DATA: below };
  return {
    ...newStep({ position, at: 1_000n * position, nodeKey: 1 }, CHAIN),
    walks: new Map([[LINEAGE, [walkTo(below)]]]),
    below: new Map([[LINEAGE, ofKinds]]),
    ...more,
  };
}
