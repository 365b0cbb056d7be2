import { Inject, Injectable } from '@nestjs/common';
import { readClaim } from '../../domain/health/health-intervals.js';
import type { HealthState } from '../../domain/health/health-rule.js';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { describeHealth, followsKnownRules, NOT_AGGREGATOR } from '../../domain/node-interface/da-claims.js';
import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import {
  type Micros,
  microsToMillis,
  microsToNanos,
  type Millis,
  millisToMicros,
} from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { HistoryQuery } from '../health/history.query.js';
import type { NodeQuestion } from './node-question.js';
import { refuseOff, toClaimedRows } from './da-answers.js';
import { jsonAnswer, withMember, type ServedAnswer } from './node-answer.js';
import { SaidQuery, type SaidClaim } from './said.query.js';
import { ShownListQuery, type ShownList } from './shown-list.query.js';

/** Our own rules that mean the node's list is not reached or not monitored. */
const UNSEEN: ReadonlySet<string> = new Set([...UNWATCHED_RULES, 'unreachable', 'refused', 'invalid']);

/**
 * Where the status comes from.
 *
 * - `claimed`: the node's own claim.
 * - `computed`: what the real node would say of its list now. The list was polled after the claim, or it cannot be reached.
 * - `concluded`: our own conclusion, as the node claims nothing.
 * - `not reached`: the node cannot be reached.
 */
type Basis = 'claimed' | 'computed' | 'concluded' | 'not reached';

/** The health of an unreachable node in the specification's shape, for the members that the node has. */
const NOT_REACHED = {
  status: 'critical',
  is_healthy: false,
  connection_healthy: false,
  connection_status: 'not reached',
};

interface DaHealthBody {
  /** A JSON object. */
  readonly text: string;
  readonly basis: Basis;
}

/** Answers `/da/health` from the record. */
@Injectable()
export class DaHealthAnswers {
  constructor(
    private readonly lists: ShownListQuery,
    private readonly said: SaidQuery,
    private readonly history: HistoryQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** The health that the node claims of its DA layer, and our conclusion under `hindsight`. */
  async getHealth(question: NodeQuestion): Promise<ServedAnswer> {
    const { node, at, shape } = question;
    const moment = at ?? millisToMicros(this.options.clock.now());
    const [list, claim, [ours]] = await Promise.all([
      this.lists.getList(question),
      this.said.findClaim('health', node, at),
      this.history.getHealthAt([{ node, at: moment }]),
    ]);
    const off = refuseOff(list.state, shape, list);
    if (off) return off;
    const isSeen = !list.isAway && !UNSEEN.has(ours?.rule ?? '');
    const isOfThisList = isSeen && claim !== undefined && claim.observedAt >= (list.asOf ?? claim.observedAt);
    const own = isOfThisList
      ? { text: claim.text, basis: 'claimed' as const }
      : bringUpToDate(claim, list, moment, isSeen);
    const concluded = {
      status: (ours?.state ?? 'UNKNOWN').toLowerCase(),
      since: ours ? formatNanoseconds(ours.from) : null,
      rule: ours?.rule ?? null,
      reason: ours?.reason ?? null,
    };
    const { text, basis } = shape === 'SPEC' ? specify(own, concluded.status, isSeen) : own;
    return jsonAnswer(withMember(text, 'hindsight', { ...concluded, basis }), {
      isProven: isOfThisList && (at === undefined || at === claim.observedAt),
      asOf: claim?.observedAt ?? list.asOf,
    });
  }
}

/**
 * The health that the real node would report for these rows at a moment.
 * @param aheadMs milliseconds by which the node's clock is ahead of ours
 */
function computeHealth(list: ShownList, at: Micros, aheadMs: Millis): HealthDocument {
  const timestamp = formatNanoseconds(microsToNanos(at));
  return list.state === 'NOT_AGGREGATOR'
    ? { connection_status: 'n/a', ...NOT_AGGREGATOR, status: 'n/a', timestamp }
    : { ...describeHealth(toClaimedRows(list), microsToMillis(at) + aheadMs, timestamp) };
}

type HealthDocument = Readonly<Record<string, unknown>>;

/**
 * An older claim with the current figures of the list. A claim is recorded when its statement changes, not with every figure, and
 * the list is polled more often. For a node with known rules, the status is what these rules give now. For other nodes the status
 * is kept while the node is reachable. Once it is not, a claim that was not healthy never becomes healthy.
 */
function bringUpToDate(
  claim: SaidClaim | undefined,
  list: ShownList,
  at: Micros,
  isSeen: boolean,
): DaHealthBody {
  if (!claim) return { text: JSON.stringify(computeHealth(list, at, 0)), basis: 'computed' };
  const document = JSON.parse(claim.text) as HealthDocument;
  const isKnown = followsKnownRules(document);
  const aheadMs = isKnown ? Date.parse(String(document['timestamp'])) - microsToMillis(claim.observedAt) : 0;
  const computed = computeHealth(list, at, aheadMs);
  const isMadeHealthy = readState(computed) === 'HEALTHY' && readState(document) !== 'HEALTHY';
  const isKept = !isKnown && (isSeen || isMadeHealthy);
  const fresh = Object.entries(computed).filter(
    ([name]) => Object.hasOwn(document, name) && (!isKept || name === 'metrics' || name === 'timestamp'),
  );
  const text = JSON.stringify({ ...document, ...Object.fromEntries(fresh) });
  const isAsClaimed = isKept || (isSeen && computed['status'] === document['status']);
  return { text, basis: isAsClaimed ? 'claimed' : 'computed' };
}

function readState({ status }: { readonly status?: unknown }): HealthState {
  return readClaim(typeof status === 'string' ? status : null);
}

/**
 * The same health with its status in one of the specification's three words. The specification has no word for unknown: an
 * unreachable node gets a connection issue, and a node whose DA layer cannot be judged is not called healthy.
 */
function specify({ text, basis }: DaHealthBody, concluded: string, isSeen: boolean): DaHealthBody {
  const document = JSON.parse(text) as { readonly status?: unknown };
  const as = (status: string, by: Basis): DaHealthBody => ({
    text: JSON.stringify({ ...document, status }),
    basis: by,
  });
  if (!isSeen) {
    const known = Object.entries(NOT_REACHED).filter(([name]) => Object.hasOwn(document, name));
    return { text: JSON.stringify({ ...document, ...Object.fromEntries(known) }), basis: 'not reached' };
  }
  const claimed = readState(document);
  if (claimed !== 'UNKNOWN') return as(claimed.toLowerCase(), basis);
  return as(concluded === 'unknown' ? 'warning' : concluded, 'concluded');
}
