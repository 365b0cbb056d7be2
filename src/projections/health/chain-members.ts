import type { NodeHistory } from '../../domain/health/chain-history.js';
import { BLIND_RULES, RETIRED_RULE } from '../../domain/health/trouble.js';
import type { HealthFold, OtherNodes } from '../../domain/health/health-fold.js';
import { isDaOut } from '../../domain/health/held-head.js';
import type { HealthFoldEntity } from '../../tables/health.entities.js';
import type { Query } from '../projection.js';

/** A node with the part of its health that the other nodes of its chain are compared with. */
interface Member {
  readonly node: string;
  readonly chain: string | null;
  readonly state: Pick<HealthFold, 'blocks' | 'da' | 'daLine' | 'nodeLine'>;
}

/** The nodes of some chains, in their state at the event that is applied. */
export class ChainMembers {
  private readonly chains = new Map<string, Map<string, Member>>();

  constructor(private readonly query: Query) {}

  /** Adds nodes of the batch, which are updated in place, and loads the other nodes of their chains. */
  async add(folds: readonly HealthFoldEntity[]): Promise<void> {
    const missing = [...new Set(folds.map(({ chain }) => chain))].filter(
      (chain) => chain !== null && !this.chains.has(chain),
    );
    if (missing.length > 0) {
      // Read the whole state: Postgres cannot extract parts of JSON that contains U+0000, which a node may send.
      const members = await this.query<Member>(
        'SELECT node, chain, state FROM health_fold WHERE chain = ANY ($1::text[])',
        [missing],
      );
      for (const chain of missing) if (chain !== null) this.chains.set(chain, new Map());
      for (const member of members) this.put(member);
    }
    for (const fold of folds) this.put(fold);
  }

  othersOf({ node, chain, state }: HealthFoldEntity): OtherNodes {
    const { lineage } = state.blocks;
    let highest: bigint | null = null;
    let isOut = false;
    const histories: NodeHistory[] = [];
    for (const other of this.chains.get(chain ?? '')?.values() ?? []) {
      // A node that belongs to another chain now says nothing about this one.
      if (other.node === node || other.chain !== chain) continue;
      isOut ||= isDaOut(other.state);
      const { blocks } = other.state;
      const history = historyOf(other);
      if (history) histories.push(history);
      if (blocks.frontier.next === null || blocks.lineage === null || blocks.lineage !== lineage) continue;
      const next = BigInt(blocks.frontier.next);
      if (highest === null || next > highest) highest = next;
    }
    return { next: highest === null ? null : String(highest), isDaOut: isOut, histories };
  }

  private put(member: Member): void {
    if (member.chain !== null) this.chains.get(member.chain)?.set(member.node, member);
  }
}

function historyOf({ node, state: { blocks, nodeLine } }: Member): NodeHistory | undefined {
  const { chain, lineage, first } = blocks;
  if (chain === null || lineage === null || first === null) return undefined;
  const rule = nodeLine?.rule ?? '';
  const isAway = BLIND_RULES.has(rule) || rule === RETIRED_RULE || rule === 'look-failed';
  return { node, chain, lineage, first, shownAt: isAway ? null : blocks.lookedAt };
}
