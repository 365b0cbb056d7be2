import COST from '../data/cost.graphql?raw';
import CHAINS from '../data/chains.graphql?raw';
import { toPrintable } from '../../domain/printable-text.js';
import type { CostQuery, CostQueryVariables, ChainsQuery } from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import {
  periodAt,
  periodBefore,
  PERIODS,
  type CostChoice,
  type Period,
  type PeriodSize,
} from '../data/period.js';
import { useAnswer } from '../data/use-answer.js';
import { linkTo, momentOf, zoneOf, type View } from '../data/view.js';
import { inWords } from '../data/words.js';
import { CostCharts } from '../charts/cost-charts.js';
import { CostTables } from '../parts/cost-tables.js';
import { PriceBook } from '../parts/price-book.js';
import { Trouble, useDrawn } from '../parts/states.js';
import { WhatIf } from '../parts/what-if.js';

type Chain = ChainsQuery['chains'][number];

/** Shows the cost of a chain's DA layer, `/cost?chain=ID`, by day, week, month, quarter or year of its own zone. */
export function CostPage({ view }: { readonly view: View }) {
  const zone = zoneOf(view);
  const { answer, error, answeredMs, again } = useAnswer<ChainsQuery>(CHAINS, '', () => ({}));
  const chain =
    answer?.chains.find(({ id }) => id === view.get('chain')) ??
    (view.get('chain') === '' ? answer?.chains[0] : undefined);
  useDrawn((answer !== undefined && chain === undefined) || error !== undefined, 'Cost');
  return (
    <>
      <h1 class="verdict">
        <small>Cost of</small> <bdi>{toPrintable(chain?.id ?? (view.get('chain') || 'DA'))}</bdi>
      </h1>
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && chain === undefined && (
        <p class="panel">
          {answer.chains.length === 0 ? 'No chain has been seen yet.' : 'There is no chain of this name.'}{' '}
          <a href={linkTo([])}>To the fleet</a>
        </p>
      )}
      {answer && chain && <CostOfChain view={view} chain={chain} chains={answer.chains} />}
    </>
  );
}

function CostOfChain(given: {
  readonly view: View;
  readonly chain: Chain;
  readonly chains: readonly Chain[];
}) {
  const { view, chain, chains } = given;
  const [past, zone] = [momentOf(view), zoneOf(view)];
  const choice = choiceOf(view, chain.reportingTimeZone);
  const budgets = chain.budgets.filter(({ per }) => per === choice.shown.size);
  const variables = (): CostQueryVariables => questionOf(chain, choice, past);
  const key = JSON.stringify([chain.id, choice, past]);
  const { answer, error, answeredMs, again } = useAnswer<CostQuery>(COST, key, variables);
  useDrawn((answer ?? error) !== undefined);
  return (
    <>
      <Choices view={view} chain={chain} chains={chains} choice={choice} />
      {error && <Trouble error={error} answeredMs={answeredMs} zone={zone} again={again} />}
      {answer && (
        <>
          <h2>Over time</h2>
          <CostCharts
            answer={answer}
            bucket={PERIODS[choice.shown.size]}
            zone={chain.reportingTimeZone}
            span={choice.shown}
            budgets={budgets}
            asOf={past.asOf}
          />
          <CostTables
            answer={answer}
            chain={chain.id}
            choice={choice}
            budgets={budgets}
            zone={chain.reportingTimeZone}
          />
          <PriceBook prices={answer.priceBook} zone={zone} />
        </>
      )}
      <WhatIf view={view} chain={chain.id} period={choice.shown} />
    </>
  );
}

function choiceOf(view: View, zone: string): CostChoice {
  const momentMs = Date.parse(view.get('asOf'));
  const presentMs = Number.isNaN(momentMs) ? nowMs() : momentMs;
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

function questionOf(
  { id, reportingTimeZone }: Chain,
  { shown, other, by }: CostChoice,
  past: ReturnType<typeof momentOf>,
): CostQueryVariables {
  const text = (ms: number): string => new Date(ms).toISOString();
  return {
    ...past,
    chain: id,
    filter: { chains: [id] },
    bucket: PERIODS[shown.size],
    groups: [by],
    // Within the ends of a quarter, a row of the year covers just the quarter.
    whole: shown.size === 'QUARTER' ? 'YEAR' : shown.size,
    from: text(shown.fromMs),
    to: text(shown.toMs),
    otherFrom: text(other.fromMs),
    otherTo: text(other.toMs),
    timeZone: reportingTimeZone,
  };
}

function Choices(given: {
  readonly view: View;
  readonly chain: Chain;
  readonly chains: readonly Chain[];
  readonly choice: CostChoice;
}) {
  const { view, chain, chains, choice } = given;
  const { shown, other, by } = choice;
  const zone = chain.reportingTimeZone;
  const go = (name: 'at' | 'with', ms: number): void => view.set({ [name]: new Date(ms).toISOString() });
  const steps = (name: 'at' | 'with', period: Period, what: string) => (
    <span role="group" aria-label={what}>
      <button type="button" aria-label={`${what}: earlier`} onClick={() => go(name, period.fromMs - 1)}>
        ←
      </button>{' '}
      <strong>{period.name}</strong>{' '}
      <button type="button" aria-label={`${what}: later`} onClick={() => go(name, period.toMs)}>
        →
      </button>
    </span>
  );
  return (
    <div class="tools">
      {chains.length > 1 && (
        <label>
          Chain{' '}
          <select value={chain.id} onChange={(event) => view.set({ chain: event.currentTarget.value })}>
            {chains.map(({ id }) => (
              <option key={id} value={id}>
                {toPrintable(id, 60)}
              </option>
            ))}
          </select>
        </label>
      )}
      <span role="group" aria-label="Period" class="tools">
        {(Object.keys(PERIODS) as PeriodSize[]).map((size) => (
          <button
            key={size}
            type="button"
            aria-pressed={shown.size === size}
            onClick={() => view.set({ period: size, with: '' })}
          >
            {inWords(size)}
          </button>
        ))}
      </span>
      {steps('at', shown, 'Shown')}
      <span>compared with {steps('with', other, 'Compared')}</span>
      <label>
        grouped by{' '}
        <select value={by} onChange={(event) => view.set({ by: event.currentTarget.value })}>
          <option value="KIND">kind</option>
          <option value="NAMESPACE">namespace</option>
        </select>
      </label>
      <span class="quiet">Days are in {zone}</span>
    </div>
  );
}
