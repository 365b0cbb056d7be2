import { InputType, ObjectType } from '@nestjs/graphql';
import type { CheckResults, CheckResult } from '../../domain/blocks/block.js';
import type { Nanos } from '../../domain/time.js';
import { connectionOf } from '../graphql/connection.js';
import { enumOf } from '../graphql/literal-enum.js';
import { rowOf } from '../graphql/flat-fields.js';
import { UpdatedFilter } from '../graphql/updated-rows.js';
import { IN_ROWS_PAST, Node } from '../nodes/node.type.js';
import { bool, dateTime, field, fieldOf, id, ids, int64, texts } from '../graphql/fields.js';
import { BLOCK_FIELDS } from './block-fields.js';
import { HasId } from '../objects/has-id.type.js';
import { rowId } from '../objects/row-id.js';

/** Cost of a field from other rows, which one lookup reads for all rows together. */
const LOOKED_UP = 15;

const CheckResults = enumOf<CheckResult>('CheckResult', 'Result of a check.', {
  PASSED: 'Proven right.',
  FAILED: 'Proven wrong.',
  NOT_CHECKED: 'Proven neither right nor wrong.',
});

const checkResult = fieldOf(() => CheckResults);

@ObjectType({ description: 'Results of checking a block against its own bytes.' })
export class BlockChecks implements CheckResults {
  @checkResult('`lastHeaderHash` is the hash of the previous block.')
  readonly link: CheckResult;
  @checkResult('The computed header hash equals the hash in the next header.')
  readonly hash: CheckResult;
  @checkResult("The proposer's signature over the header.")
  readonly signature: CheckResult;
  @checkResult("Header and signer both state the address of the signer's key.")
  readonly proposer: CheckResult;
  @checkResult('Data hash and metadata fit header and transactions.')
  readonly data: CheckResult;
}

/** The flat fields are in {@link BLOCK_FIELDS}; the fields here are looked up, or composed of several. */
@ObjectType({
  implements: () => [HasId],
  description:
    'A block header as a node showed it, with the results of our checks. Hashes and addresses are lower-case hex.',
})
export class Block extends rowOf(BLOCK_FIELDS) {
  @id("Hindsight's own stable id of the block as this node showed it.")
  get id(): string {
    return rowId('Block', this.nodeId, this.chainId, this.row.n, this.height);
  }
  @field(() => Node, IN_ROWS_PAST, { complexity: 2 }) readonly node?: Node;
  @dateTime.orNull(
    'When both header and data were included: the time of the later of the two successful submissions that carried them; UTC. Null while either is not included, if no list showed its submission, or if that submission is later than `asOf`.',
    { complexity: LOOKED_UP },
  )
  readonly includedAt?: Nanos | null;
  @field(
    () => BlockChecks,
    'Results of the checks. All are `NOT_CHECKED` with `knownAt`, because checks keep no history.',
  )
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

export const BlockOrder = enumOf(
  'BlockOrder',
  'Order of a list of blocks. Blocks of the same height are sorted by node and fork.',
  {
    HEIGHT_DESC: 'Highest height first.',
    HEIGHT_ASC: 'Lowest height first.',
  },
);
export type BlockOrder = keyof typeof BlockOrder;

@InputType({ description: 'Conditions that must all hold. An empty list matches nothing.' })
export class BlockFilter extends UpdatedFilter {
  @ids.orNull('Ids of the nodes that showed the block.') nodes?: string[] | null;
  @texts.orNull('Ids of chains.') chains?: string[] | null;
  @dateTime.orNull('Start of the range of block times; inclusive.') from?: Nanos | null;
  @dateTime.orNull('End of the range of block times; exclusive.') to?: Nanos | null;
  @int64.orNull('Lowest height; inclusive.') heightFrom?: bigint | null;
  @int64.orNull('Highest height; inclusive.') heightTo?: bigint | null;
  @bool.orNull('Whether header and data are both included.') included?: boolean | null;
}

export const BlockConnection = connectionOf(Block);
