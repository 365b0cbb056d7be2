import type { SourceState } from '../../../domain/events.js';
import type { Micros } from '../../../domain/time.js';
import type { NodeEntity } from '../../../tables/record/node.entity.js';
import type { RecordFact } from './facts.js';
import { laterOf } from './nodes.js';

/** What evidence needs to know of a node, as it stands at one event. */
export interface NodeView {
  readonly nodeKey: number;
  chainId: string | null;
  lineageKey: number | null;
  retired: boolean;
  state: SourceState | null;
  stateAt: Micros | null;
  /** The last look at the list whose rows are all known. */
  seenAt: Micros | null;
  /** The last look, whatever came of it. */
  lookedAt: Micros | null;
}

/**
 * How long the list of a node that was there and is not now may still come to explain something. After that it is
 * not waited for; a success that it shows later withdraws what was concluded meanwhile.
 */
const PATIENCE_US: Micros = 600_000_000n;
const NEVER: Micros = -1n;
const NOT_LOOKED_AT = { state: null, stateAt: null, seenAt: null, lookedAt: null };
/** Later than any look: nobody is waited for. */
const UNBOUNDED: Micros = 2n ** 62n;

/** All nodes by chain, moved along the log fact by fact. */
export class ChainViews {
  private readonly views = new Map<number, NodeView>();
  private readonly chains = new Map<string, Set<NodeView>>();

  constructor(views: Iterable<NodeView>) {
    for (const view of views) {
      this.views.set(view.nodeKey, view);
      this.enter(view);
    }
  }

  get(nodeKey: number): NodeView {
    let view = this.views.get(nodeKey);
    if (!view) {
      view = { nodeKey, chainId: null, lineageKey: null, retired: false, ...NOT_LOOKED_AT };
      this.views.set(nodeKey, view);
    }
    return view;
  }

  /** The chain's nodes that are not retired, by key. */
  ofChain(chainId: string): NodeView[] {
    const views = [...(this.chains.get(chainId) ?? [])].filter(({ retired }) => !retired);
    return views.sort((a, b) => a.nodeKey - b.nodeKey);
  }

  /** Keys of all nodes that show the chain, or did so until they were retired. */
  keysOfChain(chainId: string): number[] {
    return [...(this.chains.get(chainId) ?? [])].map(({ nodeKey }) => nodeKey);
  }

  apply(fact: RecordFact): void {
    const view = this.get(fact.nodeKey);
    switch (fact.type) {
      case 'chain':
        if (view.chainId !== null) this.chains.get(view.chainId)?.delete(view);
        view.chainId = fact.chainId;
        view.retired = fact.retired;
        return this.enter(view);
      case 'joined':
        view.lineageKey = fact.to;
        return;
      case 'list':
        view.state = fact.state;
        view.stateAt = fact.at;
        view.lookedAt = laterOf(view.lookedAt, fact.at);
        return;
      case 'rows':
        view.state = 'AVAILABLE';
        return noteLook(view, fact.at);
      case 'quiet':
        return noteLook(view, fact.at);
      case 'blocks':
      case 'gap':
      case 'loss':
      case 'described':
        return;
      default:
        fact satisfies never;
    }
  }

  /**
   * The time up to which every list of the chain that can show anything has been looked at: what was included before
   * it, and is explained by none, stands in none.
   */
  lookedThrough(chainId: string): Micros {
    let through = UNBOUNDED;
    const views = this.ofChain(chainId);
    let now = NEVER;
    for (const { lookedAt } of views) now = laterOf(lookedAt, now);
    for (const view of views) {
      if (view.state === null) return NEVER;
      const isMissing = view.state === 'UNREACHABLE' || view.state === 'INVALID';
      const mayReturn = isMissing && view.seenAt !== null && now - (view.stateAt ?? 0n) <= PATIENCE_US;
      if (view.state !== 'AVAILABLE' && !mayReturn) continue;
      if ((view.seenAt ?? NEVER) < through) through = view.seenAt ?? NEVER;
    }
    return through;
  }

  /** The chains that an event may make something ready of: that of its node, and that of its blocks, which may have no node. */
  chainsOf(fact: RecordFact, chainOf: ReadonlyMap<number, string>): Set<string> {
    const shown = 'lineageKey' in fact ? chainOf.get(fact.lineageKey) : undefined;
    const chains = [this.get(fact.nodeKey).chainId, shown ?? null];
    return new Set(chains.filter((chainId) => chainId !== null));
  }

  private enter(view: NodeView): void {
    if (view.chainId === null) return;
    const chain = this.chains.get(view.chainId);
    if (chain) chain.add(view);
    else this.chains.set(view.chainId, new Set([view]));
  }
}

/** Of a list that has shown all that it holds. */
function noteLook(view: NodeView, at: Micros): void {
  view.lookedAt = laterOf(view.lookedAt, at);
  if (view.state === 'AVAILABLE') view.seenAt = laterOf(view.seenAt, at);
}

export function toNodeView(node: NodeEntity): NodeView {
  return {
    nodeKey: node.nodeKey,
    chainId: node.chainId,
    lineageKey: node.lineageKey,
    retired: node.retired,
    state: node.listState,
    stateAt: node.listStateAt,
    seenAt: node.listSeenAt,
    lookedAt: node.listLookedAt,
  };
}
