import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { BlockChecks as Checks, CheckResult } from '../../domain/blocks/block.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import type { Past } from '../graphql/time-travel.js';
import { UpdatedFilter, UpdatedRow } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { bool, dateTime, exactInt64, fieldOf, id, ids, int, int64, text, texts } from '../graphql/fields.js';

const CheckResults = enumOf<CheckResult>(['PASSED', 'FAILED', 'NOT_CHECKED']);

registerEnumType(CheckResults, {
  name: 'CheckResult',
  valuesMap: { NOT_CHECKED: { description: 'Nothing was proven, in either direction.' } },
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
  description:
    'A block header as a node showed it, with what was checked. Hashes and addresses are lower-case hex.',
})
export class Block extends UpdatedRow {
  readonly nodeKey: number;
  /** In which it was asked for. */
  readonly past: Past;
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @id('`node.id`, for tools that want flat rows.') readonly nodeId: string;
  @exactInt64() readonly height: bigint;
  @dateTime('By the proposer.') readonly time: Nanos;
  @text() readonly chainId: string;
  @text.orNull("Header hash, computed; null under a scheme that we don't know.") readonly hash: string | null;
  @text.orNull() readonly lastHeaderHash: string | null;
  @text() readonly dataHash: string;
  @text.orNull() readonly appHash: string | null;
  @text() readonly proposerAddress: string;
  @int() readonly txCount: number;
  @exactInt64("Sum of the transactions' bytes.") readonly dataBytes: bigint;
  @exactInt64.orNull(
    "Its header as posted to the DA layer, computed; null under a scheme that we don't know.",
  )
  readonly headerBlobBytes: number | null;
  @exactInt64.orNull(
    "Its data as posted to the DA layer, computed, 0 without transactions; null under a scheme that we don't know.",
  )
  readonly dataBlobBytes: number | null;
  @exactInt64.orNull('DA height that includes its header; null while none does.')
  readonly headerDaHeight: bigint | null;
  @exactInt64.orNull('DA height that includes its data; without transactions that of the header again.')
  readonly dataDaHeight: bigint | null;
  @text('`chain/n`: the history of the chain that it belongs to. A proven difference opens the next one.')
  readonly lineage: string;
  @Field(() => BlockChecks, { description: 'All `NOT_CHECKED` with `knownAt`, since they keep no history.' })
  readonly checks: BlockChecks;
}

export const BlockOrder = enumOf(['HEIGHT_DESC', 'HEIGHT_ASC']);
export type BlockOrder = keyof typeof BlockOrder;

registerEnumType(BlockOrder, { name: 'BlockOrder' });

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class BlockFilter extends UpdatedFilter {
  @ids.orNull() nodes?: string[] | null;
  @texts.orNull() chains?: string[] | null;
  @dateTime.orNull("Of the block's time; inclusive.") from?: Nanos | null;
  @dateTime.orNull("Of the block's time; exclusive.") to?: Nanos | null;
  @int64.orNull('Inclusive.') heightFrom?: bigint | null;
  @int64.orNull('Inclusive.') heightTo?: bigint | null;
  @bool.orNull('Whether header and data are both included.') included?: boolean | null;
}

export const BlockConnection = connectionOf(Block);
