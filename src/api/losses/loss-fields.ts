import { FIRST_OPEN } from '../../projections/record/readers/known-rows.reader.js';
import type { LossKind } from '../../domain/submissions/loss-explanation.js';
import type { Micros } from '../../domain/time.js';
import { fieldOf } from '../graphql/fields.js';
import {
  bool,
  flatOf,
  id,
  inFiles,
  int64,
  key,
  selectAll,
  time,
  type FieldValues,
} from '../graphql/flat-fields.js';
import { enumOf } from '../graphql/literal-enum.js';
import { changedAt } from '../graphql/updated-rows.js';

export const LossKinds = enumOf<LossKind>('LossKind', 'How rows came to be missed.', {
  OVERFLOW: 'A full list shared no row with the known rows: rows fell out of it unseen.',
  RESET:
    'The list was emptied by a restart or a change of leader; or it was empty, and a reset may have happened unseen.',
  AMBIGUOUS: 'Rows overlap, but no row proves by how many.',
  BEFORE_START: 'Rows from before our first poll.',
});

const kind = flatOf<LossKind>(
  fieldOf(() => LossKinds),
  'WORD',
);

/** The flat fields of a loss, in the column order of its files. GraphQL and files are both built from them. */
export const LOSS_FIELDS = {
  id: id(
    'l.loss_position::text',
    "Hindsight's own id; an open gap gets another id once an event records it.",
    {
      kind: 'WORD',
    },
  ),
  nodeId: id('n.id', '`node.id`, for tools that want flat rows.', { column: 'node' }),
  chain: inFiles<string | null>('TEXT', 'n.chain_id'),
  time: time('l.to_at', 'Same as `to`, under the name that charts expect.'),
  kind: kind('l.kind', 'How the rows came to be missed.'),
  afterSequence: int64('l.after_sequence', 'The last recorded row before the gap; 0 if there is none.'),
  minLost: int64(
    'l.min_lost',
    'Lower bound of the missing rows, proven by what is known. It rises when blocks show more missing rows, and falls if these may have been lost in another gap.',
  ),
  maxLost: int64.orNull(
    'l.max_lost',
    'Upper bound of the missing rows. Proven; null if nothing proves a bound.',
  ),
  likelyLost: int64.orNull(
    'l.likely_lost',
    'An estimate of the missing rows, from the rate around the gap; null if there is no estimate.',
  ),
  from: time.orNull('l.from_at', 'The last poll before the gap; null for `BEFORE_START`.'),
  to: time('l.to_at', 'The poll that found the gap; for an open gap, the last poll.'),
  updatedAt: inFiles<Micros | null>('TIME', changedAt('l')),
  withdrawn: inFiles<boolean>('BOOL', 'l.to_position IS NOT NULL'),
  open: bool(
    `l.loss_position >= ${FIRST_OPEN}`,
    'True while the list is out of sight. The gap ends when the list is seen again, when another list takes its place, or when the node is retired. It gets another id once an event records it. Queries of the past have no open gaps.',
  ),
  nodeKey: key<number>('l.node_key'),
  lossPosition: key<bigint>('l.loss_position'),
  toPosition: key<bigint | null>('l.to_position'),
  change: key<bigint>('l.change'),
};

export type LossRow = FieldValues<typeof LOSS_FIELDS>;

/** Reads losses from `lossesKnownAt` as `l` and their `node n`. */
export const SELECT_LOSS = `SELECT ${selectAll(LOSS_FIELDS)}`;
