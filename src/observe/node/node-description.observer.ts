import type { NodeEvents } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { Clock } from '../../platform/clock.js';
import { describeNode } from './describe-node.js';
import type { NodeStreamState } from './node-registry.js';
import { StreamSession } from '../stream-session.js';
import type { ObservedNode, SubjectObserver } from '../subject-observer.js';

type Description = NodeEvents['NodeDescribed'];

/** What a node says of itself changes with a restart or a change of role; missing answers are asked for sooner. */
const EVERY_MS = 60_000;
const WHILE_INCOMPLETE_MS = 5_000;

/** Records what a node tells of itself (chain, shape, role, namespaces) whenever any of it changes. */
export class NodeDescriptionObserver implements SubjectObserver {
  readonly subject = 'node';

  constructor(
    private readonly parts: {
      readonly node: ObservedNode;
      readonly api: NodeApi;
      readonly store: EventStore;
      readonly clock: Clock;
      /** Told the node's chain, by what it says; null while that is not known. */
      readonly described?: (chain: string | null) => void;
    },
  ) {}

  async look(signal: AbortSignal): Promise<Millis> {
    const { node, api, store, clock } = this.parts;
    const description = await describeNode(api, node, signal);
    if (signal.aborted) return EVERY_MS;
    // The stream has other writers in this process, so its end is read as it is now.
    const session = new StreamSession<NodeStreamState>(store, `${node.id}/node`);
    const { state } = await session.load();
    const body = joinDescriptions(state?.described, description);
    if (JSON.stringify(body) !== JSON.stringify(state?.described)) {
      const event = { type: 'NodeDescribed', observedAt: clock.now(), body } as const;
      if (!(await session.append([event], { ...state, described: body }))) return WHILE_INCOMPLETE_MS;
    }
    this.parts.described?.(body.chain);
    const isComplete = body.chain !== null && body.shape !== null && body.aggregator !== null;
    return isComplete ? EVERY_MS : WHILE_INCOMPLETE_MS;
  }
}

/** What a node does not say this time is what it said before: silence takes nothing back. */
function joinDescriptions(before: Description | undefined, now: Description): Description {
  return {
    chain: now.chain ?? before?.chain ?? null,
    servicePrefix: now.servicePrefix ?? before?.servicePrefix ?? null,
    shape: now.shape ?? before?.shape ?? null,
    aggregator: now.aggregator ?? before?.aggregator ?? null,
    headerNamespace: now.headerNamespace ?? before?.headerNamespace ?? null,
    dataNamespace: now.dataNamespace ?? before?.dataNamespace ?? null,
  };
}
