import type { Nanos } from '../time.js';

/** The outcome of one check of a block. `NOT_CHECKED` means nothing was proven, in either direction. */
export type CheckResult = 'PASSED' | 'FAILED' | 'NOT_CHECKED';

/** Results of the checks of a block; see `verify-block.ts` for each check. */
export interface CheckResults {
  /** Its `lastHeaderHash` is the hash of the block before it. */
  readonly link: CheckResult;
  /** Its computed header hash is the one that its successor (or the P2P store) names. */
  readonly hash: CheckResult;
  /** The proposer's signature over the header. */
  readonly signature: CheckResult;
  /** Header and signer name the address that belongs to the signer's key. */
  readonly proposer: CheckResult;
  /** Data hash and the data's metadata match header and transactions. */
  readonly data: CheckResult;
}

/** DA heights of a block's header and data as sent, whatever their value; null where there is none. */
export type ShownDaHeights = readonly [header: bigint | null, data: bigint | null];

/** A block header as a node showed it. Byte strings are lower-case hex, empty when the node left them out. */
export interface BlockHeader {
  readonly versionBlock: bigint;
  readonly versionApp: bigint;
  readonly height: bigint;
  /** As the proposer wrote it. */
  readonly timeNs: Nanos;
  readonly lastHeaderHash: string;
  readonly dataHash: string;
  readonly appHash: string;
  readonly proposerAddress: string;
  readonly validatorHash: string;
  readonly chainId: string;
  /** Whether the node sent other members of the header (retired fields); such a header hashes by an unknown scheme. */
  readonly unknownFields: boolean;
}

/** A block as decoded from a node's `GetBlock` answer: everything that the checks need. */
export interface DecodedBlock {
  readonly header: BlockHeader;
  readonly signature: string;
  readonly signerAddress: string;
  readonly signerPubKey: string;
  readonly metadata: {
    readonly chainId: string;
    readonly height: bigint;
    readonly timeNs: Nanos;
    readonly lastDataHash: string;
  } | null;
  /** Raw bytes of each transaction. */
  readonly transactions: readonly Uint8Array[];
  /** DA height at which the header was included; null while it is not. */
  readonly headerDaHeight: bigint | null;
  /** DA height at which the data was included; null while it is not. A block without transactions repeats the header's. */
  readonly dataDaHeight: bigint | null;
  /** DA heights as the node sent them, if one of them cannot be a DA height; that one is null above. */
  readonly shownDaHeights?: ShownDaHeights;
}

/** A block as Hindsight stores it: the header, the results of the checks, and the sizes that costs are computed from. */
export interface BlockRecord extends Omit<DecodedBlock, 'metadata' | 'transactions'> {
  /** Its `height` is the one that was requested from the node, under which the block is filed. */
  readonly header: BlockHeader;
  /** The height in the header itself if it differs: a damaged header, whose checks fail. */
  readonly shownHeight?: bigint;
  /** SHA-256 of the header bytes; null under an unknown scheme. */
  readonly hash: string | null;
  readonly txCount: number;
  readonly txBytes: number;
  /**
   * Bytes of the header blob and of the data blob as posted to the DA layer. Null under an unknown scheme; data is 0
   * without transactions.
   */
  readonly headerBlobBytes: number | null;
  readonly dataBlobBytes: number | null;
  readonly checks: CheckResults;
  /** Only if the settings require them: SHA-256 hashes, or whole transactions in hex. */
  readonly transactions?: { readonly kind: 'hashes' | 'full'; readonly values: readonly string[] };
}
