import type { BlockChecks, BlockRecord, CheckResult } from '../../../domain/blocks/block.js';
import { EMPTY_DATA_HASH, signedHashOf } from '../../../domain/blocks/block-encoding.js';
import { toMark } from '../../../domain/blocks/block-marks.js';
import { type LateChecks, lateChecksOf } from '../../../domain/blocks/block-facts.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { updateRows, type Written } from '../../../platform/rows/write-rows.js';
import { BlockEntity } from '../../../tables/record/block.entity.js';
import { ProposerEntity } from '../../../tables/record/proposer.entity.js';
import type { Query } from '../../projection.js';
import type { RecordedEvent } from '../../../domain/events.js';
import { toHeight } from '../../../domain/bounds.js';
import type { KeyBook } from './key-book.js';
import type { BlockFact } from './facts.js';

/** Where a block is included, and the later events that showed it. */
export const INCLUSION = [
  'headerDaHeight',
  'dataDaHeight',
  'headerIncludedPosition',
  'dataIncludedPosition',
] as const satisfies readonly (keyof BlockEntity)[];
/** What a block has from a later event on that showed DA heights for it. */
export type LateInclusion = Pick<
  BlockEntity,
  'nodeKey' | 'lineageKey' | 'height' | 'timeNs' | (typeof INCLUSION)[number]
>;

/** A block that is to be inserted. */
export type NewBlock = Written<BlockEntity>;

/** What a later event decided about a block recorded before, as the bits of `checks` to clear and to set. */
export interface LateCheck extends Pick<BlockEntity, 'nodeKey' | 'lineageKey' | 'height'> {
  readonly clear: number;
  readonly set: number;
}

const CHECKS = ['link', 'hash', 'signature', 'proposer', 'data'] as const;
const CHECK_CODES: Readonly<Record<CheckResult, number>> = { NOT_CHECKED: 0, PASSED: 1, FAILED: 2 };
/** Bytes of an address or hash that are kept for telling proposers apart; none that is real has more. */
const MOST_ADDRESS_BYTES = 64;

const COLUMNS = columnsOf(BlockEntity);
const CHECK_COLUMNS = columnsOf(BlockEntity, 'nodeKey', 'lineageKey', 'height').and({
  clear: 'int2',
  set: 'int2',
});
const LATE_INCLUSION = {
  key: ['nodeKey', 'lineageKey', 'height'],
  changed: INCLUSION,
} as const;

/** What is equal in most headers of a chain. */
export type Proposer = Readonly<Omit<ProposerEntity, 'proposerKey'>>;

/** A block as it is recorded; `follows`: the block before was, of the same node, and this one names its hash. */
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
    signedMark: signedHash === null ? null : toMark(signedHash),
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

/** Checks as `block.checks` holds them. */
function packChecks(checks: BlockChecks): number {
  return CHECKS.reduce((code, check, index) => code | (CHECK_CODES[checks[check]] << (2 * index)), 0);
}

/** Late checks as the bits to clear and to set. */
function toLateCheck(nodeKey: number, lineageKey: number, late: LateChecks): LateCheck {
  let clear = 0;
  let set = 0;
  CHECKS.forEach((check, index) => {
    const result = late.checks[check];
    if (result === undefined) return;
    clear |= 3 << (2 * index);
    set |= CHECK_CODES[result] << (2 * index);
  });
  return { nodeKey, lineageKey, height: late.height, clear, set };
}

/** Inserts blocks that are not there yet; the number inserted, by node. */
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

/** Sets the DA heights that blocks have now; each block at most once. */
export function includeBlocks(inclusions: readonly LateInclusion[], query: Query): Promise<void> {
  return updateRows(query, BlockEntity, LATE_INCLUSION, inclusions);
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

/** Whose blocks they are. */
type Owner = Pick<BlockEntity, 'nodeKey' | 'lineageKey'>;

/** Reads the blocks of a batch, in the order of the log. */
export class BlockReader {
  readonly blocks: NewBlock[] = [];
  private readonly lateChecks = new Map<string, LateCheck>();
  /** The height recorded last, by owner. */
  private readonly tips = new Map<string, bigint>();

  /** @param memory the books of the record */
  constructor(
    private readonly memory: {
      readonly walks: {
        find(nodeKey: number, lineageKey: number): { readonly lastHeight: bigint } | undefined;
      };
      readonly proposerKeys: KeyBook<ProposerEntity, 'proposerKey'>;
    },
  ) {}

  /** What the events read so far decided about blocks recorded before; each block once. */
  checks(): LateCheck[] {
    return [...this.lateChecks.values()];
  }

  read(
    event: Extract<RecordedEvent, { type: 'BlocksObserved' }>,
    blocks: readonly BlockRecord[],
    owner: Owner,
  ): BlockFact[] {
    const name = `${owner.nodeKey}/${owner.lineageKey}`;
    let before = this.tips.get(name) ?? this.memory.walks.find(owner.nodeKey, owner.lineageKey)?.lastHeight;
    const facts: BlockFact[] = [];
    for (const block of blocks) {
      const { height } = block.header;
      const place = {
        ...owner,
        fromPosition: event.position,
        proposerKey: this.memory.proposerKeys.keyOf(proposerOf(block)),
      };
      const follows = block.checks.link === 'PASSED' && before === height - 1n;
      this.blocks.push(toBlock(block, place, follows));
      facts.push(toBlockFact(block));
      before = height;
    }
    if (before !== undefined) this.tips.set(name, before);
    const late = lateChecksOf(event.body);
    if (late && toHeight(late.height) !== null) this.noteLate(owner, late);
    return facts;
  }

  private noteLate({ nodeKey, lineageKey }: Owner, late: LateChecks): void {
    const key = `${nodeKey}/${lineageKey}/${late.height}`;
    const check = toLateCheck(nodeKey, lineageKey, late);
    const before = this.lateChecks.get(key);
    const set = ((before?.set ?? 0) & ~check.clear) | check.set;
    this.lateChecks.set(key, { ...check, clear: (before?.clear ?? 0) | check.clear, set });
  }
}

function toBlockFact(block: BlockRecord): BlockFact {
  const { height, timeNs, lastHeaderHash } = block.header;
  return {
    height,
    headerDaHeight: block.headerDaHeight,
    dataDaHeight: block.dataDaHeight,
    recorded: {
      timeNs,
      hasData: block.txCount > 0,
      headerBlobBytes: block.headerBlobBytes,
      dataBlobBytes: block.dataBlobBytes,
      // The first block of a chain has none to name, or writes zeros.
      isChainStart: height === 1n || /^0*$/.test(lastHeaderHash),
    },
  };
}
