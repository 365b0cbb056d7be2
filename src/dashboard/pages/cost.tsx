import { useTitle } from '../frame/title.js';
import CHAINS from '../data/chains.graphql?raw';
import LATEST_COSTS from '../data/latest-costs.graphql?raw';
import { toPrintable } from '../../domain/printable-text.js';
import type { ChainsQuery, LatestCostsQuery, LatestCostsQueryVariables } from '../data/answers.gen.js';
import { chainToOpen } from '../data/bill.js';
import { nowMs } from '../data/now.js';
import { periodAt, periodBefore, PERIODS, type CostChoice, type PeriodSize } from '../data/period.js';
import { useAnswer } from '../data/use-answer.js';
import { useCost, type CostAnswer } from '../data/use-cost.js';
import { momentOf, type View } from '../data/view.js';
import { CostCharts } from '../charts/cost-charts.js';
import { Empty, Skeleton } from '../parts/card.js';
import { AccountCards } from '../parts/account-cards.js';
import { CostChoices } from '../parts/cost-choices.js';
import { CostFigure } from '../parts/cost-figure.js';
import { BillTable, BucketTable, PartTable } from '../parts/cost-tables.js';
import { PriceBook } from '../parts/price-book.js';
import { WhatIf } from '../parts/what-if.js';

type ChainAnswer = ChainsQuery['chains'][number];

const DAY_MS = 86_400_000;
/** The past in which the chain with the newest costs is searched. */
const SEARCHED_MS = 400 * DAY_MS;

/** Shows the cost of a chain's DA layer, `/cost?chain=ID`, by day, week, month, quarter or year of its own zone. */
export function CostPage({ view }: { readonly view: View }) {
  const { answer, error } = useAnswer<ChainsQuery>([CHAINS, '', () => ({})]);
  const chains = answer?.chains;
  const named = view.get('chain');
  const isOpen = named === '' && chains !== undefined && chains.length > 1;
  const latest = useLatestCosts(view, isOpen);
  const ids = chains?.map(({ id }) => id) ?? [];
  const id = named || (isOpen ? latest && chainToOpen(latest.costReport, ids) : ids[0]);
  const chain = chains?.find((each) => each.id === id);
  useTitle(chain ? `Cost of ${toPrintable(chain.id, 60)}` : 'Cost');
  if (chains === undefined || (isOpen && latest === undefined))
    return (
      <>
        <h1>Cost</h1>
        {!error && <Skeleton lines={6} />}
      </>
    );
  if (chain === undefined)
    return (
      <>
        <h1>Cost</h1>
        {chains.length === 0 ? (
          <Empty title="No chain has been seen yet.">
            Costs appear here once a monitored node submits to its DA layer.
          </Empty>
        ) : (
          <Empty title={`No chain is named ${toPrintable(named, 60)}.`}>
            <button type="button" onClick={() => view.set({ chain: '' })}>
              Show another chain
            </button>
          </Empty>
        )}
      </>
    );
  return (
    <>
      <h1>
        Cost of <bdi>{toPrintable(chain.id)}</bdi>
      </h1>
      <CostOfChain view={view} chain={chain} chains={ids} />
    </>
  );
}

/** The known fees of all chains by month, for a page whose address names no chain. */
function useLatestCosts(view: View, isOpen: boolean): LatestCostsQuery | undefined {
  const past = momentOf(view);
  const variables = (atMs: number): LatestCostsQueryVariables => ({
    ...past,
    from: new Date((Date.parse(past.asOf ?? '') || atMs) - SEARCHED_MS).toISOString(),
  });
  return useAnswer<LatestCostsQuery>(isOpen ? [LATEST_COSTS, JSON.stringify(past), variables] : undefined)
    .answer;
}

function CostOfChain(given: {
  readonly view: View;
  readonly chain: ChainAnswer;
  readonly chains: readonly string[];
}) {
  const { view, chain, chains } = given;
  const [past, zone] = [momentOf(view), chain.reportingTimeZone];
  const choice = choiceOf(view, zone);
  const { shown } = choice;
  const budgets = chain.budgets.filter(
    // The page has calendar years and their quarters.
    ({ per, fiscalYearStart }) =>
      per === shown.size && (per === 'YEAR' ? fiscalYearStart === 1 : fiscalYearStart % 3 === 1),
  );
  const { answer, error } = useCost(chain, choice, past);
  const about = answer && {
    answer,
    chain: chain.id,
    choice,
    budgets,
    zone,
    presentMs: presentOf(answer, past),
  };
  return (
    <>
      <CostChoices view={view} chain={chain.id} zone={zone} chains={chains} choice={choice} />
      {about ? (
        <>
          <CostFigure {...about} />
          <CostCharts
            answer={about.answer}
            bucket={PERIODS[shown.size]}
            zone={zone}
            period={shown}
            budgets={budgets}
            presentMs={about.presentMs}
          />
          <div class="side-by-side">
            <BucketTable {...about} />
            <PartTable {...about} />
            <BillTable {...about} />
            <AccountCards view={view} chain={chain.id} period={shown} />
            <PriceBook answer={about.answer} presentMs={about.presentMs} />
          </div>
        </>
      ) : (
        !error && <Skeleton lines={8} />
      )}
      <WhatIf view={view} chain={chain.id} period={shown} />
    </>
  );
}

/** The present of a page; ms since 1970. */
function presentOf({ now }: CostAnswer, { asOf }: ReturnType<typeof momentOf>): number {
  return Date.parse(asOf ?? '') || Date.parse(now);
}

function choiceOf(view: View, zone: string): CostChoice {
  const presentMs = Date.parse(view.get('asOf')) || nowMs();
  const size = (Object.keys(PERIODS) as PeriodSize[]).find((name) => name === view.get('period')) ?? 'MONTH';
  const at = (name: string): number | undefined => {
    const ms = Date.parse(view.get(name));
    return ms > 0 ? ms : undefined;
  };
  const shown = periodAt(at('at') ?? presentMs, size, zone);
  const withMs = at('with');
  return {
    shown,
    other: withMs === undefined ? periodBefore(shown, zone) : periodAt(withMs, size, zone),
    by: view.get('by') === 'NAMESPACE' ? 'NAMESPACE' : 'KIND',
  };
}
