import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { BlockChecks as Checks, CheckResult } from '../../domain/blocks/block.js';
import { EMPTY_DATA_HASH } from '../../domain/blocks/block-encoding.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { UpdatedFilter, UpdatedRow } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { bool, dateTime, exactInt64, fieldOf, id, ids, int, int64, text, texts } from '../graphql/fields.js';
import type { BlockRow } from './block-row.js';
import { HasId } from '../objects/has-id.type.js';
import { rowId } from '../objects/row-id.js';

/** Cost of what other rows tell, looked up for all rows together. */
const LOOKED_UP = 15;

const CheckResults = enumOf<CheckResult>(['PASSED', 'FAILED', 'NOT_CHECKED']);

registerEnumType(CheckResults, {
  name: 'CheckResult',
  description: 'What became of a check.',
  valuesMap: {
    PASSED: { description: 'It is right.' },
    FAILED: { description: 'It is wrong.' },
    NOT_CHECKED: { description: 'Nothing was proven, in either direction.' },
  },
});

const checkResult = fieldOf(() => CheckResults);

@ObjectType({ description: "What a block's own bytes prove about it." })
export class BlockChecks implements Checks {
  @checkResult('`lastHeaderHash` is the hash of the block before.')
  readonly link: CheckResult;
  @checkResult('The computed header hash is the one that its successor bears.')
  readonly hash: CheckResult;
  @checkResult("The proposer's signature over the header.")
  readonly signature: CheckResult;
  @checkResult("Header and signer name the address of the signer's key.")
  readonly proposer: CheckResult;
  @checkResult('Data hash and metadata fit header and transactions.')
  readonly data: CheckResult;
}

@ObjectType({
  implements: () => [HasId],
  description:
    'A block header as a node showed it, with what was checked. Hashes and addresses are lower-case hex.',
})
export class Block extends UpdatedRow<BlockRow> {
  get nodeKey(): number {
    return this.row.nodeKey;
  }
  get lineageKey(): number {
    return this.row.lineageKey;
  }
  @id('Ours, and stable: of the block as this node showed it.')
  get id(): string {
    return rowId('Block', this.row.nodeId, this.row.chainId, this.row.n, this.row.height);
  }
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @id('`node.id`, for tools that want flat rows.')
  get nodeId(): string {
    return this.row.nodeId;
  }
  @exactInt64('Its height in the chain.')
  get height(): bigint {
    return this.row.height;
  }
  @dateTime('When it was made, by the proposer; UTC.')
  get time(): Nanos {
    return this.row.timeNs;
  }
  @text('Id of its chain.')
  get chainId(): string {
    return this.row.chainId;
  }
  @text.orNull("Header hash, computed; null under a scheme that we don't know.")
  get hash(): string | null {
    return this.row.hash;
  }
  @text.orNull(
    'Hash of the header of the block before; null where neither header tells it, as of the first block.',
  )
  get lastHeaderHash(): string | null {
    // A header whose parent hash the node left out (the first) has empty bytes.
    return (this.row.lastHeaderHash ?? this.row.parentHash) || null;
  }
  @text('Hash of its transactions, as its header has it.')
  get dataHash(): string {
    return this.row.dataHash ?? EMPTY_DATA_HASH;
  }
  @text.orNull('Hash of the state of the application, as its header has it; null where the node left it out.')
  get appHash(): string | null {
    return this.row.appHash;
  }
  @text('Address of the proposer, as its header has it.')
  get proposerAddress(): string {
    return this.row.proposerAddress;
  }
  @int('Transactions in it.')
  get txCount(): number {
    return this.row.txCount;
  }
  @exactInt64("Sum of the transactions' bytes.")
  get dataBytes(): bigint {
    return this.row.txBytes;
  }
  @exactInt64.orNull(
    "Its header as posted to the DA layer, computed; null under a scheme that we don't know.",
  )
  get headerBlobBytes(): number | null {
    return this.row.headerBlobBytes;
  }
  @exactInt64.orNull(
    "Its data as posted to the DA layer, computed, 0 without transactions; null under a scheme that we don't know.",
  )
  get dataBlobBytes(): number | null {
    return this.row.dataBlobBytes;
  }
  @exactInt64.orNull('DA height that includes its header; null while none does.')
  get headerDaHeight(): bigint | null {
    return this.row.headerDaHeight;
  }
  @dateTime.orNull(
    'When header and data were both included: the time of the later of the two successes that carried them; UTC. Null while one of the two is not included, where no list showed its success, and where that lies behind `asOf`.',
    { complexity: LOOKED_UP },
  )
  readonly includedAt?: Nanos | null;
  @exactInt64.orNull('DA height that includes its data; without transactions that of the header again.')
  get dataDaHeight(): bigint | null {
    return this.row.dataDaHeight;
  }
  @text('`chain/n`: the history of the chain that it belongs to. A proven difference opens the next one.')
  get lineage(): string {
    return `${this.row.chainId}/${this.row.n}`;
  }
  @Field(() => BlockChecks, { description: 'All `NOT_CHECKED` with `knownAt`, since they keep no history.' })
  get checks(): BlockChecks {
    return unpackChecks(this.row.checks ?? NOTHING_CHECKED);
  }
}

const NOTHING_CHECKED = 0;
const RESULTS: readonly CheckResult[] = ['NOT_CHECKED', 'PASSED', 'FAILED'];

/** Two bits a check, from the lowest. */
function unpackChecks(packed: number): BlockChecks {
  const resultAt = (shift: number): CheckResult => RESULTS[(packed >> shift) & 3] ?? 'NOT_CHECKED';
  return {
    link: resultAt(0),
    hash: resultAt(2),
    signature: resultAt(4),
    proposer: resultAt(6),
    data: resultAt(8),
  };
}

export const BlockOrder = enumOf(['HEIGHT_DESC', 'HEIGHT_ASC']);
export type BlockOrder = keyof typeof BlockOrder;

registerEnumType(BlockOrder, {
  name: 'BlockOrder',
  description: 'The order of a list of blocks. At one height: by node and history.',
  valuesMap: {
    HEIGHT_DESC: { description: 'The highest one first.' },
    HEIGHT_ASC: { description: 'The lowest one first.' },
  },
});

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class BlockFilter extends UpdatedFilter {
  @ids.orNull('Ids of the nodes that showed it.') nodes?: string[] | null;
  @texts.orNull('Ids of chains.') chains?: string[] | null;
  @dateTime.orNull("Of the block's time; inclusive.") from?: Nanos | null;
  @dateTime.orNull("Of the block's time; exclusive.") to?: Nanos | null;
  @int64.orNull('Least height; inclusive.') heightFrom?: bigint | null;
  @int64.orNull('Largest height; inclusive.') heightTo?: bigint | null;
  @bool.orNull('Whether header and data are both included.') included?: boolean | null;
}

export const BlockConnection = connectionOf(Block);
