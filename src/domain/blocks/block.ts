import type { Nanos } from '../time.js';

/** The outcome of one check of a block. `NOT_CHECKED` means nothing was proven, in either direction. */
export type CheckResult = 'PASSED' | 'FAILED' | 'NOT_CHECKED';

/** What a block's own bytes prove about it; see `verify-block.ts` for each check. */
export interface BlockChecks {
  /** Its `lastHeaderHash` is the hash of the block before it. */
  readonly link: CheckResult;
  /** Its computed header hash is the one its successor (or the P2P store) bears. */
  readonly hash: CheckResult;
  /** The proposer's signature over the header. */
  readonly signature: CheckResult;
  /** Header and signer name the address that belongs to the signer's key. */
  readonly proposer: CheckResult;
  /** Data hash and the data's metadata fit header and transactions. */
  readonly data: CheckResult;
}

/** DA heights of a block's header and data as sent, whatever they are; null where there is none. */
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
  /** Other members of the header that the node sent (retired fields); such a header hashes by a scheme we don't know. */
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
  /** DA heights as the node sent them, where one of them can be none; it is unknown above. */
  readonly shownDaHeights?: ShownDaHeights;
}

/** A block as Hindsight keeps it: the header, what was checked, and the sizes that costs are computed from. */
export interface BlockRecord {
  /** Its `height` is the one that the node was asked for, under which the block is filed. */
  readonly header: BlockHeader;
  /** The height that the header itself named, where that is another one: a damaged header, whose checks fail. */
  readonly shownHeight?: bigint;
  readonly signature: string;
  readonly signerAddress: string;
  readonly signerPubKey: string;
  /** SHA-256 of the header bytes; null under a scheme we don't know. */
  readonly hash: string | null;
  readonly txCount: number;
  /** Sum of the transactions' bytes. */
  readonly txBytes: number;
  /**
   * Bytes of the header blob and of the data blob as posted to the DA layer. Null under a scheme we don't know; data is
   * 0 without transactions.
   */
  readonly headerBlobBytes: number | null;
  readonly dataBlobBytes: number | null;
  readonly headerDaHeight: bigint | null;
  readonly dataDaHeight: bigint | null;
  /** DA heights as the node sent them, where one of them can be none; it is unknown above. */
  readonly shownDaHeights?: ShownDaHeights;
  readonly checks: BlockChecks;
  /** Only where the settings ask for them: SHA-256 hashes, or whole transactions in hex. */
  readonly transactions?: { readonly kind: 'hashes' | 'full'; readonly values: readonly string[] };
}
