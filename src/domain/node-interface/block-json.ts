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
 * How a node writes a block: `connect` is the real node's (camelCase, 64-bit integers as strings, bytes in base64,
 * zeros and empty values left out), `specification` the one of the specification (snake_case, integers as numbers,
 * nothing left out, bytes in hex).
 */
export type BlockShape = 'connect' | 'specification';

/**
 * The answer to GetBlock; what is not known is left out. The specification's integers come as `bigint`: they are numbers in
 * the JSON.
 */
export function blockToJson(block: KnownBlock, shape: BlockShape): object {
  return shape === 'connect' ? toConnect(block) : toSpecification(block);
}

function toConnect(block: KnownBlock): object {
  const { header, metadata } = block;
  return withoutEmpty({
    block: {
      header: {
        header: withoutEmpty({
          version: withoutEmpty({ block: String(header.versionBlock), app: String(header.versionApp) }),
          height: String(header.height),
          time: String(header.timeNs),
          lastHeaderHash: base64(header.lastHeaderHash),
          dataHash: base64(header.dataHash),
          appHash: base64(header.appHash),
          proposerAddress: base64(header.proposerAddress),
          validatorHash: base64(header.validatorHash),
          chainId: header.chainId,
        }),
        signature: base64(block.signature),
        signer: { address: base64(block.signerAddress), pubKey: base64(block.signerPubKey) },
      },
      data: withoutEmpty({
        metadata:
          metadata &&
          withoutEmpty({
            chainId: metadata.chainId,
            height: String(metadata.height),
            time: String(metadata.timeNs),
            lastDataHash: base64(metadata.lastDataHash),
          }),
        txs: block.transactions?.map((transaction) => Buffer.from(transaction).toString('base64')),
      }),
    },
    headerDaHeight: String(block.headerDaHeight ?? 0n),
    dataDaHeight: String(block.dataDaHeight ?? 0n),
  });
}

function toSpecification(block: KnownBlock): object {
  const { header, metadata } = block;
  return {
    block: {
      header: {
        header: {
          version: { block: header.versionBlock, app: header.versionApp },
          height: header.height,
          time: header.timeNs,
          last_header_hash: header.lastHeaderHash,
          data_hash: header.dataHash,
          app_hash: header.appHash,
          proposer_address: header.proposerAddress,
          validator_hash: header.validatorHash,
          chain_id: header.chainId,
        },
        signature: block.signature,
        signer: { address: block.signerAddress, pub_key: block.signerPubKey },
      },
      data: {
        metadata: metadata && {
          chain_id: metadata.chainId,
          height: metadata.height,
          time: metadata.timeNs,
          last_data_hash: metadata.lastDataHash,
        },
        txs: block.transactions?.map((transaction) => Buffer.from(transaction).toString('hex')),
      },
    },
    header_da_height: block.headerDaHeight ?? 0n,
    data_da_height: block.dataDaHeight ?? 0n,
  };
}

/** Leaves out what protobuf's JSON leaves out: zeros, empty strings and empty lists, but not empty messages. */
export function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== '0' && !isEmptyList(value)),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function base64(hex: string | undefined): string | undefined {
  return hex === undefined ? undefined : Buffer.from(hex, 'hex').toString('base64');
}
