import type { NodeSettings } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { maskUrl } from '../../platform/redact.js';
import { changeStream } from '../change-stream.js';
import type { NodeDescription } from './describe-node.js';
import type { ObservedNode } from '../subject-observer.js';

/** What the stream `<node>/node` remembers at its end. */
export interface NodeStreamState {
  readonly settings?: NodeSettings;
  readonly retired?: boolean;
  readonly described?: NodeDescription;
  /** Whether its descriptions say which list they belong to; those of older versions do not. */
  readonly namesLists?: boolean;
}

/** Writes down which nodes are watched, and with which settings, where that differs from what the log knows. */
export class NodeRegistry {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** `NodeRegistered` for a node the log has not seen (or that was retired), `NodeSettingsChanged` where its settings did. */
  async register(node: ObservedNode): Promise<void> {
    const body = settingsOf(node);
    await changeStream<NodeStreamState>(this.store, `${node.id}/node`, (state) => {
      const isKnown = state?.settings !== undefined && state.retired !== true;
      if (isKnown && isSame(state.settings, body)) return undefined;
      const type = isKnown ? 'NodeSettingsChanged' : 'NodeRegistered';
      const event = { type, observedAt: this.clock.now(), body } as const;
      return { event, state: { ...state, settings: body, retired: false } };
    });
  }

  /** `NodeRetired` for a node that the settings no longer name. */
  async retire(nodeId: string): Promise<void> {
    await changeStream<NodeStreamState>(this.store, `${nodeId}/node`, (state) => {
      const event = { type: 'NodeRetired', observedAt: this.clock.now(), body: {} } as const;
      return state?.retired === true ? undefined : { event, state: { ...state, retired: true } };
    });
  }
}

/** What is recorded of a node's settings, and stays, so without the keys that its addresses may hold. */
function settingsOf(node: NodeSettings): NodeSettings {
  return {
    url: maskUrl(node.url),
    ...(node.statusUrl === undefined ? {} : { statusUrl: maskUrl(node.statusUrl) }),
    ...(node.service === undefined ? {} : { service: node.service }),
    ...(node.chain === undefined ? {} : { chain: node.chain }),
  };
}

/** Older logs have addresses whole: that is no change. */
function isSame(known: NodeSettings, settings: NodeSettings): boolean {
  return JSON.stringify(settingsOf(known)) === JSON.stringify(settings);
}
