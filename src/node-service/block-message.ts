import type { KnownBlock } from '../domain/node-interface/known-block.js';

/** The answer to GetBlock, as far as it is known. */
export function toBlockMessage(block: KnownBlock): object {
  const { header, metadata } = block;
  return {
    block: {
      header: {
        header: {
          version: { block: header.versionBlock, app: header.versionApp },
          height: header.height,
          time: header.timeNs,
          lastHeaderHash: toBytes(header.lastHeaderHash),
          dataHash: toBytes(header.dataHash),
          appHash: toBytes(header.appHash),
          proposerAddress: toBytes(header.proposerAddress),
          validatorHash: toBytes(header.validatorHash),
          chainId: header.chainId,
        },
        signature: toBytes(block.signature),
        signer: { address: toBytes(block.signerAddress), pubKey: toBytes(block.signerPubKey) },
      },
      data: {
        metadata: metadata
          ? {
              chainId: metadata.chainId,
              height: metadata.height,
              time: metadata.timeNs,
              lastDataHash: toBytes(metadata.lastDataHash),
            }
          : undefined,
        txs: block.transactions,
      },
    },
    headerDaHeight: block.headerDaHeight ?? 0n,
    dataDaHeight: block.dataDaHeight ?? 0n,
  };
}

/** @param hex null or undefined if unknown */
export function toBytes(hex: string | null | undefined): Uint8Array | undefined {
  return typeof hex === 'string' ? Buffer.from(hex, 'hex') : undefined;
}

const NS_A_SECOND = 1_000_000_000n;

export function toTimestamp(ns: bigint): { readonly seconds: bigint; readonly nanos: number } {
  return { seconds: ns / NS_A_SECOND, nanos: Number(ns % NS_A_SECOND) };
}
