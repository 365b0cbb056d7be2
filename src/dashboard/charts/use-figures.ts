import COSTS from '../data/chart-costs.graphql?raw';
import FIGURES from '../data/chart-figures.graphql?raw';
import type {
  ChartCostsQuery,
  ChartFiguresQuery,
  ChartFiguresQueryVariables,
  StatisticsFilter,
} from '../data/answers.gen.js';
import { nowMs } from '../data/now.js';
import { rangeOf } from '../data/range.js';
import { useAnswer, type Asked } from '../data/use-answer.js';
import { momentOf, zoneOf, type View } from '../data/view.js';
import type { ChartBucket } from './buckets.js';

/** What the charts of a node or a chain are drawn of: an answer each, so that what is there is drawn while the rest is asked. */
export type Figures = readonly [Asked<ChartFiguresQuery>, Asked<ChartCostsQuery>];

/** Asks for the figures of the range that the address names. */
export function useFigures(view: View, filter: StatisticsFilter, bucket: ChartBucket): Figures {
  const zone = zoneOf(view);
  const range = ['asOf', 'knownAt', 'from', 'to', 'last'].map((name) => view.get(name));
  const id = JSON.stringify([filter, zone, range]);
  const variables = (): ChartFiguresQueryVariables => {
    const { fromMs, toMs } = rangeOf(view, nowMs());
    return {
      ...momentOf(view),
      filter,
      bucket,
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      timeZone: zone,
    };
  };
  return [
    useAnswer<ChartFiguresQuery>(FIGURES, id, variables),
    useAnswer<ChartCostsQuery>(COSTS, id, variables),
  ];
}
