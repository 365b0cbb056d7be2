import type { NodeSettings } from '../../domain/events.js';
import type { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { maskUrl } from '../../platform/redact.js';
import { changeStream } from '../change-stream.js';
import type { NodeDescription } from './describe-node.js';
import type { ObservedNode } from '../subject-observer.js';

/** The state at the end of the stream `<node>/node`. */
export interface NodeStreamState {
  readonly settings?: NodeSettings;
  readonly retired?: boolean;
  readonly described?: NodeDescription;
  /** Whether its descriptions name the list they belong to; false for those of older versions. */
  readonly namesLists?: boolean;
}

/** Records which nodes are observed, and with which settings, where that differs from the log. */
export class NodeRegistry {
  constructor(
    private readonly store: EventStore,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Appends `NodeRegistered` for a new or formerly retired node, and `NodeSettingsChanged` where its settings changed. */
  async register(node: ObservedNode): Promise<void> {
    const systems = (['daNode', 'execution'] as const).filter((name) => node[name] !== undefined);
    const body = settingsOf({ ...node, systems });
    await changeStream<NodeStreamState>(this.store, `${node.id}/node`, (state) => {
      const isKnown = state?.settings !== undefined && state.retired !== true;
      if (isKnown && isSame(state.settings, body)) return undefined;
      const type = isKnown ? 'NodeSettingsChanged' : 'NodeRegistered';
      const event = { type, observedAt: this.clock.now(), body } as const;
      return { event, state: { ...state, settings: body, retired: false } };
    });
  }

  /** Appends `NodeRetired` for a node that the settings no longer name. */
  async retire(nodeId: string): Promise<void> {
    await changeStream<NodeStreamState>(this.store, `${nodeId}/node`, (state) => {
      const event = { type: 'NodeRetired', observedAt: this.clock.now(), body: {} } as const;
      return state?.retired === true ? undefined : { event, state: { ...state, retired: true } };
    });
  }
}

/** The settings as they are recorded: the record is permanent, so keys in addresses are masked. */
function settingsOf(node: NodeSettings): NodeSettings {
  return {
    url: maskUrl(node.url),
    ...(node.statusUrl === undefined ? {} : { statusUrl: maskUrl(node.statusUrl) }),
    ...(node.service === undefined ? {} : { service: node.service }),
    ...(node.chain === undefined ? {} : { chain: node.chain }),
    ...(node.systems === undefined || node.systems.length === 0 ? {} : { systems: node.systems }),
  };
}

/** Masks both sides, because older logs contain whole addresses, and masking them is no change of settings. */
function isSame(known: NodeSettings, settings: NodeSettings): boolean {
  return JSON.stringify(settingsOf(known)) === JSON.stringify(settings);
}
