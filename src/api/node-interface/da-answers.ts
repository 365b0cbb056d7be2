import { Injectable } from '@nestjs/common';
import { describeStats, NOT_AGGREGATOR, type ClaimedRow } from '../../domain/node-interface/da-claims.js';
import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import { printJson } from '../../domain/node-interface/print-json.js';
import type { SubmissionStatus } from '../../domain/submissions/submission-codes.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';
import type { AnswerShape, NodeQuestion, ListPart } from './node-question.js';
import {
  jsonAnswer,
  NEXT_BEFORE,
  NO_PROVENANCE,
  pageNotFound,
  partsAnswer,
  textAnswer,
  unavailable,
  withMember,
  type ServedAnswer,
  type Provenance,
} from './node-answer.js';
import { NodeStatisticsQuery } from './node-statistics.query.js';
import { SaidQuery, type SaidClaim } from './said.query.js';
import { findMissing, ShownListQuery, type ShownList } from './shown-list.query.js';

/** Answers `/da/submissions` and `/da/stats` from the record. */
@Injectable()
export class DaAnswers {
  constructor(
    private readonly lists: ShownListQuery,
    private readonly said: SaidQuery,
    private readonly statistics: NodeStatisticsQuery,
  ) {}

  /** The list as the node showed it; if `part` is given, those rows of the record, newest first. */
  async getSubmissions(question: NodeQuestion, part: ListPart | undefined): Promise<ServedAnswer> {
    if (part) return this.getRecorded(question, part);
    const list = await this.lists.getList(question);
    const off = refuseOff(list.state, question.shape, list);
    if (off) return off;
    if (list.state === 'NOT_AGGREGATOR') {
      return jsonAnswer(
        { ...NOT_AGGREGATOR, submissions: [], total: 0 },
        { asOf: list.asOf, isProven: list.isProven },
      );
    }
    return partsAnswer(printRows(list.rows), standingOf(list));
  }

  /** The node's response where it has no page; undefined where it has one, or nothing is known of its list yet. */
  async refusePage(question: NodeQuestion): Promise<ServedAnswer | undefined> {
    const state = await this.lists.getState(question);
    return state === null ? undefined : refuseOff(state, question.shape, NO_PROVENANCE);
  }

  /** The node's statistics of its list, and those of the whole record under `history`. */
  async getStats(question: NodeQuestion & { readonly isHistoryAlone: boolean }): Promise<ServedAnswer> {
    const { node, at, shape, isHistoryAlone } = question;
    if (isHistoryAlone) return this.getHistory(question);
    const [list, claim] = await Promise.all([
      this.lists.getList(question),
      this.said.findClaim('stats', node, at),
    ]);
    const off = refuseOff(list.state, shape, list);
    if (off) return off;
    // The list has changed since an older claim.
    const isOfThisList = claim !== undefined && list.asOf !== null && claim.observedAt >= list.asOf;
    const own = isOfThisList
      ? { text: claim.text, asOf: claim.observedAt, isProven: isProvenAt(question, list, claim) }
      : { text: printJson(computeStats(list)), asOf: list.asOf, isProven: false };
    const history = await this.statistics.getHistory(node, at);
    const missing = history === null ? ['history'] : [];
    const body = history === null ? own.text : withMember(own.text, 'history', history);
    return jsonAnswer(body, { isProven: own.isProven, asOf: own.asOf, missing });
  }

  /** Only the statistics of the record, whatever the node answers. */
  private async getHistory(question: NodeQuestion): Promise<ServedAnswer> {
    const { node, at } = question;
    const unseen = await this.refuseUnseen(question);
    if (unseen) return unseen;
    const history = await this.statistics.getHistory(node, at);
    return history === null
      ? unavailable('The statistics of the record cannot be read.', ['history'])
      : jsonAnswer({ history }, NO_PROVENANCE);
  }

  /** Before the first poll nothing is known, which does not mean that nothing happened. */
  private async refuseUnseen(question: NodeQuestion): Promise<ServedAnswer | undefined> {
    if (question.at === undefined) return undefined;
    const list = await this.lists.getList(question);
    return list.state === null ? refuseOff(null, question.shape, list) : undefined;
  }

  private async getRecorded(question: NodeQuestion, part: ListPart): Promise<ServedAnswer> {
    const { rows, next } = await this.lists.getRecordedRows(question, part);
    const unseen = rows.length === 0 ? await this.refuseUnseen(question) : undefined;
    if (unseen) return unseen;
    const answer = partsAnswer(printRows(rows), { ...NO_PROVENANCE, missing: findMissing(rows) });
    return next === undefined ? answer : { ...answer, headers: { [NEXT_BEFORE]: String(next) } };
  }
}

/** The response where a list is not offered, by its state; undefined where rows can be returned. */
export function refuseOff(
  state: ShownList['state'],
  shape: AnswerShape,
  { asOf, isProven }: Provenance,
): ServedAnswer | undefined {
  const standing = { asOf, isProven };
  switch (state) {
    case null:
      return textAnswer(503, "This node's list of submissions is not on record at that moment.");
    case 'DISABLED':
      return shape === 'SPEC'
        ? pageNotFound(standing)
        : textAnswer(503, 'DA visualization not available', standing);
    case 'NOT_SUPPORTED':
      return pageNotFound(standing);
    case 'AVAILABLE':
    case 'NOT_AGGREGATOR':
    case 'INVALID':
    case 'UNREACHABLE':
      return undefined;
    default:
      return state satisfies never;
  }
}

function standingOf({ asOf, isProven, missing }: ShownList): Provenance {
  return { asOf, isProven, ...(missing && { missing }) };
}

/** Rows exactly as sent; they are not parsed and printed again. */
function printRows(rows: readonly string[]): string[] {
  const parts = rows.flatMap((row, index) => (index === 0 ? [row] : [',', row]));
  return ['{"submissions":[', ...parts, `],"total":${rows.length}}`];
}

function computeStats(list: ShownList): object {
  return list.state === 'NOT_AGGREGATOR'
    ? { ...NOT_AGGREGATOR, total_submissions: 0 }
    : describeStats(toClaimedRows(list));
}

/** Newest first. */
export function toClaimedRows({ rows, newestFirst }: ShownList): ClaimedRow[] {
  const claimed = rows.map((text) => {
    const row = decodeSubmissionRow(text);
    return {
      blob_size: row.sizeBytes === null ? null : Number(row.sizeBytes),
      gas_price: Number(row.gasPrice ?? 0),
      status_code: NODE_WORDS[row.status] ?? row.statusText ?? '',
      timestamp: timeOf(row),
    };
  });
  return newestFirst ? claimed : claimed.reverse();
}

/** The real node's words for statuses that nodes may write differently. */
const NODE_WORDS: Partial<Record<SubmissionStatus, string>> = { SUCCESS: 'Success', ERROR: 'Error' };

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/** The time as the node wrote it, if that is ISO 8601. */
function timeOf({ occurredAt, occurredAtText }: SubmissionRow): string {
  const text = occurredAtText ?? '';
  return occurredAt === null || ISO_TIME.test(text) ? text : formatNanoseconds(occurredAt);
}

/** An unreachable node claims nothing; its last claim is not what it would say now. */
function isProvenAt({ at }: NodeQuestion, list: ShownList, claim: SaidClaim): boolean {
  return at === claim.observedAt || (at === undefined && !list.isAway);
}
