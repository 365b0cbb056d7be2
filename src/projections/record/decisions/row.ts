import { entryOf } from '../../../domain/collections.js';
import type {
  SubmissionEvidencePastEntity,
  SubmissionEntity,
  BracketEntity,
} from '../../../tables/record.entities.js';
import { evidenceOfUnplaced } from '../../../domain/evidence/decide-cell.js';
import type { Named } from '../facts/list-book.js';
import { NOTHING_CARRIED } from '../../../domain/submissions/carried-blobs.js';
import {
  evidenceCodeOf,
  kindCodeOf,
  kindOf,
  SUBMISSION_KINDS,
  type Namespaces,
} from '../../../domain/submissions/submission-codes.js';

/** The columns that decisions change. `submission_evidence_past` keeps their former values. */
export const DECIDED = [
  'lineageKey',
  'chainId',
  'kind',
  'daHeight',
  'evidence',
  'blockFrom',
  'blockTo',
  'shares',
  'signedShares',
  'countsForChain',
] as const satisfies readonly (keyof SubmissionEntity)[];

export type DecidedColumns = Pick<SubmissionEntity, (typeof DECIDED)[number]>;
type PastVersion = DecidedColumns & Pick<SubmissionEvidencePastEntity, 'fromPosition' | 'toPosition'>;

export type BracketKey = Pick<BracketEntity, 'nodeKey' | 'kind' | 'afterSequence'>;

export const ROW_COLUMNS = [
  'nodeKey',
  'sequence',
  'status',
  'namespaceKey',
  'blobCount',
  'sizeBytes',
  'evidenceFromPosition',
  'fromPosition',
  'timeAt',
  'wildTime',
  'observedAt',
  'occurredAt',
  'digest',
  'message',
  'toldLineageKey',
  'headerAfter',
  'dataAfter',
  'shownAt',
  ...DECIDED,
] as const satisfies readonly (keyof SubmissionEntity)[];

/** A row that a node's list showed, with the columns that decisions need. Codes are those of `submission-codes.ts`. */
export interface Row extends Omit<
  Pick<SubmissionEntity, (typeof ROW_COLUMNS)[number]>,
  'nodeKey' | 'sequence'
> {
  readonly nodeKey: number;
  readonly sequence: bigint;
  /** Whether the row is in the table already; if not, it is inserted in its final form at the end of the batch. */
  readonly isStored: boolean;
  /** Its former versions from this batch, oldest first. */
  past?: PastVersion[];
}

/** The rows of a time slice, each as a single object, so that a decision about a row is visible everywhere. */
export class Rows {
  private readonly rows = new Map<string, Row>();
  /** Rows that report no DA height and are not in the table yet, by bracket, in list order. */
  private readonly added = new Map<string, Row[]>();

  add(row: Row): void {
    this.rows.set(nameOf(row), row);
    const { nodeKey } = row;
    if (row.headerAfter !== null) this.addTo({ nodeKey, kind: 0, afterSequence: row.headerAfter }, row);
    if (row.dataAfter !== null) this.addTo({ nodeKey, kind: 1, afterSequence: row.dataAfter }, row);
  }

  /** Returns the object already known for this row, or registers this one. */
  identify(row: Row): Row {
    return entryOf(this.rows, nameOf(row), () => row);
  }

  addedTo(bracket: BracketKey): readonly Row[] {
    return this.added.get(nameOfBracket(bracket)) ?? [];
  }

  private addTo(bracket: BracketKey, row: Row): void {
    entryOf(this.added, nameOfBracket(bracket), () => []).push(row);
  }
}

export function nameOf({ nodeKey, sequence }: Pick<Row, 'nodeKey' | 'sequence'>): string {
  return `${nodeKey}/${sequence}`;
}

export function nameOfBracket({ nodeKey, kind, afterSequence }: BracketKey): string {
  return `${nodeKey}/${kind}/${afterSequence}`;
}

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const OBSERVED = evidenceCodeOf('OBSERVED');

/** Decides columns as of a position, and keeps their former values. @returns whether anything changed */
export function decide(row: Row, position: bigint, decided: Readonly<Partial<DecidedColumns>>): boolean {
  let isAsBefore = true;
  for (const name in decided)
    isAsBefore &&= row[name as keyof DecidedColumns] === decided[name as keyof DecidedColumns];
  if (isAsBefore) return false;
  if (row.evidenceFromPosition !== position) {
    row.past ??= [];
    const before = Object.fromEntries(DECIDED.map((name) => [name, row[name]])) as unknown as DecidedColumns;
    row.past.push({ ...before, fromPosition: row.evidenceFromPosition, toPosition: position });
  }
  Object.assign(row, decided);
  row.evidenceFromPosition = position;
  return true;
}

/** Withdraws the landing of a failure that did not land, or not where it was thought to. @returns whether anything changed */
export function takeBack(row: Row, position: bigint): boolean {
  row.shownAt = null;
  const before = { daHeight: null, lineageKey: row.toldLineageKey, ...NOTHING_CARRIED };
  return decide(row, position, { ...before, evidence: OBSERVED });
}

/** The former versions that must be stored. Readers derive the others: see `known-rows.reader.ts`. */
export function storedPast(row: Row): SubmissionEvidencePastEntity[] {
  const { nodeKey, sequence, past = [] } = row;
  return past.flatMap((version, index) => {
    const isTold = version.fromPosition === row.fromPosition && isFirstOf(version, past[index + 1] ?? row);
    return isTold ? [] : [{ nodeKey, sequence, ...version }];
  });
}

function isFirstOf(version: DecidedColumns, next: DecidedColumns): boolean {
  const isSame = (['lineageKey', 'chainId', 'kind', 'daHeight', 'countsForChain'] as const).every(
    (name) => version[name] === next[name],
  );
  return version.evidence === UNCONFIRMED && version.blockFrom === null && version.shares === null && isSame;
}

export const UNKNOWN = kindCodeOf('UNKNOWN');

export interface RowsReport {
  /** Namespace keys of the node. They decide the kind of rows whose kind is unknown or whose chain changes. */
  readonly namespaces?: Namespaces<number>;
  /** The node's lineage, for rows from before it had shown any. */
  readonly history?: number;
  /** Only rows of these lists get the lineage; undefined: all rows. */
  readonly historyOf?: readonly Named[];
  /** Rows recorded from this position on get no lineage: their list has no chain yet. */
  readonly unnamedFrom?: bigint;
  /** The chains of lists, for their rows. */
  readonly chains?: readonly Named[];
}

/**
 * Applies an event's report to a row.
 * @param chainOf the chain of each lineage
 * @returns whether the row changed
 */
export function applyReport(
  row: Row,
  { namespaces, history, historyOf, unnamedFrom, chains }: RowsReport,
  position: bigint,
  chainOf: ReadonlyMap<number, string>,
): boolean {
  let isChanged = false;
  const moved = chains?.find(
    (each) => isWithin(row, each) && row.toldLineageKey === null && row.chainId === each.before,
  );
  if (moved) {
    isChanged = decide(row, position, { chainId: moved.name, lineageKey: null });
    if (row.status !== 0 && row.daHeight !== null) takeBack(row, position);
  }
  const { fromPosition } = row;
  const isAsked =
    (historyOf?.some((each) => isWithin(row, each)) ?? true) &&
    (unnamedFrom === undefined || fromPosition < unnamedFrom);
  if (
    history !== undefined &&
    isAsked &&
    row.toldLineageKey === null &&
    row.chainId === chainOf.get(history)
  ) {
    row.toldLineageKey = history;
    isChanged = true;
    if (row.lineageKey === null) decide(row, position, { lineageKey: history });
  }
  if (namespaces && (moved || row.kind === UNKNOWN) && row.namespaceKey !== null) {
    const kind = kindCodeOf(kindOf(row.namespaceKey, namespaces));
    isChanged = decide(row, position, { kind, ...waitingEvidence(row, kind) }) || isChanged;
  }
  return isChanged;
}

/** A success without a chain takes part in no decision; its kind determines what it waits for. */
function waitingEvidence({ chainId, status, daHeight, blobCount }: Row, code: number) {
  if (chainId !== null || status !== 0 || daHeight === null) return {};
  const kind = SUBMISSION_KINDS[code] ?? 'UNKNOWN';
  return { evidence: evidenceCodeOf(evidenceOfUnplaced({ kind, blobCount })) };
}

function isWithin({ fromPosition }: Row, { since, until }: Named): boolean {
  return fromPosition >= since && (until === null || fromPosition < until);
}
