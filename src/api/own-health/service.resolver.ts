import { Inject } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { parseTime } from '../../domain/time.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { UnreadWatch, type UnreadState } from '../replica/unread-watch.js';
import { ReadinessQuery } from './readiness.query.js';
import type { Readiness } from './readiness.js';
import { Service } from './service.type.js';

/** Eight statements, shared by all concurrent requests. */
const COST_OF_SERVICE = 40_000;

@Resolver()
export class ServiceResolver {
  constructor(
    private readonly readiness: ReadinessQuery,
    private readonly unread: UnreadWatch,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'version'>,
  ) {}

  @Query(() => Service, {
    name: 'service',
    complexity: COST_OF_SERVICE,
    description:
      'State of Hindsight itself: its release, how far its answers are behind the log, and its disk.',
  })
  async getService(): Promise<Service> {
    const unread = await this.unread.getState();
    return toService(this.options.version, await this.readiness.getReadiness(true), unread);
  }
}

function toService(version: string, readiness: Readiness, unread: UnreadState | undefined): Service {
  const { ready, reason = null, degraded = [], logPosition, projections, disk } = readiness;
  const bytes = (value: number | undefined): bigint | null =>
    value === undefined ? null : BigInt(Math.round(value));
  return Object.assign(new Service(), {
    version,
    ready,
    reason,
    degraded,
    position: logPosition === undefined ? null : BigInt(logPosition),
    behindSeconds: projections ? Math.max(0, ...projections.map(({ behindSeconds }) => behindSeconds)) : null,
    statisticsBehindSeconds: readiness.statisticsBehindSeconds ?? null,
    unreadEvents: unread === undefined ? 0n : unread.events && BigInt(unread.events),
    unreadFrom: (unread?.from && parseTime(unread.from)) ?? null,
    logBytes: bytes(disk?.log),
    readModelBytes: bytes(disk?.readModels),
    freeBytes: bytes(disk?.free),
    daysLeft: disk?.daysLeft ?? null,
  });
}
