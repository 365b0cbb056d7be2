import { toEstimate, toMicros } from '../../domain/bounds.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { LossKind, RecordFact } from './record-facts.js';

/** A hole in a node's list, as far as it is known at a position. Times are Unix microseconds. */
export interface LossRecord {
  /** Position of the event that stated it. */
  readonly lossPosition: bigint;
  readonly nodeKey: number;
  readonly kind: LossKind;
  readonly after: bigint;
  /** What the event itself proves. */
  readonly provenByEvent: bigint;
  readonly maxLost: bigint | null;
  readonly likelyLost: bigint | null;
  readonly fromAt: bigint | null;
  readonly toAt: bigint;
  /** DA heights of the last success before the hole and of the first one after it; null where there is none. */
  readonly daBefore: bigint | null;
  daAfter: bigint | null;
  /** Lost successes that blocks show. */
  shown: bigint;
  /** The event that made the present version. */
  fromPosition: bigint;
}

interface Version {
  readonly loss: LossRecord;
  readonly shown: bigint;
  readonly fromPosition: bigint;
  readonly toPosition: bigint | null;
}

const VERSION_COLUMNS = [
  column('loss_position', 'int8', ({ loss }: Version) => loss.lossPosition),
  column('node_key', 'int4', ({ loss }: Version) => loss.nodeKey),
  column('kind', 'text', ({ loss }: Version) => loss.kind),
  column('after_sequence', 'int8', ({ loss }: Version) => loss.after),
  column('min_lost', 'int8', ({ loss, shown }: Version) => highest(loss.provenByEvent, shown)),
  column('max_lost', 'int8', ({ loss, shown }: Version) =>
    loss.maxLost === null ? null : highest(loss.maxLost, shown),
  ),
  column('likely_lost', 'int8', ({ loss }: Version) => loss.likelyLost),
  column('shown_lost', 'int8', ({ shown }: Version) => shown),
  column('from_at', 'timestamptz', ({ loss }: Version) => loss.fromAt),
  column('to_at', 'timestamptz', ({ loss }: Version) => loss.toAt),
  column('from_position', 'int8', ({ fromPosition }: Version) => fromPosition),
  column('to_position', 'int8', ({ toPosition }: Version) => toPosition),
];

interface NodeLosses {
  readonly losses: LossRecord[];
  /** DA height of its last recorded success. */
  lastDa: bigint | null;
  /** Its last success that was recorded before this batch. */
  readonly lastStored: { readonly daHeight: bigint; readonly sequence: bigint } | null;
}

/** The losses of the nodes that a batch asks for, with the DA heights between which each lies. */
export class LossBook {
  private readonly nodes = new Map<number, NodeLosses>();
  /** Successes of this batch, of nodes whose losses are not loaded (yet). */
  private readonly unread = new Map<number, bigint[]>();
  private readonly added: Version[] = [];
  private readonly open = new Map<LossRecord, Version>();
  private readonly closed: { lossPosition: bigint; fromPosition: bigint; toPosition: bigint }[] = [];

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
      after: toEstimate(after) ?? 0n,
      provenByEvent: toEstimate(minLost) ?? 0n,
      maxLost: toEstimate(maxLost),
      likelyLost: toEstimate(likelyLost),
      fromAt: from === null ? null : toMicros(from),
      toAt: toMicros(to),
      daBefore: after === 0 ? null : node.lastDa,
      daAfter: null,
      shown: 0n,
      fromPosition: fact.position,
    };
    node.losses.push(loss);
    this.open.set(loss, { loss, shown: 0n, fromPosition: fact.position, toPosition: null });
    return loss;
  }

  /** Blocks show more lost successes, or fewer, than before the event. */
  change(loss: LossRecord, by: bigint, position: bigint): void {
    const version = this.open.get(loss);
    if (loss.fromPosition !== position) {
      if (version) this.added.push({ ...version, toPosition: position });
      else this.closed.push({ ...loss, toPosition: position });
    }
    loss.shown += by;
    loss.fromPosition = position;
    this.open.set(loss, { loss, shown: loss.shown, fromPosition: position, toPosition: null });
  }

  /** A lost success that the loss counted is none any more. */
  async giveBack(nodeKey: number, lossPosition: bigint, position: bigint, query: Query): Promise<void> {
    const { losses } = await this.ofNode(nodeKey, query);
    const loss = losses.find((each) => each.lossPosition === lossPosition);
    if (loss) this.change(loss, -1n, position);
  }

  async write(query: Query): Promise<void> {
    if (this.closed.length > 0) {
      const closed = unnestRows(
        [
          column('loss_position', 'int8', (row: (typeof this.closed)[number]) => row.lossPosition),
          column('from_position', 'int8', (row: (typeof this.closed)[number]) => row.fromPosition),
          column('to_position', 'int8', (row: (typeof this.closed)[number]) => row.toPosition),
        ],
        this.closed,
        'c',
      );
      await query(
        `UPDATE loss l SET to_position = c.to_position FROM ${closed.sql}
          WHERE l.loss_position = c.loss_position AND l.from_position = c.from_position`,
        closed.parameters,
      );
    }
    const versions = [...this.added, ...this.open.values()];
    if (versions.length > 0) {
      const added = unnestRows(VERSION_COLUMNS, versions);
      await query(`INSERT INTO loss (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
    }
    this.closed.length = 0;
    this.added.length = 0;
    this.open.clear();
    this.unread.clear();
    // A later batch would have to keep every node's successes up to date; it reads what it needs instead.
    this.nodes.clear();
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
  const success = 's.node_key = $1 AND s.status = 0 AND s.da_height IS NOT NULL';
  const rows = await query<Record<string, string | null>>(
    `SELECT l.loss_position, l.kind, l.after_sequence, stated.min_lost AS proven, stated.max_lost, l.likely_lost,
            l.shown_lost, l.from_position,
            (extract(epoch FROM l.from_at) * 1000000)::bigint AS from_at,
            (extract(epoch FROM l.to_at) * 1000000)::bigint AS to_at,
            CASE WHEN l.after_sequence > 0 THEN
              (SELECT s.da_height FROM submission s WHERE ${success} AND s.sequence <= l.after_sequence
                ORDER BY s.sequence DESC LIMIT 1) END AS da_before,
            (SELECT s.da_height FROM submission s WHERE ${success} AND s.sequence > l.after_sequence
              ORDER BY s.sequence LIMIT 1) AS da_after
       FROM loss l JOIN loss stated ON stated.loss_position = l.loss_position AND stated.from_position = l.loss_position
      WHERE l.node_key = $1 AND l.to_position IS NULL ORDER BY l.loss_position`,
    [nodeKey],
  );
  const [last] = await query<{ da_height: string; sequence: string }>(
    `SELECT s.da_height, s.sequence FROM submission s WHERE ${success} ORDER BY s.sequence DESC LIMIT 1`,
    [nodeKey],
  );
  const lastStored = last ? { daHeight: BigInt(last.da_height), sequence: BigInt(last.sequence) } : null;
  return {
    losses: rows.map((row) => toLoss(nodeKey, row)),
    lastDa: lastStored?.daHeight ?? null,
    lastStored,
  };
}

function toLoss(nodeKey: number, row: Record<string, string | null>): LossRecord {
  const optional = (name: string) => {
    const text = row[name] ?? null;
    return text === null ? null : BigInt(text);
  };
  const integer = (name: string) => optional(name) ?? 0n;
  return {
    lossPosition: integer('loss_position'),
    nodeKey,
    kind: row['kind'] as LossKind,
    after: integer('after_sequence'),
    provenByEvent: integer('proven'),
    maxLost: optional('max_lost'),
    likelyLost: optional('likely_lost'),
    fromAt: optional('from_at'),
    toAt: integer('to_at'),
    daBefore: optional('da_before'),
    daAfter: optional('da_after'),
    shown: integer('shown_lost'),
    fromPosition: integer('from_position'),
  };
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
