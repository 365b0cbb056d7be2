import { Inject, Injectable } from '@nestjs/common';
import type { BlockHeader } from '../../domain/blocks/block.js';
import { UNWATCHED_RULES } from '../../domain/health/trouble.js';
import { formatNanoseconds } from '../../domain/node-interface/go-time.js';
import type { ProbeStateEntity } from '../../tables/health.entities.js';
import { toPrintable } from '../../domain/printable-text.js';
import { millisToMicros, nanosToMicros } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { HistoryQuery } from '../health/history.query.js';
import type { NodeQuestion } from './node-question.js';
import {
  jsonAnswer,
  pageNotFound,
  plainAnswer,
  textAnswer,
  type ServedAnswer,
  type Provenance,
} from './node-answer.js';
import { RecordedBlockQuery } from './recorded-block.query.js';
import { SaidQuery } from './said.query.js';

/** The real node's responses to probes that succeed. */
const ALL_IS_WELL = { live: 'OK', ready: 'READY' } as const;

/** Answers `/health/live`, `/health/ready` and `/status` of a node from its recorded probes. */
@Injectable()
export class ProbeAnswers {
  constructor(
    private readonly said: SaidQuery,
    private readonly blocks: RecordedBlockQuery,
    private readonly history: HistoryQuery,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'nodes'>,
  ) {}

  async getProbe(probe: keyof typeof ALL_IS_WELL, { node, at }: NodeQuestion): Promise<ServedAnswer> {
    const state = await this.said.findProbe(probe, node, at);
    if (!state) return nothingKnown(probe);
    const refusal = refuseProbe(state, at) ?? (await this.refuseUnwatched(state, at));
    return refusal ?? plainAnswer(ALL_IS_WELL[probe], standingOf(state, at));
  }

  async getStatus(question: NodeQuestion): Promise<ServedAnswer> {
    const { node, at, shape } = question;
    const state = await this.said.findProbe('status', node, at);
    if (!state) return this.answerWithoutStatus(question);
    const refusal = refuseProbe(state, at) ?? (await this.refuseUnwatched(state, at));
    if (refusal) return refusal;
    const newest = await this.blocks.findBlock(question, 'newest');
    const head = newest?.record.header;
    const record = {
      node_info: head && { network: head.chainId },
      sync_info: {
        ...(head && describeLatest(head)),
        catching_up: state.catchingUp ?? undefined,
      },
    };
    const missing = [
      ...(head ? [] : ['node_info', 'sync_info.latest_block_height']),
      'sync_info.earliest_block_height',
      ...(state.catchingUp === null ? ['sync_info.catching_up'] : []),
      'validator_info',
    ];
    const asOf = newest && newest.asOf > state.fromAt ? newest.asOf : state.fromAt;
    const body = shape === 'SPEC' ? record : { jsonrpc: '2.0', id: -1, result: record };
    return jsonAnswer(body, { asOf, isProven: false, missing });
  }

  /** A node that is configured without an address of its status query has none where its other probes are; it answers 404. */
  private async answerWithoutStatus({ node, at }: NodeQuestion): Promise<ServedAnswer> {
    const isGiven = this.options.nodes?.find(({ id }) => id === node)?.statusUrl !== undefined;
    const live = await this.said.findProbe('live', node, at);
    const isLater = (await this.said.findProbe('status', node, undefined)) !== undefined;
    if (isGiven || !live || isLater) return nothingKnown('status');
    const isAway = live.outcome === 'TIMEOUT' || live.outcome === 'REFUSED';
    return (isAway && refuseProbe(live, at)) || pageNotFound();
  }

  /** Refuses while the node is not monitored: a good last poll does not mean that the node is still well. */
  private async refuseUnwatched(
    { node, fromAt }: ProbeStateEntity,
    at: NodeQuestion['at'],
  ): Promise<ServedAnswer | undefined> {
    const moment = at ?? millisToMicros(this.options.clock.now());
    const [own] = await this.history.getHealthAt([{ node, at: moment }], 'NODE');
    return own && UNWATCHED_RULES.has(own.rule) && nanosToMicros(own.from) > fromAt
      ? textAnswer(503, own.reason, { isProven: false, asOf: fromAt })
      : undefined;
  }
}

/** Like the real adapter, which shows the data's hash in place of the block's. */
function describeLatest({ height, timeNs, dataHash, appHash }: BlockHeader): object {
  return {
    latest_block_hash: dataHash.toUpperCase(),
    latest_app_hash: appHash.toUpperCase(),
    latest_block_height: String(height),
    latest_block_time: formatNanoseconds(timeNs),
  };
}

function nothingKnown(probe: string): ServedAnswer {
  return textAnswer(503, `The probe ${probe} is not on record at that moment.`);
}

/** The response to a probe that failed; undefined for one that succeeded. */
function refuseProbe(state: ProbeStateEntity, at: NodeQuestion['at']): ServedAnswer | undefined {
  const standing = standingOf(state, at);
  const { outcome, statusCode } = state;
  const detail = toPrintable(state.detail);
  switch (outcome) {
    case 'OK':
      return undefined;
    case 'NOT_OFFERED':
      return pageNotFound(standing);
    case 'FAILED':
      return textAnswer(
        statusCode !== null && statusCode >= 400 && statusCode <= 599 ? statusCode : 503,
        detail,
        standing,
      );
    case 'TIMEOUT':
    case 'REFUSED':
    case 'INVALID':
      return textAnswer(503, `${outcome}: ${detail}`, standing);
    default:
      return outcome satisfies never;
  }
}

function standingOf({ fromAt }: ProbeStateEntity, at: NodeQuestion['at']): Provenance {
  return { asOf: fromAt, isProven: at === undefined || at === fromAt };
}
