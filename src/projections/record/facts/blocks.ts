import { entryOf } from '../../../domain/collections.js';
import type { CheckResults, BlockRecord, CheckResult } from '../../../domain/blocks/block.js';
import { EMPTY_DATA_HASH, signedHashOf } from '../../../domain/blocks/block-encoding.js';
import { toHashKey } from '../../../domain/blocks/block-locator.js';
import { type LateChecks, lateChecksOf } from '../../../domain/blocks/block-facts.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { updateRows, type Written } from '../../../platform/rows/write-rows.js';
import { BlockEntity, ProposerEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import type { RecordedEvent } from '../../../domain/events.js';
import { toHeight } from '../../../domain/bounds.js';
import type { KeyBook } from './key-book.js';

/** A block's DA heights, and the later events that showed them. */
export const INCLUSION = [
  'headerDaHeight',
  'dataDaHeight',
  'headerIncludedPosition',
  'dataIncludedPosition',
] as const satisfies readonly (keyof BlockEntity)[];
const KEY = ['nodeKey', 'lineageKey', 'height'] as const;
/** A block whose DA heights a later event showed. */
export type LateInclusion = Pick<BlockEntity, (typeof KEY)[number] | (typeof INCLUSION)[number]>;

export type NewBlock = Written<BlockEntity>;
export type Inclusion = Pick<BlockEntity, 'height' | 'headerDaHeight' | 'dataDaHeight'>;
/** The DA heights of a known block, or a new block with the DA heights it came with. */
export type BlockFact = Inclusion | NewBlock;

/** Late check results of a block recorded before, as the bits of `checks` to clear and to set. */
export interface LateCheck extends Pick<BlockEntity, (typeof KEY)[number]> {
  clear: number;
  set: number;
}

const CHECKS = ['link', 'hash', 'signature', 'proposer', 'data'] as const;
const CHECK_CODES: Readonly<Record<CheckResult, number>> = { NOT_CHECKED: 0, PASSED: 1, FAILED: 2 };
/** How many bytes of an address or hash are kept to distinguish proposers; real ones are never longer. */
const MOST_ADDRESS_BYTES = 64;

const COLUMNS = columnsOf(BlockEntity);
const CHECK_COLUMNS = columnsOf(BlockEntity, ...KEY).and({ clear: 'int2', set: 'int2' });

/** Header fields that are the same in most blocks of a chain. */
export type Proposer = Readonly<Omit<ProposerEntity, 'proposerKey'>>;

/** Converts a block. `follows` means that the same node's previous block is recorded and that this block names its hash. */
function toBlock(
  record: BlockRecord,
  place: Pick<BlockEntity, 'nodeKey' | 'lineageKey' | 'fromPosition' | 'proposerKey'>,
  follows: boolean,
): NewBlock {
  const { header } = record;
  const signedHash = signedHashOf(record);
  return {
    ...place,
    height: header.height,
    timeNs: header.timeNs,
    headerDaHeight: record.headerDaHeight,
    dataDaHeight: record.dataDaHeight,
    txBytes: BigInt(record.txBytes),
    headerIncludedPosition: null,
    dataIncludedPosition: null,
    txCount: record.txCount,
    headerBlobBytes: record.headerBlobBytes,
    dataBlobBytes: record.dataBlobBytes,
    checks: packChecks(record.checks),
    hash: record.hash,
    signedMark: signedHash === null ? null : toHashKey(signedHash),
    lastHeaderHash: follows ? null : header.lastHeaderHash || null,
    dataHash: header.dataHash === EMPTY_DATA_HASH ? null : header.dataHash,
    appHash: header.appHash || null,
  };
}

export function proposerOf({ header }: BlockRecord): Proposer {
  return {
    proposerAddress: header.proposerAddress.slice(0, 2 * MOST_ADDRESS_BYTES),
    validatorHash: header.validatorHash.slice(0, 2 * MOST_ADDRESS_BYTES),
    versionBlock: header.versionBlock,
    versionApp: header.versionApp,
  };
}

function packChecks(checks: CheckResults): number {
  return CHECKS.reduce((code, check, index) => code | (CHECK_CODES[checks[check]] << (2 * index)), 0);
}

/** Inserts blocks that are not stored yet. @returns the number inserted, by node */
export async function insertBlocks(
  blocks: readonly NewBlock[],
  query: Query,
): Promise<{ nodeKey: number; count: bigint }[]> {
  if (blocks.length === 0) return [];
  const added = COLUMNS.givenIn(blocks).unnest(blocks as readonly BlockEntity[]);
  return query(
    `WITH added AS (
       INSERT INTO block (${added.names}) SELECT ${added.names} FROM ${added.sql}
       ON CONFLICT (node_key, lineage_key, height) DO NOTHING RETURNING node_key
     )
     SELECT node_key AS "nodeKey", count(*) FROM added GROUP BY node_key`,
    added.parameters,
  );
}

/** Updates the DA heights of blocks; each block at most once. */
export function includeBlocks(inclusions: readonly LateInclusion[], query: Query): Promise<void> {
  return updateRows(query, BlockEntity, { key: KEY, changed: INCLUSION }, inclusions);
}

/** Sets checks that were decided later; each block at most once. */
export async function checkBlocks(checks: readonly LateCheck[], query: Query): Promise<void> {
  if (checks.length === 0) return;
  const late = CHECK_COLUMNS.unnest(checks, 'late');
  await query(
    `UPDATE block b SET checks = b.checks & ~late.clear | late.set FROM ${late.sql}
      WHERE b.node_key = late.node_key AND b.lineage_key = late.lineage_key AND b.height = late.height`,
    late.parameters,
  );
}

type BlockOwner = Pick<BlockEntity, 'nodeKey' | 'lineageKey'>;

/** Reads the blocks of a batch, in the order of the log. */
export class BlockReader {
  readonly blocks: NewBlock[] = [];
  private readonly lateChecks = new Map<string, LateCheck>();

  constructor(
    private readonly memory: {
      readonly walks: {
        find(nodeKey: number, lineageKey: number): { readonly lastHeight: bigint } | undefined;
      };
      readonly proposerKeys: KeyBook<ProposerEntity, 'proposerKey'>;
    },
  ) {}

  /** Late check results in the events read so far, for blocks recorded before; each block once. */
  checks(): LateCheck[] {
    return [...this.lateChecks.values()];
  }

  read(
    event: Extract<RecordedEvent, { type: 'BlocksObserved' }>,
    records: readonly BlockRecord[],
    owner: BlockOwner,
  ): NewBlock[] {
    let before = this.memory.walks.find(owner.nodeKey, owner.lineageKey)?.lastHeight;
    const blocks = records.map((record) => {
      const proposerKey = this.memory.proposerKeys.keyOf(proposerOf(record));
      const follows = record.checks.link === 'PASSED' && before === record.header.height - 1n;
      before = record.header.height;
      return toBlock(record, { ...owner, fromPosition: event.position, proposerKey }, follows);
    });
    for (const block of blocks) this.blocks.push(block);
    const late = lateChecksOf(event.body);
    if (late && toHeight(late.height) !== null) this.noteLate(owner, late);
    return blocks;
  }

  private noteLate(owner: BlockOwner, { height, checks }: LateChecks): void {
    const key = `${owner.nodeKey}/${owner.lineageKey}/${height}`;
    const check = entryOf(this.lateChecks, key, () => ({ ...owner, height, clear: 0, set: 0 }));
    CHECKS.forEach((name, index) => {
      const result = checks[name];
      if (result === undefined) return;
      const bits = 3 << (2 * index);
      check.clear |= bits;
      check.set = (check.set & ~bits) | (CHECK_CODES[result] << (2 * index));
    });
  }
}
