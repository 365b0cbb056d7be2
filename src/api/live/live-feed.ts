import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Millis } from '../../domain/time.js';
import { Loop, LoopDirectory } from '../../platform/loops/loop.js';
import { RareLog } from '../../platform/rare-log.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { JoinedQueries } from '../graphql/joined-queries.js';
import { HistoryQuery } from '../health/history.query.js';
import { EventQueue } from './event-queue.js';
import { IncidentChanges } from './incident-changes.js';
import { type HealthKey, LiveChangesQuery, type LiveCursor } from './live-changes.query.js';
import { type LiveEvent, type LiveKind, LiveStep } from './live-step.js';
import type { HealthChange, LiveArgs } from './live.type.js';

/** The interval of reading changes while anybody is subscribed. */
const READ_EVERY_MS: Millis = 750;
/** The interval of reading open incidents again where nothing changed: time ends them. */
const INCIDENTS_EVERY_MS: Millis = 3_000;
const BACKOFF = { firstMs: 1_000, longestMs: 5_000 };

interface Subscriber {
  readonly kind: LiveKind;
  readonly args: LiveArgs;
  /** Whether it gets what is committed from now on. */
  isReady: boolean;
}

/**
 * Reads what was recorded, about once a second while anybody is subscribed, and hands it to all subscribers of this process. The
 * database is polled rather than listened to: a replica passes no notifications on.
 */
@Injectable()
export class LiveFeed implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly subscribers = new Map<EventQueue<LiveEvent>, Subscriber>();
  private cursor: LiveCursor | undefined;
  private beginning: Promise<void> | undefined;
  private incidentsAt = -Infinity;
  private readonly loop: Loop;

  constructor(
    private readonly changes: LiveChangesQuery,
    private readonly incidents: IncidentChanges,
    private readonly history: HistoryQuery,
    private readonly loops: LoopDirectory,
    private readonly joined: JoinedQueries,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {
    const complaints = new RareLog(options.clock, options.logger);
    this.loop = new Loop(
      {
        name: 'live',
        turn: () => this.turn(),
        onFailure: (error) => complaints.warn(error, 'changes cannot be read for subscriptions'),
      },
      { clock: options.clock, backoff: BACKOFF },
    );
  }

  onModuleInit(): void {
    this.loops.start(this.loop, READ_EVERY_MS);
  }

  beforeApplicationShutdown(): void {
    this.loop.end();
    for (const queue of this.subscribers.keys()) queue.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loops.stop(this.loop);
  }

  /** Number of subscriptions that are served. */
  get readyCount(): number {
    return [...this.subscribers.values()].filter(({ isReady }) => isReady).length;
  }

  /**
   * Subscribes to what is committed from now on.
   * @param letGo called when the subscriber takes its events too slowly
   */
  async subscribe(kind: LiveKind, args: LiveArgs, letGo: () => void): Promise<EventQueue<LiveEvent>> {
    const queue = new EventQueue<LiveEvent>(letGo, (ended) => this.subscribers.delete(ended));
    const subscriber = { kind, args, isReady: false };
    this.subscribers.set(queue, subscriber);
    try {
      await this.begin();
      if (kind === 'incidentChanged') await this.incidents.begin();
      subscriber.isReady = true;
    } catch (error) {
      queue.end();
      throw error;
    }
    return queue;
  }

  private async begin(): Promise<void> {
    if (this.cursor !== undefined) return;
    this.beginning ??= this.changes
      .getChanges()
      .then(({ cursor }) => void (this.cursor = cursor))
      .finally(() => (this.beginning = undefined));
    await this.beginning;
  }

  /** @returns milliseconds until the next iteration */
  private async turn(): Promise<number> {
    const kinds = new Set([...this.subscribers.values()].map(({ kind }) => kind));
    if (!kinds.has('incidentChanged')) this.incidents.forget();
    if (kinds.size === 0) this.cursor = undefined;
    else if (this.cursor !== undefined) await this.deliver(this.cursor, kinds);
    return READ_EVERY_MS;
  }

  private async deliver(since: LiveCursor, kinds: ReadonlySet<LiveKind>): Promise<void> {
    const { cursor, health, noted, ...rows } = await this.changes.getChanges(since);
    const states = kinds.has('healthChanged') ? await this.readHealth(health) : [];
    const isDue = health.length > 0 || noted.length > 0 || this.areIncidentsDue();
    const incidents = kinds.has('incidentChanged') && isDue ? await this.readIncidents(noted) : [];
    // Not before: after a failure everything is read again.
    this.cursor = cursor;
    // Subscribers ask again now. A query that already runs may not have read the change.
    this.joined.clear();
    const step = new LiveStep(rows, states, incidents);
    for (const [queue, { kind, args }] of this.subscribers) queue.push(step.eventsOf(kind, args));
  }

  private async readHealth(keys: readonly HealthKey[]): Promise<HealthChange[]> {
    const components = [...new Set(keys.map(({ component }) => component))];
    const found = await Promise.all(
      components.map(async (component) => {
        const ofComponent = keys.filter((key) => key.component === component);
        const moments = ofComponent.map(({ node, from }) => ({ node, at: from }));
        const intervals = await this.history.getHealthAt(moments, component);
        return ofComponent.flatMap(({ node: nodeId, chain }, index) => {
          const interval = intervals[index];
          return interval ? [{ nodeId, chain, component, interval }] : [];
        });
      }),
    );
    return found.flat();
  }

  private areIncidentsDue(): boolean {
    const isLongAgo = this.options.clock.monotonic() - this.incidentsAt >= INCIDENTS_EVERY_MS;
    return this.incidents.areAnyOpen && isLongAgo;
  }

  private async readIncidents(noted: readonly string[]) {
    this.incidentsAt = this.options.clock.monotonic();
    return this.incidents.findChanged(noted);
  }
}
