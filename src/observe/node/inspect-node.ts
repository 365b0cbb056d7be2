import type { DecodedBlock } from '../../domain/blocks/block.js';
import { decodeSubmissionRow, type SubmissionRow } from '../../domain/submissions/submission-row.js';
import { directionOfNewList } from '../../domain/submissions/window-placement.js';
import type { Millis } from '../../domain/time.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { NodeAnswer, RefusalState } from '../../node-api/answer.js';
import type { ProbeResult, StatusProbe } from '../../node-api/probes.client.js';
import type { Clock } from '../../platform/clock.js';
import { ChainHeadFinder } from '../blocks/chain-head.js';
import { describeNode, type NodeDescription } from './describe-node.js';

/** An endpoint that returned nothing usable, and why. */
export interface UnusableAnswer {
  readonly state: RefusalState;
  readonly detail: string;
}

/** Everything that one poll of a node can report. Heights are null where the node does not report them. */
export interface NodeInspection {
  readonly description: NodeDescription;
  readonly live: ProbeResult;
  readonly ready: ProbeResult;
  /** Undefined where no status address is configured. */
  readonly status: StatusProbe | undefined;
  /** The number of rows in its list, the newest row, and whether any row has a gas price above 0; or why there is no list. */
  readonly submissions:
    | { readonly count: number; readonly newest: SubmissionRow | null; readonly isPriced: boolean }
    | UnusableAnswer;
  /** The status in its own `/da/health`. */
  readonly claim: { readonly status: string | null } | UnusableAnswer;
  readonly newestBlock: DecodedBlock | UnusableAnswer;
  readonly oldest: bigint | null;
  /** The height up to which it calls its blocks included. */
  readonly included: bigint | null;
  /** The height up to which it reports its headers as submitted; only a node that submits reports it. */
  readonly submitted: bigint | null;
  /** The node's clock minus ours in milliseconds, accurate to a second; null where it sends no time. */
  readonly clockOffsetMs: Millis | null;
}

/** Polls a node once, with harmless requests only, and records nothing. */
export async function inspectNode(
  api: NodeApi,
  clock: Clock,
  statusUrl: string | undefined,
  signal: AbortSignal,
): Promise<NodeInspection> {
  const live = await api.live(signal);
  const clockOffsetMs = live.nodeClock === undefined ? null : live.nodeClock + 500 - clock.now();
  const description = await describeNode(api, { ...(statusUrl !== undefined && { statusUrl }) }, signal);
  const [ready, status, list, health, included, submitted, ends] = await Promise.all([
    api.ready(signal),
    api.status(signal),
    api.submissions(signal),
    api.health(signal),
    api.metadata('d', signal),
    api.metadata('last-submitted-header-height', signal),
    findEnds(api, clock, signal),
  ]);
  return {
    description,
    live,
    ready,
    status,
    submissions: orLacking(list, (window) => ({
      count: window.rows.length,
      newest: newestOf(window.rows),
      isPriced: window.rows.some((row) => decodeSubmissionRow(row).gasPrice !== null),
    })),
    claim: orLacking(health, ({ json }) => ({
      status: typeof json['status'] === 'string' ? json['status'] : null,
    })),
    ...ends,
    included: included.ok ? included.value : null,
    submitted: submitted.ok ? submitted.value : null,
    clockOffsetMs,
  };
}

export function isUnusable(value: object): value is UnusableAnswer {
  return 'state' in value && 'detail' in value;
}

function orLacking<T, V extends object>(answer: NodeAnswer<T>, read: (value: T) => V): V | UnusableAnswer {
  return answer.ok ? read(answer.value) : { state: answer.state, detail: answer.detail };
}

function newestOf(rows: readonly string[]): SubmissionRow | null {
  const newest = directionOfNewList(rows, undefined).rows.at(-1);
  return newest === undefined ? null : decodeSubmissionRow(newest);
}

/** The newest and the oldest block, by whatever methods the node offers. */
async function findEnds(
  api: NodeApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<NodeInspection, 'newestBlock' | 'oldest'>> {
  const finder = new ChainHeadFinder(api, clock);
  const found = await finder.find(0n, signal);
  if (!found.ok) return { newestBlock: { state: found.state, detail: found.detail }, oldest: null };
  const { height, initialHeight } = found.value;
  const newest = await api.block({ height }, signal);
  const first = initialHeight !== null && initialHeight > 0n ? initialHeight : 1n;
  const isFirstThere = (await api.block({ height: first }, signal)).ok;
  return {
    newestBlock: orLacking(newest, (value) => value),
    oldest: isFirstThere ? first : await finder.findNext(first, height, signal),
  };
}
