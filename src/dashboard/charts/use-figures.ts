import { useLayoutEffect, useState } from 'preact/hooks';
import type { ChartCostsQuery, ChartFiguresQuery } from '../data/answers.gen.js';
import { chartQuestions, type Question } from '../data/questions.js';
import { nowMs } from '../data/now.js';
import { isUsualRange, rangeOf } from '../data/range.js';
import { useAnswer, type LatestAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';
import { knownFrom } from './buckets.js';

/** The answers for the charts of a node or a chain. They are separate, so that one is drawn while the other is awaited. */
export type Figures = readonly [LatestAnswer<ChartFiguresQuery>, LatestAnswer<ChartCostsQuery>];

/**
 * Queries the figures of the range that the address names. If it names none and the record is younger than the usual range, the
 * range is the age of the record.
 * @returns the figures, and the view with their range
 */
export function useFigures(view: View): { readonly figures: Figures; readonly shown: View } {
  const [young, setYoung] = useState<{ readonly id: string; readonly from: string }>();
  const usual = chartQuestions(view);
  const [, id] = usual[0];
  const from = young?.id === id ? young.from : undefined;
  const shown = from === undefined ? view : withFrom(view, from);
  const first = useBoth(usual, from === undefined);
  const own = useBoth(chartQuestions(shown), from !== undefined);
  const { answer } = first[0];
  const found = answer && isUsualRange(view) ? knownFrom(answer.statistics) : undefined;
  useLayoutEffect(() => {
    if (found !== undefined) setYoung({ id, from: anHourBefore(view, found) });
  }, [found]);
  // Otherwise the first answer would be drawn for a moment.
  return { figures: from === undefined && found === undefined ? first : own, shown };
}

/** Charts need some buckets: the bucket found, or at least an hour before the end of the range. */
function anHourBefore(view: View, found: string): string {
  return new Date(Math.min(Date.parse(found), rangeOf(view, nowMs()).toMs - 3_600_000)).toISOString();
}

function useBoth([figures, costs]: readonly [Question, Question], isAsked: boolean): Figures {
  return [
    useAnswer<ChartFiguresQuery>(isAsked ? figures : undefined),
    useAnswer<ChartCostsQuery>(isAsked ? costs : undefined),
  ];
}

function withFrom(view: View, from: string): View {
  return { ...view, get: (name) => (name === 'from' ? from : view.get(name)) };
}
