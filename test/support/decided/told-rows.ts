import { kindOf, type SubmissionKind } from '../../../src/domain/submissions/submission-codes.js';
import { livesOf, type ListLife } from './list-lives.js';
import { chainOf, type KnownLog, type KnownNode, type KnownRow, type Word } from './known-log.js';

/** A row with everything its node reported about it, but nothing from blocks yet. */
export interface ToldRow extends KnownRow {
  readonly name: string;
  /** Null: its node has named no chain. */
  readonly chain: string | null;
  readonly kind: SubmissionKind;
  /** The kind as known when the row was recorded. */
  readonly kindThen: SubmissionKind;
  /** The history that it belongs to as long as no other has its blobs; null: the chain has no history. */
  readonly home: string | null;
  /** Equal for rows of several nodes that are one attempt. */
  readonly attempt: string;
}

/** All rows in the order of the log. */
export function tellRows(log: KnownLog): ToldRow[] {
  const counts = new Map<string, number>();
  return log.rows.map((known) => {
    const { node: id, sequence, position, row, digest } = known;
    const node = log.nodes.get(id) as KnownNode;
    const name = `${id} ${sequence}`;
    const life = lifeOf(node, position);
    const { chain } = life;
    const like = `${chain} ${row.occurredAt} ${digest}`;
    const k = (counts.get(`${id} ${like}`) ?? 0) + 1;
    counts.set(`${id} ${like}`, k);
    const attempt = row.occurredAt === null ? name : `${like} ${k}`;
    const home = chain === null ? null : homeOf(life, known, node);
    return {
      ...known,
      name,
      chain,
      home,
      attempt,
      kind: kindAt(node, known, life),
      kindThen: kindThen(node, known),
    };
  });
}

/** The list of a row. */
export function lifeOf(node: KnownNode, position: bigint): ListLife {
  const life = livesOf(node).shownBy.get(position);
  if (!life) throw new Error(`${node.id} showed no list at ${position}`);
  return life;
}

/**
 * The history of the chain that the row's node had shown last when the chain of its list was named. If that history belongs to
 * another chain, the first matching one that it showed later (point 9).
 */
function homeOf(
  { chain, namedBy, to }: ListLife,
  { position }: KnownRow,
  { words }: KnownNode,
): string | null {
  const shown = words.filter((word) => word.history !== undefined);
  // A list may be replaced before its process named the chain. From then on its rows are treated like all others.
  const since = namedBy ?? to;
  if (since === null) return null;
  const from = since > position ? since : position;
  const last = namedBy === null ? undefined : shown.findLast((word) => word.position <= from);
  if (last?.chain === chain) return last.history ?? null;
  const isTurn = (word: Word, at: number) => namedBy !== null || word.history !== shown[at - 1]?.history;
  const later = shown.find((word, at) => word.position > from && word.chain === chain && isTurn(word, at));
  return later?.history ?? null;
}

/**
 * The content of a batch by the namespaces that its node reported last, at or before the row, or before its list was found to
 * belong to another chain. If these do not name the row's namespace, the first ones reported later decide ("kinds told late").
 */
function kindAt(
  { namespaces }: KnownNode,
  { position, row }: KnownRow,
  { movedBy }: ListLife,
): SubmissionKind {
  const from = movedBy !== null && movedBy > position ? movedBy : position;
  const before = namespaces.filter((told) => told.position <= from).slice(-1);
  const behind = namespaces.filter((told) => told.position > from);
  const kinds = [...before, ...behind].map((told) => kindOf(row.namespace, told));
  return kinds.find((kind) => kind !== 'UNKNOWN') ?? 'UNKNOWN';
}

function kindThen({ namespaces }: KnownNode, { position, row }: KnownRow): SubmissionKind {
  const told = namespaces.findLast((each) => each.position <= position);
  return told ? kindOf(row.namespace, told) : 'UNKNOWN';
}

/** The shown histories of a chain, by number. */
export function historiesOf(chain: string, log: KnownLog): string[] {
  const all = new Set(log.shown.map(({ history }) => history));
  const numberOf = (history: string) => Number(history.slice(history.lastIndexOf('/') + 1));
  return [...all].filter((history) => chainOf(history) === chain).sort((a, b) => numberOf(a) - numberOf(b));
}
