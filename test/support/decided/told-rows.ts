import { kindOf, type SubmissionKind } from '../../../src/domain/submissions/submission-codes.js';
import { chainOf, type KnownLog, type KnownNode, type KnownRow, type Word } from './known-log.js';

/** A row with what its node told about it: still nothing that blocks say. */
export interface ToldRow extends KnownRow {
  readonly name: string;
  /** Null: its node has named none. */
  readonly chain: string | null;
  readonly kind: SubmissionKind;
  /** What was known of that when it was recorded. */
  readonly kindThen: SubmissionKind;
  /** The history that it is of as long as its blobs are found in no other; null: the chain has none. */
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
    const chain = chainAt(node, position);
    const like = `${chain} ${row.occurredAt} ${digest}`;
    const k = (counts.get(`${id} ${like}`) ?? 0) + 1;
    counts.set(`${id} ${like}`, k);
    const attempt = row.occurredAt === null ? name : `${like} ${k}`;
    const home = chain === null ? null : homeOf(chain, known, log);
    return {
      ...known,
      name,
      chain,
      home,
      attempt,
      kind: kindAt(node, known),
      kindThen: kindThen(node, known),
    };
  });
}

/**
 * The chain of a node at a position (point 9). It is the last that the node named, itself or by its blocks. Else it is
 * the first that it named after that, else that of its settings. Settings that name another chain than those before may
 * mean another node. From there on it is asked anew. What was before any word belongs to the first.
 *
 * @param position null: now
 */
export function chainAt({ words }: KnownNode, position: bigint | null): string | null {
  const isAt = (word: Word | undefined) => word && (position === null || word.position <= position);
  const epochs: Word[][] = [];
  words.forEach((word, index) => {
    const before = words.slice(0, index).findLast(({ by }) => by === 'SETTINGS');
    const isOther = word.by === 'SETTINGS' && word.chain !== before?.chain;
    if (isOther || epochs.length === 0) epochs.push([]);
    epochs.at(-1)?.push(word);
  });
  const epoch = epochs.findLast(([first]) => isAt(first)) ?? epochs[0] ?? [];
  const own = epoch.filter(({ by }) => by !== 'SETTINGS');
  return (own.findLast(isAt) ?? own[0] ?? epoch[0])?.chain ?? null;
}

/**
 * The history of a chain that the row's node had shown last. Else the first that it showed later, else the same of all
 * nodes (point 9).
 */
function homeOf(chain: string, { node, position }: KnownRow, log: KnownLog): string | null {
  const shown = (words: readonly Word[]) => {
    const histories = words.filter((word) => word.history !== undefined && word.chain === chain);
    return (histories.findLast((word) => word.position <= position) ?? histories[0])?.history;
  };
  return shown(log.nodes.get(node)?.words ?? []) ?? null;
}

/**
 * What a batch holds by the namespaces that its node told last, at or before the row. Where those do not name
 * the row's, it is by the nearest told before that, else by the first told later ("kinds told late").
 */
function kindAt({ namespaces }: KnownNode, { position, row }: KnownRow): SubmissionKind {
  const before = namespaces.filter((told) => told.position <= position).slice(-1);
  const behind = namespaces.filter((told) => told.position > position);
  const kinds = [...before, ...behind].map((told) => kindOf(row.namespace, told));
  return kinds.find((kind) => kind !== 'UNKNOWN') ?? 'UNKNOWN';
}

function kindThen({ namespaces }: KnownNode, { position, row }: KnownRow): SubmissionKind {
  const told = namespaces.findLast((each) => each.position <= position);
  return told ? kindOf(row.namespace, told) : 'UNKNOWN';
}

/** The histories of a chain that were shown, by number. */
export function historiesOf(chain: string, log: KnownLog): string[] {
  const all = new Set(log.shown.map(({ history }) => history));
  const numberOf = (history: string) => Number(history.slice(history.lastIndexOf('/') + 1));
  return [...all].filter((history) => chainOf(history) === chain).sort((a, b) => numberOf(a) - numberOf(b));
}
