import type { Nanos } from '../../domain/time.js';
import { Table, bytea, int2, int4, int8 } from '../columns.js';
import { CHANGE_NUMBER } from './record-change.entity.js';

@Table('block', 'Each block header that a node showed.')
export class BlockEntity {
  @int4('The node that showed it.', { key: true }) nodeKey: number;
  @int4('The history of the chain that it is of.', { key: true }) lineageKey: number;
  @int8('Height in the chain.', { key: true }) height: bigint;
  @int8('Unix nanoseconds, by the proposer.') timeNs: Nanos;
  @int8.orNull('DA height that includes the header; null while none does.') headerDaHeight: bigint | null;
  @int8.orNull("DA height that includes the data; repeats the header's in a block without transactions.")
  dataDaHeight: bigint | null;
  @int8("Sum of the transactions' bytes.") txBytes: bigint;
  @int8('Position of the event that showed it.') fromPosition: bigint;
  @int4('What its header has in common with most of its chain.') proposerKey: number;
  @int4('Transactions in it.') txCount: number;
  @int4.orNull("Bytes of its header blob on the DA layer; null under a scheme we don't know.")
  headerBlobBytes: number | null;
  @int4.orNull("Bytes of its data blob, 0 without transactions; null under a scheme we don't know.")
  dataBlobBytes: number | null;
  @int2(
    'Two bits a check, from the lowest: link, hash, signature, proposer, data. 0 NOT_CHECKED, 1 PASSED, 2 FAILED.',
  )
  checks: number;
  @bytea.orNull("Header hash, computed; null under a scheme we don't know.") hash: string | null;
  @bytea.orNull('As sent; null where it is the hash of the block before, by the same node.')
  lastHeaderHash: string | null;
  @bytea.orNull('As sent; null where it is that of a block without transactions.') dataHash: string | null;
  @bytea.orNull('As sent; null where the node left it out.') appHash: string | null;
  @int8.orNull(
    "First 8 bytes of the hash by which the node's own index knows it; null where that is not known.",
  )
  signedMark: bigint | null;
  @int8('Number of the transaction that wrote the row last, see record_change.', { default: CHANGE_NUMBER })
  change: bigint;
  @int8.orNull(
    "The later event that brought the header's DA height; null when it came with the block or is still missing.",
  )
  headerIncludedPosition: bigint | null;
  @int8.orNull("The same for the data's.") dataIncludedPosition: bigint | null;
}
