import type { Micros } from '../../domain/time.js';
import { Table, bool, int4, int8, text, timestamptz } from '../columns.js';

@Table('node_list', 'The lists of submissions that a node has shown, and the chain of each.')
export class NodeListEntity {
  @int4('The node.', { key: true }) nodeKey: number;
  @int8('The event that first showed the list.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event from which on rows under its number are of a new list; null: they are of this one.')
  toPosition: bigint | null;
  @int8('Its number behind the address of the node.') list: bigint;
  @text.orNull('The chain of its rows; null while nothing has named one.') chainId: string | null;
  @bool('Whether its process has named the chain; else the chain is presumed.') told: boolean;
  @timestamptz("The poll that first showed it, observer's clock.") fromAt: Micros;
  @timestamptz("The poll since which the node had shown only lists without a chain, observer's clock.")
  waitsAt: Micros;
  @timestamptz.orNull("The last poll before that, observer's clock; null where there was none.")
  seenAt: Micros | null;
  @bool(
    'Whether nothing denied, before its chain was named, that it is of the chain of the list that was named before it.',
  )
  mayJoin: boolean;
  @bool('Its number behind the address stands for another list, or for none that is remembered.')
  closed: boolean;
}
