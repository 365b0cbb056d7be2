import { tiaText } from '../funds/fund-words.js';
import { runwayOf, type Runway } from '../funds/spending.js';
import { toPrintable } from '../printable-text.js';
import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import type { AccountFacts, DaNodeFacts } from './da-node-facts.js';
import {
  duration,
  limitBy,
  usualGap,
  usualText,
  when,
  type HealthRule,
  type RuleSpan,
} from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { rulesOfReach, type System } from './system-facts.js';

interface DaNodeInputs {
  readonly daNode: System<DaNodeFacts>;
  readonly da: Pick<DaFacts, 'landed'>;
}

type Rule = HealthRule<DaNodeInputs>;
const factsOf = ({ daNode }: DaNodeInputs): DaNodeFacts => daNode.facts;

/** The age from which the head of a DA node is old. While its chain is halted, all flags of the DA node report that it is fine. */
function behindAfterMs(facts: DaNodeFacts, t: HealthThresholds): Millis {
  return Math.max(t.daNodeBehindBlocks * usualGap(facts.blockGaps, t), t.daNodeBehindAfterMs);
}

function behindSpans(facts: DaNodeFacts, t: HealthThresholds): readonly RuleSpan[] {
  if (facts.head === null || facts.outcome !== 'OK') return [];
  return [{ from: facts.head.timeMs + behindAfterMs(facts, t), proven: facts.quietTo }];
}

/** A DA node that follows its chain is at most two blocks behind its consensus node. */
const BEHIND_BLOCKS = 3n;

/**
 * Why the head is old. The consensus node, or a submission that landed above it before the last poll, proves that the DA chain
 * makes blocks; a consensus node with the same block, that it makes none.
 */
function whyBehind({ da: { landed }, daNode }: DaNodeInputs): string {
  const { head, quietTo, consensus } = daNode.facts;
  if (head && consensus && BigInt(consensus.height) - BigInt(head.height) >= BEHIND_BLOCKS)
    return `The DA chain is ahead: its consensus node is at ${consensus.height}.`;
  const isAbove = landed && head && BigInt(landed.daHeight) > BigInt(head.height);
  if (isAbove && quietTo !== null && quietTo > landed.at)
    return `This DA node is cut off from the DA chain, where a submission landed at ${landed.daHeight}.`;
  if (head && consensus?.height === head.height && consensus.timeMs === head.timeMs)
    return 'The DA chain is halted: its consensus node has no newer block either.';
  return 'The DA chain is halted, or this DA node is cut off from it.';
}

/** The account that is gone first, of those that last for less than `withinMs`. */
function findLowest(
  facts: DaNodeFacts,
  withinMs: Millis,
): (Runway & { readonly account: string; readonly amount: string }) | undefined {
  return Object.entries(facts.accounts)
    .flatMap(([account, { amount, spending }]) => {
      const runway = amount === null || spending === null ? null : runwayOf(spending);
      return runway === null || amount === null ? [] : [{ account, amount, ...runway }];
    })
    .filter(({ fromMs }) => fromMs < withinMs)
    .toSorted((a, b) => a.fromMs - b.fromMs)[0];
}

function fundsRule(
  state: 'WARNING' | 'CRITICAL',
  name: 'fundsLowMs' | 'fundsCriticalMs',
  text: string,
): Rule {
  return {
    name: 'funds-low',
    state,
    when: `an account that pays for submissions lasts for less than ${text} (\`${name.replace(/Ms$/, '')}\`), by its fastest rate of the last hour, day or week`,
    spans: (inputs, t) => when(findLowest(factsOf(inputs), t[name]) !== undefined),
    reason: (inputs, t) => {
      const low = findLowest(factsOf(inputs), t[name]);
      if (low === undefined) return 'The account is funded again.';
      const { account, amount, fromMs, toMs } = low;
      const lasts =
        duration(fromMs) === duration(toMs) ? duration(fromMs) : `${duration(fromMs)} to ${duration(toMs)}`;
      return `The balance of ${toPrintable(account)} lasts ${lasts}: ${tiaText(amount)} TIA, by the spending of the last hour, day and week.`;
    },
    // A new interval begins when a warning becomes critical.
    cause: () => state,
    limit: (_, t) => limitBy(name, t[name]),
  };
}

function findUnread(facts: DaNodeFacts): [string, AccountFacts] | undefined {
  return Object.entries(facts.accounts).find(([, { amount }]) => amount === null);
}

/** The rules of the DA_NODE component. The first one that holds decides. */
export const DA_NODE_RULES: readonly Rule[] = [
  ...rulesOfReach(
    {
      what: 'DA node',
      name: 'da-node-unreachable',
      refused: {
        name: 'da-token-refused',
        when: "the DA node refuses Hindsight's token, or the token lacks the permission `read`",
      },
    },
    factsOf,
  ),
  {
    name: 'da-node-behind',
    state: 'CRITICAL',
    when: 'the newest header of the DA node is older than 5 usual DA blocks (`daNodeBehindBlocks`), and at least 30 s (`daNodeBehindAfter`)',
    spans: (inputs, t) => behindSpans(factsOf(inputs), t),
    reason: (inputs, t, at) => {
      const facts = factsOf(inputs);
      const { height, timeMs } = facts.head ?? { height: '?', timeMs: at };
      return `The head of the DA node, ${height}, is ${duration(at - timeMs)} old (${usualText(facts.blockGaps, 'DA blocks', t)}). ${whyBehind(inputs)}`;
    },
    limit: (inputs, t) => limitBy('daNodeBehindAfterMs', behindAfterMs(factsOf(inputs), t)),
  },
  fundsRule('CRITICAL', 'fundsCriticalMs', '12 h'),
  {
    name: 'consensus-unreachable',
    state: 'WARNING',
    when: 'the DA node cannot read a balance from the consensus node behind it',
    spans: (inputs) => when(findUnread(factsOf(inputs)) !== undefined),
    reason: (inputs) => {
      const [account, { detail }] = findUnread(factsOf(inputs)) ?? ['?', { detail: 'read again' }];
      return `The DA node cannot read the balance of ${toPrintable(account)}: ${detail}.`;
    },
  },
  fundsRule('WARNING', 'fundsLowMs', '3 days'),
  {
    name: 'da-token-expires',
    state: 'WARNING',
    when: "Hindsight's token of the DA node expires within 3 days (`tokenExpires`)",
    spans: (inputs, t) => {
      const { token, quietTo } = factsOf(inputs);
      const expires = token?.expiresAt ? Date.parse(token.expiresAt) : Infinity;
      return Number.isFinite(expires) ? [{ from: expires - t.tokenExpiresMs, proven: quietTo }] : [];
    },
    reason: (inputs, _, at) => {
      const expiresAt = factsOf(inputs).token?.expiresAt ?? '';
      if (Date.parse(expiresAt) <= at)
        return `The token of Hindsight for the DA node expired at ${expiresAt}.`;
      return `The token of Hindsight for the DA node expires in ${duration(Date.parse(expiresAt) - at)}, at ${expiresAt}.`;
    },
    limit: (_, t) => limitBy('tokenExpiresMs', t.tokenExpiresMs),
  },
  {
    name: 'healthy',
    state: 'HEALTHY',
    when: 'otherwise',
    spans: () => when(true),
    reason: (inputs) => {
      const { head } = factsOf(inputs);
      return head === null ? 'The DA node answers.' : `The DA node answers, and its head is ${head.height}.`;
    },
  },
];
