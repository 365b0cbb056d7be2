import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { DEFAULT_MAX_BYTES, policyFault, type BatchingPolicy } from '../../domain/cost/batching-policy.js';
import { Decimal } from '../../domain/cost/decimal.js';
import { WhatIfReader } from '../../statistics/what-if/what-if.reader.js';
import { badUserInput, refusing } from '../errors.js';
import { argOrNull } from '../graphql/fields.js';
import { DateTime, Decimal as DecimalScalar } from '../graphql/scalars.js';
import { toWhatIfReport } from './what-if-answer.js';
import { WhatIfPolicy, WhatIfReport } from './what-if.type.js';

/** Reads blocks by the million, so only one fits into a request. */
const COST_OF_WHAT_IF = 1_200_000;
const MOST_POLICIES = 10;

@Resolver()
export class WhatIfResolver {
  constructor(private readonly reader: WhatIfReader) {}

  @Query(() => WhatIfReport, {
    name: 'whatIf',
    complexity: COST_OF_WHAT_IF,
    description:
      'Cost and inclusion lag of the recorded blocks of a range, had they been batched differently or posted at another gas price. At most 10 policies and 5,000,000 blocks.',
  })
  async getReport(
    @Args('chain', { type: () => ID, description: 'Id of the chain.' }) chain: string,
    @Args('from', { type: () => DateTime, description: 'Start of the range of block times; inclusive.' })
    from: bigint,
    @Args('to', { type: () => DateTime, description: 'End of the range of block times; exclusive.' })
    to: bigint,
    @Args('policies', { type: () => [WhatIfPolicy], description: 'The policies to try: 1 to 10.' })
    inputs: WhatIfPolicy[],
    @argOrNull(
      'gasPrice',
      () => DecimalScalar,
      'utia per unit of gas; the price of the price book if left out.',
    )
    gasPrice: string | null | undefined,
  ): Promise<WhatIfReport> {
    if (from >= to) throw badUserInput('The range is empty: `from` must be before `to`.');
    const policies = toPolicies(inputs);
    const request = { chain, fromNs: from, toNs: to, policies, gasPrice: toGasPrice(gasPrice ?? null) };
    const report = await refusing(() => this.reader.getReport(request));
    return toWhatIfReport({ chain, from, to, policies }, report);
  }
}

function toPolicies(inputs: readonly WhatIfPolicy[]): BatchingPolicy[] {
  if (inputs.length === 0 || inputs.length > MOST_POLICIES) {
    throw badUserInput(`Give from 1 to ${MOST_POLICIES} policies, not ${inputs.length}.`);
  }
  return inputs.map((input, index) => {
    const policy = toPolicy(input);
    const fault = typeof policy === 'string' ? policy : policyFault(policy);
    if (typeof policy === 'string' || fault !== undefined) {
      throw badUserInput(`Policy ${index + 1}: ${fault}`);
    }
    return policy;
  });
}

function toPolicy(input: WhatIfPolicy): BatchingPolicy | string {
  const { everyBlocks, everyMs } = input;
  const joined = input.joined ?? false;
  const maxBytes = input.maxBytes ?? DEFAULT_MAX_BYTES;
  const submissionMs = input.submissionMs ?? 0;
  const blocks = everyBlocks ?? undefined;
  const ms = everyMs ?? undefined;
  if (blocks !== undefined && ms === undefined) return { every: { blocks }, joined, maxBytes, submissionMs };
  if (ms !== undefined && blocks === undefined) return { every: { ms }, joined, maxBytes, submissionMs };
  return 'Give either `everyBlocks` or `everyMs`.';
}

function toGasPrice(text: string | null): Decimal | null {
  if (text === null) return null;
  const price = Decimal.parse(text);
  if (!price || price.isNegative() || price.isZero()) {
    throw badUserInput(`\`gasPrice\` must be a decimal number above 0, such as 0.004.`);
  }
  return price;
}
