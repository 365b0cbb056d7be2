import type { NodeEvents, NodeSettings } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { maskUrl } from '../../platform/redact.js';
import { StreamSession } from '../stream-session.js';
import type { ObservedNode } from '../subject-observer.js';

/** What the stream `<node>/node` remembers at its end. */
export interface NodeStreamState {
  readonly settings?: NodeSettings;
  readonly retired?: boolean;
  readonly described?: NodeEvents['NodeDescribed'];
}

/** A stream with two writers in one process: the loser of an append tries again at once. */
const TRIES = 10;

/** Writes down which nodes are watched, and with which settings, where that differs from what the log knows. */
export class NodeRegistry {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** `NodeRegistered` for a node the log has not seen (or that was retired), `NodeSettingsChanged` where its settings did. */
  async register(node: ObservedNode): Promise<void> {
    const settings = settingsOf(node);
    await this.change(node.id, (state) => {
      const known = state.settings !== undefined && state.retired !== true;
      if (known && isSame(state.settings, settings)) return undefined;
      const type = known ? 'NodeSettingsChanged' : 'NodeRegistered';
      return [
        { type, body: settings },
        { ...state, settings, retired: false },
      ];
    });
  }

  /** `NodeRetired` for a node that the settings no longer name. */
  async retire(nodeId: string): Promise<void> {
    await this.change(nodeId, (state) =>
      state.retired === true
        ? undefined
        : [
            { type: 'NodeRetired', body: {} },
            { ...state, retired: true },
          ],
    );
  }

  private async change(
    nodeId: string,
    decide: (
      state: NodeStreamState,
    ) =>
      | readonly [
          (
            | { type: 'NodeRegistered' | 'NodeSettingsChanged'; body: NodeSettings }
            | { type: 'NodeRetired'; body: Record<string, never> }
          ),
          NodeStreamState,
        ]
      | undefined,
  ): Promise<void> {
    const session = new StreamSession<NodeStreamState>(this.store, `${nodeId}/node`);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const { state } = await session.load();
      const change = decide(state ?? {});
      if (!change) return;
      const [event, next] = change;
      if (await session.append([{ ...event, observedAt: this.clock.now() }], next)) return;
    }
    throw new Error(`${nodeId}/node: other processes kept changing it`);
  }
}

/** What is recorded of a node's settings for ever, so without the keys that its addresses may hold. */
function settingsOf(node: NodeSettings): NodeSettings {
  return {
    url: maskUrl(node.url),
    ...(node.statusUrl === undefined ? {} : { statusUrl: maskUrl(node.statusUrl) }),
    ...(node.service === undefined ? {} : { service: node.service }),
    ...(node.chain === undefined ? {} : { chain: node.chain }),
  };
}

/** Earlier releases recorded addresses whole: that is no change. */
function isSame(known: NodeSettings, settings: NodeSettings): boolean {
  return JSON.stringify(settingsOf(known)) === JSON.stringify(settings);
}
