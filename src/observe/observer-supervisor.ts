import type { PaceLimits } from '../domain/submissions/poll-cadence.js';
import { isInShard, type Shard } from '../domain/shard.js';
import type { EventStore } from '../event-log/event-store.js';
import { NodeApi } from '../node-api/node-api.js';
import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { HttpClient } from '../platform/http.js';
import type { Logger } from '../platform/logger.js';
import type { LoopDirectory } from '../platform/loops/loop.js';
import type { LeaderWork } from './leadership.js';
import { NodeRegistry } from './node/node-registry.js';
import { ObservedNodeLoops } from './observed-node-loops.js';
import type { PollWatch } from './poll-watch.js';
import type { ObservedNode } from './subject-observer.js';
import { SystemObservers } from './systems/system-observers.js';

export interface ObservationPlan {
  readonly nodes: readonly ObservedNode[];
  readonly pace: PaceLimits;
  /** Daily limit of bytes that each node may write into the log. */
  readonly bytesPerDay: number;
  readonly shard: Shard;
}

/** With many nodes, the first polls are spread over this time per node: first contact is the most work of all polls. */
const SPREAD_MS_PER_NODE = 10;
const SPREAD_FROM_NODES = 20;

export interface ObserverSupervisorParts {
  readonly store: EventStore;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly loops: LoopDirectory;
  readonly polls: PollWatch;
}

/** Starts and stops the observers of all nodes of a shard. */
export class ObserverSupervisor implements LeaderWork {
  private running: ObservedNodeLoops[] = [];

  constructor(
    private readonly plan: ObservationPlan,
    private readonly parts: ObserverSupervisorParts,
  ) {}

  async start(): Promise<void> {
    const nodes = this.plan.nodes.filter((node) => isInShard(node.id, this.plan.shard));
    await this.writeDownNodes(nodes);
    const spread = nodes.length < SPREAD_FROM_NODES ? 0 : nodes.length * SPREAD_MS_PER_NODE;
    const { http, ...shared } = this.parts;
    const systems = new SystemObservers(http, shared.clock);
    this.running = nodes.map((node) => {
      const { pace, bytesPerDay } = this.plan;
      const api = new NodeApi(http, shared.clock, node);
      const watched = new ObservedNodeLoops({
        ...shared,
        node,
        api,
        systems,
        pace,
        bytesPerDay,
        random: Math.random,
      });
      watched.start(Math.random() * spread);
      return watched;
    });
  }

  async stop(): Promise<void> {
    const stopping = this.running;
    this.running = [];
    const results = await Promise.allSettled(stopping.map((loops) => loops.stop()));
    for (const result of results) {
      if (result.status === 'rejected') {
        this.parts.logger.warn(
          { error: messageOf(result.reason) },
          'the last polls of a node could not be recorded',
        );
      }
    }
  }

  private async writeDownNodes(nodes: readonly ObservedNode[]): Promise<void> {
    const { store, clock } = this.parts;
    const registry = new NodeRegistry(store, clock);
    await Promise.all(nodes.map((node) => registry.register(node)));
    const named = new Set(this.plan.nodes.map((node) => node.id));
    const known = await store.getOwners('node');
    const gone = known.filter((id) => !named.has(id) && isInShard(id, this.plan.shard));
    await Promise.all(gone.map((id) => registry.retire(id)));
  }
}
