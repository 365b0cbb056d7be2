import type { HealthFold } from '../../domain/health/health-fold.js';
import type { HealthFoldEntity } from '../../tables/health/health-fold.entity.js';
import type { Query } from '../projection.js';

type Frontier = Pick<HealthFold['blocks'], 'lineage'> & { readonly next: string | null };
type Member = Frontier & { readonly node: string; readonly chain: string };

/** How far each node of some chains shows inclusion, up to the event that is applied. */
export class ChainFrontiers {
  private readonly chains = new Map<string, Map<string, Frontier>>();

  constructor(
    private readonly query: Query,
    /** Nodes of the batch; those of other nodes are as the table has them. */
    private readonly folds: ReadonlyMap<string, HealthFoldEntity>,
  ) {}

  /** Reads the nodes of chains that are not at hand yet. */
  async load(chains: Iterable<string | null>): Promise<void> {
    const missing = [...new Set(chains)].filter((chain) => chain !== null && !this.chains.has(chain));
    if (missing.length === 0) return;
    for (const chain of missing) if (chain !== null) this.chains.set(chain, new Map());
    const rows = await this.query<Member>(
      `SELECT node, chain, (state->'blocks'->>'lineage')::int AS lineage, state->'blocks'->'frontier'->>'next' AS next
         FROM health_fold WHERE chain = ANY ($1::text[])`,
      [missing],
    );
    for (const { node, chain, lineage, next } of rows)
      if (!this.folds.has(node)) this.chains.get(chain)?.set(node, { lineage, next });
  }

  /** The highest frontier of the other nodes on the same history of the chain; null while there is none. */
  othersOf({ node, chain, state }: HealthFoldEntity): string | null {
    const { lineage } = state.blocks;
    if (chain === null || lineage === null) return null;
    let highest: bigint | null = null;
    for (const [other, { lineage: its, next }] of this.membersOf(chain)) {
      if (other === node || its !== lineage || next === null) continue;
      if (highest === null || BigInt(next) > highest) highest = BigInt(next);
    }
    return highest === null ? null : String(highest);
  }

  private *membersOf(chain: string): Iterable<readonly [string, Frontier]> {
    yield* this.chains.get(chain) ?? [];
    for (const [node, { chain: its, state }] of this.folds) {
      const { lineage, frontier } = state.blocks;
      if (its === chain) yield [node, { lineage, next: frontier.next }];
    }
  }
}
