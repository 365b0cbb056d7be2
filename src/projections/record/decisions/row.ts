import type { SubmissionEntity as Submission } from '../../../tables/record/submission.entity.js';
import { SubmissionEntity } from '../../../tables/record/submission.entity.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import { chainOfUnplaced } from '../../chain-of-row.js';
import { DECIDED, type Attempt } from './decide.js';

const MORE = [
  'observedAt',
  'occurredAt',
  'digest',
  'message',
  'toldLineageKey',
  'headerAfter',
  'dataAfter',
  'shownAt',
] as const satisfies readonly (keyof Submission)[];

/** A row that a node's list showed, as far as decisions need it; changed by `decide` alone. */
export interface Row extends Omit<Attempt, 'occurredAt' | 'digest'>, Pick<Submission, (typeof MORE)[number]> {
  toldLineageKey: number | null;
  shownAt: Submission['shownAt'];
}

const READ = [
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
  ...DECIDED,
  ...MORE,
] as const satisfies readonly (keyof Submission)[];

/** What a SELECT of rows of `submission s` lists so that they are {@link Row}s. */
export const SELECT_ROW = `${selectList(SubmissionEntity, 's', READ)}, true AS "isStored",
  CASE WHEN s.told_lineage_key IS NULL THEN ${chainOfUnplaced('s')} END AS "namedChain"`;

/** The rows of a turn, each held once: what is decided of one is seen by all that hold it. */
export class Rows {
  private readonly rows = new Map<string, Row>();
  private readonly byNode = new Map<number, Row[]>();

  /** Rows that are not in the table yet. */
  add(row: Row): void {
    this.rows.set(nameOf(row), row);
    const ofNode = this.byNode.get(row.nodeKey);
    if (ofNode) ofNode.push(row);
    else this.byNode.set(row.nodeKey, [row]);
  }

  /** The one that is held already, or this one from now on. */
  identify(row: Row): Row {
    const name = nameOf(row);
    const known = this.rows.get(name);
    if (!known) this.rows.set(name, row);
    return known ?? row;
  }

  /** Those of a node that are not in the table yet, in the order of its list. */
  addedOf(nodeKey: number): readonly Row[] {
    return this.byNode.get(nodeKey) ?? [];
  }

  all(): IterableIterator<Row> {
    return this.rows.values();
  }
}

export function nameOf({ nodeKey, sequence }: Pick<Row, 'nodeKey' | 'sequence'>): string {
  return `${nodeKey}/${sequence}`;
}
