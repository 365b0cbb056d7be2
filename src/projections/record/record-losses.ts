import { toEstimate, toMicros } from '../../domain/bounds.js';
import { selectList } from '../../platform/rows/row-columns.js';
import { RowVersions } from '../../platform/rows/row-versions.js';
import type { Written } from '../../platform/rows/write-rows.js';
import { LossEntity } from '../../tables/record/loss.entity.js';
import type { Query } from '../projection.js';
import type { RecordFact } from './record-facts.js';

/** A hole in a node's list, as far as it is known at a position. */
export interface LossRecord extends Omit<Written<LossEntity>, 'minLost' | 'maxLost' | 'toPosition'> {
  /** DA heights of the last success before the hole and of the first one after it; null where there is none. */
  readonly daBefore: bigint | null;
  daAfter: bigint | null;
}

interface Success {
  readonly daHeight: bigint;
  readonly sequence: bigint;
}

interface NodeLosses {
  readonly losses: LossRecord[];
  /** DA height of its last recorded success. */
  lastDa: bigint | null;
  /** Its last success that was recorded before this batch. */
  readonly lastStored: Success | null;
}

const SUCCESS = 's.status = 0 AND s.da_height IS NOT NULL';

/** The losses of the nodes that one batch asks for, with the DA heights between which each lies. */
export class LossBook {
  private readonly nodes = new Map<number, NodeLosses>();
  /** Successes of this batch, of nodes whose losses are not loaded (yet). */
  private readonly unread = new Map<number, bigint[]>();
  private readonly versions = new RowVersions(LossEntity, ['lossPosition']);

  async ofNode(nodeKey: number, query: Query): Promise<NodeLosses> {
    const known = this.nodes.get(nodeKey);
    if (known) return known;
    const node = await loadNode(nodeKey, query);
    this.nodes.set(nodeKey, node);
    for (const da of this.unread.get(nodeKey) ?? []) noteSuccess(node, da);
    this.unread.delete(nodeKey);
    return node;
  }

  /** A success that a node's list showed, in the order of the list. */
  noteSuccess(nodeKey: number, daHeight: bigint): void {
    const node = this.nodes.get(nodeKey);
    if (node) return noteSuccess(node, daHeight);
    const unread = this.unread.get(nodeKey);
    if (unread) unread.push(daHeight);
    else this.unread.set(nodeKey, [daHeight]);
  }

  async add(fact: RecordFact & { type: 'loss' }, query: Query): Promise<LossRecord> {
    const node = await this.ofNode(fact.nodeKey, query);
    const { after, minLost, maxLost, likelyLost, from, to } = fact.loss;
    const loss: LossRecord = {
      lossPosition: fact.position,
      nodeKey: fact.nodeKey,
      kind: fact.kind,
      afterSequence: toEstimate(after) ?? 0n,
      provenMin: toEstimate(minLost) ?? 0n,
      provenMax: toEstimate(maxLost),
      likelyLost: toEstimate(likelyLost),
      fromAt: from === null ? null : toMicros(from),
      toAt: toMicros(to),
      daBefore: after === 0 ? null : node.lastDa,
      daAfter: null,
      shownLost: 0n,
      fromPosition: fact.position,
    };
    node.losses.push(loss);
    this.change(loss, 0n, fact.position);
    return loss;
  }

  /** Blocks show more lost successes, or fewer, than before the event. */
  change(loss: LossRecord, by: bigint, position: bigint): void {
    loss.shownLost += by;
    loss.fromPosition = position;
    const { provenMin, provenMax, shownLost } = loss;
    const minLost = highest(provenMin, shownLost);
    const maxLost = provenMax === null ? null : highest(provenMax, shownLost);
    this.versions.put({ ...loss, minLost, maxLost }, position);
  }

  /** A lost success that the loss counted is none any more. */
  async giveBack(nodeKey: number, lossPosition: bigint, position: bigint, query: Query): Promise<void> {
    const { losses } = await this.ofNode(nodeKey, query);
    const loss = losses.find((each) => each.lossPosition === lossPosition);
    if (loss) this.change(loss, -1n, position);
  }

  write(query: Query): Promise<void> {
    return this.versions.write(query);
  }
}

/** Whether a success at this DA height can have been in the hole: successes of a node enter its list by DA height. */
export function canHold(loss: LossRecord, daHeight: bigint): boolean {
  const isAfter = loss.daBefore === null || daHeight >= loss.daBefore;
  return isAfter && (loss.daAfter === null || daHeight <= loss.daAfter);
}

function noteSuccess(node: NodeLosses, daHeight: bigint): void {
  for (let index = node.losses.length - 1; index >= 0; index--) {
    const loss = node.losses[index];
    if (!loss || loss.daAfter !== null) break;
    loss.daAfter = daHeight;
  }
  node.lastDa = daHeight;
}

async function loadNode(nodeKey: number, query: Query): Promise<NodeLosses> {
  const success = `s.node_key = $1 AND ${SUCCESS}`;
  const losses = await query<LossRecord>(
    `SELECT ${selectList(LossEntity, 'l')},
            CASE WHEN l.after_sequence > 0 THEN
              (SELECT s.da_height FROM submission s WHERE ${success} AND s.sequence <= l.after_sequence
                ORDER BY s.sequence DESC LIMIT 1) END AS "daBefore",
            (SELECT s.da_height FROM submission s WHERE ${success} AND s.sequence > l.after_sequence
              ORDER BY s.sequence LIMIT 1) AS "daAfter"
       FROM loss l
      WHERE l.node_key = $1 AND l.to_position IS NULL ORDER BY l.loss_position`,
    [nodeKey],
  );
  const lastStored = await findLastSuccess(nodeKey, query);
  return { losses, lastDa: lastStored?.daHeight ?? null, lastStored };
}

/** The last recorded success of a node that tells its DA height. */
export async function findLastSuccess(nodeKey: number, query: Query): Promise<Success | null> {
  const [last = null] = await query<Success>(
    `SELECT s.da_height AS "daHeight", s.sequence FROM submission s WHERE s.node_key = $1 AND ${SUCCESS}
      ORDER BY s.sequence DESC LIMIT 1`,
    [nodeKey],
  );
  return last;
}

/** By node how many of its losses no success has followed yet. */
export async function countOpenLosses(query: Query): Promise<Map<number, number>> {
  const rows = await query<{ nodeKey: number; count: number }>(
    `SELECT n.node_key AS "nodeKey", count(*)::int AS count
       FROM node n
       LEFT JOIN LATERAL (SELECT s.sequence FROM submission s WHERE s.node_key = n.node_key AND ${SUCCESS}
                           ORDER BY s.sequence DESC LIMIT 1) last ON true
       JOIN loss l ON l.node_key = n.node_key
      WHERE l.to_position IS NULL AND l.after_sequence >= coalesce(last.sequence, 0)
      GROUP BY 1`,
  );
  return new Map(rows.map(({ nodeKey, count }) => [nodeKey, count]));
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
