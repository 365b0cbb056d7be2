import type { BlockHeader, DecodedBlock } from '../blocks/block.js';

/** A block, or what is known of it. Byte strings are lower-case hex. */
export interface KnownBlock extends Pick<DecodedBlock, 'headerDaHeight' | 'dataDaHeight'> {
  readonly header: Omit<BlockHeader, 'unknownFields'>;
  readonly signature?: string | undefined;
  readonly signerAddress?: string | undefined;
  readonly signerPubKey?: string | undefined;
  readonly metadata?:
    (Omit<NonNullable<DecodedBlock['metadata']>, 'lastDataHash'> & { readonly lastDataHash?: string }) | null;
  readonly transactions?: readonly Uint8Array[] | undefined;
}

/**
 * How a node writes a block as JSON. `connect` is the real node's: camelCase, 64-bit integers as strings, bytes in
 * base64, zeros and empty values left out. `specification` is that of the specification: snake_case, integers as
 * numbers, bytes in hex, nothing left out.
 */
export type BlockShape = 'connect' | 'specification';
