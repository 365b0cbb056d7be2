import type { BatchingPolicy } from '../../domain/cost/batching-policy.js';
import type { WhatIfResult } from '../../domain/cost/what-if.js';
import type { WhatIfFigures } from '../../statistics/what-if/what-if.reader.js';
import { toDistribution as distributionOf } from '../../statistics/read/distributions.query.js';
import { FEE_UNIT, toDistribution } from '../statistics/report-rows.js';
import { WhatIfBaseline, WhatIfOutcome, WhatIfReport } from './what-if.type.js';

export function toWhatIfReport(
  question: {
    readonly chain: string;
    readonly from: bigint;
    readonly to: bigint;
    readonly policies: readonly BatchingPolicy[];
  },
  { baseline, results, coveredFromNs, coveredToNs, blocks, blocksNotIncluded, ...figures }: WhatIfFigures,
): WhatIfReport {
  const { policies, ...range } = question;
  const { lagMs, ...sums } = baseline;
  return Object.assign(new WhatIfReport(), {
    ...range,
    ...figures,
    coveredFrom: coveredFromNs,
    coveredTo: coveredToNs,
    blocks: BigInt(blocks),
    blocksNotIncluded: BigInt(blocksNotIncluded),
    baseline: Object.assign(new WhatIfBaseline(), {
      ...sums,
      feeUnit: FEE_UNIT,
      inclusionLagMs: toDistribution(distributionOf(lagMs)),
    }),
    policies: policies.flatMap((policy, index) => {
      const result = results[index];
      return result ? [toOutcome(policy, result)] : [];
    }),
  });
}

function toOutcome({ every, ...policy }: BatchingPolicy, result: WhatIfResult): WhatIfOutcome {
  const { submissions, blobs, sizeBytes, gas, fee, unpriced, oversized, unmeasured, lagMs } = result;
  return Object.assign(new WhatIfOutcome(), {
    everyBlocks: 'blocks' in every ? every.blocks : null,
    everyMs: 'ms' in every ? every.ms : null,
    ...policy,
    submissions: BigInt(submissions),
    blobs: BigInt(blobs),
    sizeBytes,
    gas,
    fee: unpriced > 0 ? null : fee,
    feeUnit: FEE_UNIT,
    unpriced: BigInt(unpriced),
    oversized: BigInt(oversized),
    blocksUnmeasured: BigInt(unmeasured),
    inclusionLagMs: toDistribution(distributionOf(lagMs)),
  });
}
