import { Field, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { BlockChecks as Checks, CheckResult } from '../../domain/blocks/block.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { rowOf } from '../graphql/flat-fields.js';
import { UpdatedFilter } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { bool, dateTime, fieldOf, id, ids, int64, texts } from '../graphql/fields.js';
import { BLOCK_FIELDS } from './block-fields.js';
import { HasId } from '../objects/has-id.type.js';
import { rowId } from '../objects/row-id.js';

/** Cost of a field from other rows, which one lookup reads for all rows together. */
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

/** The flat fields are in {@link BLOCK_FIELDS}; the fields here are looked up, or composed of several. */
@ObjectType({
  implements: () => [HasId],
  description:
    'A block header as a node showed it, with what was checked. Hashes and addresses are lower-case hex.',
})
export class Block extends rowOf(BLOCK_FIELDS) {
  @id('Ours, and stable: of the block as this node showed it.')
  get id(): string {
    return rowId('Block', this.nodeId, this.chainId, this.row.n, this.height);
  }
  @Field(() => Node, { complexity: 2, description: IN_ROWS_PAST })
  readonly node?: Node;
  @dateTime.orNull(
    'When header and data were both included: the time of the later of the two successes that carried them; UTC. Null while one of the two is not included, where no list showed its success, and where that lies behind `asOf`.',
    { complexity: LOOKED_UP },
  )
  readonly includedAt?: Nanos | null;
  @Field(() => BlockChecks, { description: 'All `NOT_CHECKED` with `knownAt`, since they keep no history.' })
  get checks(): BlockChecks {
    const { checksLink, checksHash, checksSignature, checksProposer, checksData } = this.row;
    return {
      link: checksLink ?? 'NOT_CHECKED',
      hash: checksHash ?? 'NOT_CHECKED',
      signature: checksSignature ?? 'NOT_CHECKED',
      proposer: checksProposer ?? 'NOT_CHECKED',
      data: checksData ?? 'NOT_CHECKED',
    };
  }
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
