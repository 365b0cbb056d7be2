import type { FailureCode } from '../submissions/failure-cause.js';

/** Causes that say that the rollup node does not reach the DA node. */
const NOT_REACHED: ReadonlySet<FailureCode | null> = new Set([
  'DA_UNREACHABLE',
  'DA_CONNECTION_LOST',
  'TIMED_OUT',
]);
/** Causes that the state of the DA node may explain. */
const EXPLAINED: ReadonlySet<FailureCode | null> = new Set([
  ...NOT_REACHED,
  null,
  'CORE_UNREACHABLE',
  'NOT_INCLUDED',
  'DA_BEHIND',
  'NOT_FOUND',
  'UNKNOWN',
  'DA_ERROR',
]);

/** Causes behind which an empty account may be. Its own cause, `OUT_OF_FUNDS`, says so already. */
const BY_FUNDS: ReadonlySet<FailureCode | null> = new Set([
  'NOT_INCLUDED',
  'IN_MEMPOOL_ALREADY',
  'UNKNOWN',
  'DA_ERROR',
]);

const AS_SEEN: Readonly<Record<string, string>> = {
  'da-node-unreachable': 'The DA node cannot be reached from Hindsight either: begin with the DA node.',
  'da-node-behind':
    'The head of the DA node is old: the DA chain is halted, or the DA node is behind it, as the state of the DA node says.',
  'consensus-unreachable':
    'The DA node answers, but does not reach the consensus node behind it: begin with the consensus node.',
  'funds-low':
    'The account that pays for submissions is low on funds: compare its balance with a fee, and fund it.',
};
/** The DA node itself is well, whatever its account has. */
const WELL: ReadonlySet<string> = new Set(['healthy', 'da-token-expires', 'funds-low']);

/**
 * The source of failing submissions by what the DA node showed Hindsight meanwhile, in a sentence.
 *
 * @param rule the worst rule of the node's DA_NODE line in that time; undefined: the DA node is not watched
 * @param code why attempts fail, by the rollup node's own rows; null if no cause is known
 * @returns undefined where the DA node adds nothing: a blob is too big or a fee too low whatever the DA node shows
 */
export function sourceOf(rule: string | undefined, code: FailureCode | null): string | undefined {
  if (rule === undefined) return undefined;
  if (rule === 'funds-low' && BY_FUNDS.has(code)) return AS_SEEN[rule];
  const isWell = WELL.has(rule);
  if (code === 'DA_UNAUTHORIZED')
    return isWell
      ? 'The DA node answers Hindsight and is in step: only the token of the rollup node is refused.'
      : undefined;
  if (!isWell) return EXPLAINED.has(code) ? AS_SEEN[rule] : undefined;
  return NOT_REACHED.has(code)
    ? "The DA node answers Hindsight and is in step: check the rollup node's DA address, its token and its network."
    : undefined;
}

/**
 * Whether trouble of the DA node is the source of trouble of submissions, which then follows from it. An account that lasts for
 * days explains no failure but that of its own name.
 */
export function isSourceOf(rule: string, code: FailureCode | null, isCritical: boolean): boolean {
  if (rule === 'funds-low') return code === 'OUT_OF_FUNDS' || (isCritical && BY_FUNDS.has(code));
  return !WELL.has(rule) && sourceOf(rule, code) !== undefined;
}
