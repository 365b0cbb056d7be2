import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { BlockChecks as Checks, CheckResult } from '../../domain/blocks/block.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { DateTime, Int64 } from '../graphql/scalars.js';
import { Node } from '../nodes/node.type.js';

const CheckResults = enumOf<CheckResult>(['PASSED', 'FAILED', 'NOT_CHECKED']);

registerEnumType(CheckResults, {
  name: 'CheckResult',
  valuesMap: { NOT_CHECKED: { description: 'Nothing was proven, in either direction.' } },
});

@ObjectType({ description: "What a block's own bytes prove about it." })
export class BlockChecks implements Checks {
  @Field(() => CheckResults, { description: '`lastHeaderHash` is the hash of the block before.' })
  readonly link: CheckResult;

  @Field(() => CheckResults, { description: 'The computed header hash is the one that its successor bears.' })
  readonly hash: CheckResult;

  @Field(() => CheckResults, { description: "The proposer's signature over the header." })
  readonly signature: CheckResult;

  @Field(() => CheckResults, { description: "Header and signer name the address of the signer's key." })
  readonly proposer: CheckResult;

  @Field(() => CheckResults, { description: 'Data hash and metadata fit header and transactions.' })
  readonly data: CheckResult;
}

@ObjectType({
  description:
    'A block header as a node showed it, with what was checked. Hashes and addresses are lower-case hex.',
})
export class Block {
  readonly nodeKey: number;

  @Field(() => Node, { complexity: 2 })
  readonly node?: Node;

  @Field(() => Int64)
  readonly height: bigint;

  @Field(() => DateTime, { description: 'By the proposer.' })
  readonly time: Nanos;

  @Field(() => String)
  readonly chainId: string;

  @Field(() => String, {
    nullable: true,
    description: "Header hash, computed; null under a scheme that we don't know.",
  })
  readonly hash: string | null;

  @Field(() => String, { nullable: true })
  readonly lastHeaderHash: string | null;

  @Field(() => String)
  readonly dataHash: string;

  @Field(() => String, { nullable: true })
  readonly appHash: string | null;

  @Field(() => String)
  readonly proposerAddress: string;

  @Field(() => Int)
  readonly txCount: number;

  @Field(() => Int64, { description: "Sum of the transactions' bytes." })
  readonly dataBytes: bigint;

  @Field(() => Int64, {
    nullable: true,
    description: "Its header as posted to the DA layer, computed; null under a scheme that we don't know.",
  })
  readonly headerBlobBytes: number | null;

  @Field(() => Int64, {
    nullable: true,
    description:
      "Its data as posted to the DA layer, computed, 0 without transactions; null under a scheme that we don't know.",
  })
  readonly dataBlobBytes: number | null;

  @Field(() => Int64, {
    nullable: true,
    description: 'DA height that includes its header; null while none does.',
  })
  readonly headerDaHeight: bigint | null;

  @Field(() => Int64, {
    nullable: true,
    description: 'DA height that includes its data; without transactions that of the header again.',
  })
  readonly dataDaHeight: bigint | null;

  @Field(() => String, {
    description:
      '`chain/n`: the history of the chain that it belongs to. A proven difference opens the next one.',
  })
  readonly lineage: string;

  @Field(() => BlockChecks)
  readonly checks: BlockChecks;
}

export const BlockOrder = enumOf(['HEIGHT_DESC', 'HEIGHT_ASC']);
export type BlockOrder = keyof typeof BlockOrder;

registerEnumType(BlockOrder, { name: 'BlockOrder' });

@InputType({ description: 'Conditions that must all hold. A list that is given and empty matches nothing.' })
export class BlockFilter {
  @Field(() => [ID], { nullable: true })
  nodes?: string[] | null;

  @Field(() => [String], { nullable: true })
  chains?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: "Of the block's time; inclusive." })
  from?: Nanos | null;

  @Field(() => DateTime, { nullable: true, description: "Of the block's time; exclusive." })
  to?: Nanos | null;

  @Field(() => Int64, { nullable: true, description: 'Inclusive.' })
  heightFrom?: bigint | null;

  @Field(() => Int64, { nullable: true, description: 'Inclusive.' })
  heightTo?: bigint | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether header and data are both included.' })
  included?: boolean | null;
}

export const BlockConnection = connectionOf(Block);
