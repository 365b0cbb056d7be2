import type { Query } from '../../platform/sql.js';
import { slotOf, type Slot } from './grouped-rows.js';
import { selectMicros } from './micros.js';
import { QUARTERS } from './pieces.js';
import type { ReportPlan } from './report-plan.js';
import type { Subject } from './scope.query.js';

/** Times from which all blocks are recorded, so that a bucket without any is one in which none was produced. */
interface BlockSpan {
  readonly firstUs: bigint;
  /** Undefined: to the present. */
  readonly lastUs: bigint | undefined;
}

interface SpanRow {
  readonly node_key: number;
  readonly chain: string;
  readonly first: string | null;
  readonly last: string | null;
  readonly is_caught_up: boolean;
}

/**
 * Tells whether a slot in which no block is stored is known to be without blocks: it lies between recorded ones, or
 * behind the last one of a node of which every block is recorded. Else nobody knows.
 */
export async function getKnownEmpty(query: Query, plan: ReportPlan): Promise<(slot: Slot) => boolean> {
  const rows = await query<SpanRow>(
    `SELECT subject.node_key, subject.chain, ${selectMicros('min(stored.first)', 'first')},
            ${selectMicros('max(stored.last)', 'last')},
            coalesce((SELECT bool_or(w.last_height >= n.head)
                        FROM node n JOIN inclusion_walk w USING (node_key, lineage_key)
                       WHERE n.chain_id = subject.chain AND subject.node_key IN (0, n.node_key)), false) AS is_caught_up
       FROM unnest($1::int[], $2::text[]) AS subject (node_key, chain)
       JOIN lineage l ON l.chain_id = subject.chain
       CROSS JOIN LATERAL (
         SELECT min(s.bucket_at) AS first, max(s.bucket_at) AS last FROM block_statistic s
          WHERE s.node_key = subject.node_key AND s.chain = subject.chain AND s.lineage_key = l.lineage_key
            AND s.grain = ${QUARTERS}
       ) AS stored
      GROUP BY subject.node_key, subject.chain`,
    [plan.scope.subjects.map(({ nodeKey }) => nodeKey), plan.scope.subjects.map(({ chain }) => chain)],
  );
  const spans = new Map(
    rows.map((row) => [nameOf({ nodeKey: row.node_key, chain: row.chain }), toSpan(row)]),
  );
  return (slot) => {
    const startUs = plan.starts[slot.bucket] ?? plan.fromUs;
    const subjects = plan.scope.subjects.filter((subject) => isOf(slot, subject));
    return subjects.length > 0 && subjects.every((subject) => holds(spans.get(nameOf(subject)), startUs));
  };
}

function toSpan({ first, last, is_caught_up }: SpanRow): BlockSpan | undefined {
  if (first === null || last === null) return undefined;
  return { firstUs: BigInt(first), lastUs: is_caught_up ? undefined : BigInt(last) };
}

function holds(span: BlockSpan | undefined, us: bigint): boolean {
  return span !== undefined && span.firstUs <= us && (span.lastUs === undefined || us <= span.lastUs);
}

/** Whether a subject's figures go into a slot. A node without a chain has no blocks to tell of. */
export function isOf({ group }: Slot, { nodeKey, chain }: Subject): boolean {
  if (chain === '' && group.chain !== '') return false;
  return (
    (group.node_key === null || group.node_key === nodeKey) && (group.chain === null || group.chain === chain)
  );
}

function nameOf({ nodeKey, chain }: Subject): string {
  return slotOf(nodeKey, { node_key: null, chain, namespace_key: null, kind: null, status: null });
}
