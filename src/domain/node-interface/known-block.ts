import type { BlockHeader, DecodedBlock } from '../blocks/block.js';

/** A block, or the known part of it. Byte strings are lower-case hex. */
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
 * How a node writes a block as JSON. `connect` is the real node's form: camelCase, 64-bit integers as strings, bytes in
 * base64, zeros and empty values omitted. `specification` follows the specification: snake_case, integers as numbers, bytes
 * in hex, nothing omitted.
 */
export type BlockShape = 'connect' | 'specification';
