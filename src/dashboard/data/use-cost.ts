import { useMemo } from 'preact/hooks';
import COST_BILL from './cost-bill.graphql?raw';
import COST_OTHER from './cost-other.graphql?raw';
import COST_ROWS from './cost-rows.graphql?raw';
import COST_TOTAL from './cost-total.graphql?raw';
import type {
  ChainsQuery,
  CostOtherQuery,
  CostOtherQueryVariables,
  CostRowsQuery,
  CostRowsQueryVariables,
  CostTotalQuery,
  CostTotalQueryVariables,
} from './answers.gen.js';
import { comparedToMs, PERIODS, type CostChoice } from './period.js';
import { useAnswer, type LatestAnswer } from './use-answer.js';
import type { Moment } from './view.js';

/** The cost of a chain in a period, in total, by bucket and by part, and that of the period it is compared with. */
export type CostAnswer = CostRowsQuery & CostTotalQuery & CostOtherQuery;

/**
 * Queries the cost of a chain. Only two reports of the past as it was known fit into the limit of a query: so there are three
 * queries.
 * @returns no answer before all three are there
 */
export function useCost(
  { id, reportingTimeZone }: Pick<ChainsQuery['chains'][number], 'id' | 'reportingTimeZone'>,
  choice: CostChoice,
  past: Moment,
): { readonly answer: CostAnswer | undefined; readonly error: LatestAnswer<CostAnswer>['error'] } {
  const { shown, other, by } = choice;
  const key = JSON.stringify([id, choice, past]);
  const bucket = PERIODS[shown.size];
  const inTime = (fromMs: number, toMs: number) => ({
    ...past,
    filter: { chains: [id] },
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    timeZone: reportingTimeZone,
  });
  const inShown = { ...inTime(shown.fromMs, shown.toMs), groups: [by] };
  const ofRows: CostRowsQueryVariables = { ...inShown, bucket };
  const ofTotal: CostTotalQueryVariables = { ...inShown, chain: id, whole: shown.size };
  const ofOther = (atMs: number): CostOtherQueryVariables => {
    const toMs = comparedToMs(choice, Date.parse(past.asOf ?? '') || atMs);
    return { ...inTime(other.fromMs, toMs), bucket, whole: shown.size };
  };
  const rows = useAnswer<CostRowsQuery>([COST_ROWS + COST_BILL, key, () => ofRows]);
  const total = useAnswer<CostTotalQuery>([COST_TOTAL + COST_BILL, key, () => ofTotal]);
  const compared = useAnswer<CostOtherQuery>([COST_OTHER + COST_BILL, key, ofOther]);
  const answer = useMemo(
    () =>
      rows.answer && total.answer && compared.answer
        ? { ...compared.answer, ...total.answer, ...rows.answer }
        : undefined,
    [rows.answer, total.answer, compared.answer],
  );
  return { answer, error: rows.error ?? total.error ?? compared.error };
}
