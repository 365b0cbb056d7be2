import { z } from 'zod';
import { nameValue, oneOf, patternsValue } from './alert-rules.js';
import { section } from './faults.js';

const PERIODS = { month: 'MONTH', quarter: 'QUARTER' } as const;

/** Reports that are sent by mail, each after the end of a month or quarter. */
export const reportsValue = z
  .array(
    section({
      mail: nameValue('an id'),
      by: oneOf(['month', 'quarter']).default('month'),
      chains: patternsValue.optional(),
      locale: oneOf(['en', 'de']).default('en'),
    }).transform(({ by, ...report }) => ({ ...report, by: PERIODS[by] })),
    'must be a list of reports',
  )
  .max(50, 'must have at most 50 entries')
  .default([]);
