import { comparisonText } from '../../domain/funds/fund-words.js';
import ACCOUNT from '../data/account.graphql?raw';
import ACCOUNTS from '../data/accounts.graphql?raw';
import type {
  AccountFragment,
  AccountsQuery,
  ReconciliationQuery,
  ReconciliationQueryVariables,
} from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import type { Period } from '../data/period.js';
import RECONCILIATION from '../data/reconciliation.graphql?raw';
import { useAnswer } from '../data/use-answer.js';
import { momentOf, type View } from '../data/view.js';
import { moment, tia } from '../data/words.js';
import { accountFacts } from './account-facts.js';
import { Card } from './card.js';
import { FactList } from './facts.js';

type Found = NonNullable<ReconciliationQuery['reconciliation']>;

/** Most accounts of a chain that are compared. */
const MOST_ACCOUNTS = 5;
const LONGEST_MS = 31 * 86_400_000;
/** A comparison reads all rows of its time. */
const EVERY_MS = 600_000;

/** The accounts that pay for a chain, each compared with the fees of its submissions; nothing where none is known. */
export function AccountCards(given: {
  readonly view: View;
  readonly chain: string;
  readonly period: Period;
}) {
  const { view, chain, period } = given;
  const past = momentOf(view);
  const { answer } = useAnswer<AccountsQuery>([ACCOUNTS + ACCOUNT, JSON.stringify(past), () => past]);
  const accounts =
    answer?.accounts.filter(({ chains }) => chains.includes(chain)).slice(0, MOST_ACCOUNTS) ?? [];
  return (
    <>
      {accounts.map((account) => (
        <AccountCard key={account.address} account={account} period={period} view={view} />
      ))}
    </>
  );
}

function AccountCard(given: {
  readonly account: AccountFragment;
  readonly period: Period;
  readonly view: View;
}) {
  const { account, period, view } = given;
  const { asOf, knownAt } = momentOf(view);
  const variables = (presentMs: number): ReconciliationQueryVariables => {
    const toMs = Math.min(period.toMs, Date.parse(asOf ?? '') || presentMs);
    const fromMs = Math.max(period.fromMs, toMs - LONGEST_MS);
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string];
    return { account: account.address, from, to, knownAt };
  };
  const id = JSON.stringify([account.address, period.fromMs, period.toMs, asOf, knownAt]);
  const hasBegun = period.fromMs < (Date.parse(asOf ?? '') || nowMs());
  const { answer } = useAnswer<ReconciliationQuery>(hasBegun ? [RECONCILIATION, id, variables] : undefined, {
    everyMs: EVERY_MS,
  });
  return (
    <Card title="Paid from">
      <FactList facts={accountFacts(account)} />
      {answer && <p>{answer.reconciliation ? verdict(answer.reconciliation) : NOT_COMPARED}</p>}
    </Card>
  );
}

const NOT_COMPARED =
  'Fewer than two balances of this time are known, so the fees are not compared with them.';

function verdict(found: Found): string {
  const {
    from,
    to,
    agrees,
    feeMinFloat,
    feeMaxFloat,
    differenceMinFloat: min,
    differenceMaxFloat: max,
  } = found;
  const isMore = min !== null && min > 0;
  const result = comparisonText({
    agrees,
    fees: tia(feeMinFloat, feeMaxFloat),
    isMore,
    difference: isMore ? tia(min, max) : tia(-max, min === null ? null : -min),
  });
  return `${moment(from)} to ${moment(to)}: ${result}`;
}
