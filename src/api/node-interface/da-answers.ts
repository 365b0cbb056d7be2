import { Inject, Injectable } from '@nestjs/common';
import { readClaim } from '../../domain/health/health-intervals.js';
import {
  describeHealth,
  describeStats,
  NOT_AGGREGATOR,
  type ClaimedRow,
} from '../../domain/node-interface/da-claims.js';
import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import { printJson } from '../../domain/node-interface/print-json.js';
import { decodeSubmissionRow } from '../../domain/submissions/submission-row.js';
import { type Micros, microsToMillis, microsToNanos, millisToMicros } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { HistoryQuery } from '../health/history.query.js';
import type { AnswerShape, Asked, ListPart } from './asked.js';
import {
  jsonAnswer,
  NEXT_BEFORE,
  pageNotFound,
  textAnswer,
  withMember,
  type NodeAnswer,
  type Standing,
} from './node-answer.js';
import { NodeStatisticsQuery } from './node-statistics.query.js';
import { SaidQuery, type SaidClaim } from './said.query.js';
import { ShownListQuery, type ShownList } from './shown-list.query.js';

/** Answers `/da/submissions`, `/da/stats` and `/da/health` from the record. */
@Injectable()
export class DaAnswers {
  constructor(
    private readonly lists: ShownListQuery,
    private readonly said: SaidQuery,
    private readonly statistics: NodeStatisticsQuery,
    private readonly history: HistoryQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** The list as the node was showing it; with a part of the record named, those rows of it, the newest first. */
  async getSubmissions(asked: Asked, part: ListPart | undefined): Promise<NodeAnswer> {
    if (part) return this.getRecorded(asked, part);
    const list = await this.lists.getList(asked);
    const off = refuseOff(list.state, asked.shape, list);
    if (off) return off;
    if (list.state === 'NOT_AGGREGATOR') {
      return jsonAnswer({ ...NOT_AGGREGATOR, submissions: [], total: 0 }, standingOf(list));
    }
    return jsonAnswer(printRows(list.rows), standingOf(list));
  }

  /** What the node says of its list, and what the whole record says under `history`. */
  async getStats(asked: Asked): Promise<NodeAnswer> {
    const { node, at, shape } = asked;
    const [list, claim] = await Promise.all([
      this.lists.getList(asked),
      this.said.findClaim('stats', node, at),
    ]);
    const off = refuseOff(list.state, shape, list);
    if (off) return off;
    // The list has moved on since an older claim.
    const isOfThisList = claim !== undefined && list.asOf !== null && claim.observedAt >= list.asOf;
    const own = isOfThisList
      ? { text: claim.text, asOf: claim.observedAt, isProven: isProvenAt(asked, list, claim) }
      : { text: printJson(computeStats(list)), asOf: list.asOf, isProven: false };
    const history = await this.statistics.getHistory(node, at);
    const missing = history === null ? ['history'] : [];
    const body = history === null ? own.text : withMember(own.text, 'history', history);
    return jsonAnswer(body, { isProven: own.isProven, asOf: own.asOf, missing });
  }

  /** What the node claims of its DA layer, and what is concluded of it under `hindsight`. */
  async getHealth(asked: Asked): Promise<NodeAnswer> {
    const { node, at, shape } = asked;
    const moment = at ?? millisToMicros(this.options.clock.now());
    const [list, claim, [ours]] = await Promise.all([
      this.lists.getList(asked),
      this.said.findClaim('health', node, at),
      this.history.getHealthAt([{ node, at: moment }]),
    ]);
    const off = refuseOff(list.state, shape, list);
    if (off) return off;
    const computed = computeHealth(list, moment);
    const isOfThisList = claim !== undefined && claim.observedAt >= (list.asOf ?? claim.observedAt);
    const own = isOfThisList ? claim : claim ? withMetrics(claim, computed) : computed;
    const concluded = {
      status: (ours?.state ?? 'UNKNOWN').toLowerCase(),
      since: ours ? formatNanoseconds(ours.from) : null,
      rule: ours?.rule ?? null,
      reason: ours?.reason ?? null,
    };
    const text = shape === 'SPEC' ? withStatus(own.text, concluded.status, list.isAway) : own.text;
    const isProven = isOfThisList && isProvenAt(asked, list, claim);
    return jsonAnswer(withMember(text, 'hindsight', concluded), { isProven, asOf: own.observedAt });
  }

  private async getRecorded(asked: Asked, part: ListPart): Promise<NodeAnswer> {
    const { rows, next } = await this.lists.getRecordedRows(asked, part);
    const answer = jsonAnswer(printRows(rows), { isProven: false, asOf: null });
    return next === undefined ? answer : { ...answer, headers: { [NEXT_BEFORE]: String(next) } };
  }
}

/** The answer of a list that cannot be read, by what it was; undefined of one that can. */
export function refuseOff(
  state: ShownList['state'],
  shape: AnswerShape,
  { asOf, isProven }: Standing,
): NodeAnswer | undefined {
  const standing = { asOf, isProven };
  switch (state) {
    case null:
      return textAnswer(503, "Nothing is on record of this node's list of submissions at that moment.");
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

function standingOf({ asOf, isProven }: ShownList): Standing {
  return { asOf, isProven };
}

/** Rows as sent: nothing of them is printed anew. */
function printRows(rows: readonly string[]): string {
  return `{"submissions":[${rows.join(',')}],"total":${rows.length}}`;
}

function computeStats(list: ShownList): object {
  return list.state === 'NOT_AGGREGATOR'
    ? { ...NOT_AGGREGATOR, total_submissions: 0 }
    : describeStats(toClaimedRows(list));
}

/** What the real node would say of the rows: nobody has asked the node. */
function computeHealth(list: ShownList, at: Micros): Pick<SaidClaim, 'text'> & { observedAt: Micros | null } {
  const timestamp = formatNanoseconds(microsToNanos(at));
  const health =
    list.state === 'NOT_AGGREGATOR'
      ? { connection_status: 'n/a', ...NOT_AGGREGATOR, status: 'n/a', timestamp }
      : describeHealth(toClaimedRows(list), microsToMillis(at), timestamp);
  return { text: printJson(health), observedAt: list.asOf };
}

/** Newest first. */
function toClaimedRows({ rows, newestFirst }: ShownList): ClaimedRow[] {
  const claimed = rows.map((text) => {
    const row = decodeSubmissionRow(text);
    return {
      blob_size: Number(row.sizeBytes ?? 0n),
      gas_price: Number(row.gasPrice ?? 0),
      status_code: row.statusText ?? '',
      timestamp: row.occurredAtText ?? '',
    };
  });
  return newestFirst ? claimed : claimed.reverse();
}

/**
 * An older claim with the figures of the list as it is: a claim is recorded when what it says changes, not whenever its figures
 * do.
 */
function withMetrics(claim: SaidClaim, { text }: Pick<SaidClaim, 'text'>): SaidClaim {
  const { metrics } = JSON.parse(text) as { readonly metrics?: object };
  const told = JSON.parse(claim.text) as { readonly metrics?: unknown };
  return metrics && told.metrics ? { ...claim, text: JSON.stringify({ ...told, metrics }) } : claim;
}

/** A node that is away claims nothing any more; what it said last is not what it would say. */
function isProvenAt({ at }: Asked, list: ShownList, claim: SaidClaim): boolean {
  return at === claim.observedAt || (at === undefined && !list.isAway);
}

/** The claim with its status in the specification's words; where it claims none of them, or is away, what is concluded. */
function withStatus(text: string, concluded: string, isAway: boolean): string {
  const claim = JSON.parse(text) as { readonly status?: unknown };
  const claimed = isAway ? 'UNKNOWN' : readClaim(typeof claim.status === 'string' ? claim.status : null);
  return JSON.stringify({ ...claim, status: claimed === 'UNKNOWN' ? concluded : claimed.toLowerCase() });
}
