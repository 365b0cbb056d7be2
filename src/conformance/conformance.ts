import { BLOCK_CHECKS } from './block-checks.js';
import type { Check, CheckFinding } from './check.js';
import { DA_CHECKS } from './da-checks.js';
import type { NodeAnswers } from './node-answers.js';
import { PROBE_CHECKS } from './probe-checks.js';

/** A row of the specification, and how a node matches it. */
export interface CheckedRow extends Omit<Check, 'judge' | 'instead'>, CheckFinding {}

/** Each row of the specification's tables that can be checked from outside, in the specification's order. */
const CHECKS: readonly Check[] = [...BLOCK_CHECKS, ...DA_CHECKS, ...PROBE_CHECKS].sort((a, b) =>
  a.section.localeCompare(b.section, 'en', { numeric: true }),
);

export function judgeNode(answers: NodeAnswers): CheckedRow[] {
  return CHECKS.map(({ section, row, use, instead = 'nothing', judge }) => {
    const finding = judge(answers);
    return { section, row, use: finding.verdict === 'MISSING' ? instead : use, ...finding };
  });
}
