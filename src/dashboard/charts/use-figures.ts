import type { ChartCostsQuery, ChartFiguresQuery } from '../data/answers.gen.js';
import { chartQuestions } from '../data/questions.js';
import { useAnswer, type KeptAnswer } from '../data/use-answer.js';
import type { View } from '../data/view.js';

/**
 * What the charts of a node or a chain are drawn of. Each has an answer of its own: what is there is drawn while the
 * rest is asked for.
 */
export type Figures = readonly [KeptAnswer<ChartFiguresQuery>, KeptAnswer<ChartCostsQuery>];

/** Asks for the figures of the range that the address names. */
export function useFigures(view: View): Figures {
  const [figures, costs] = chartQuestions(view);
  return [useAnswer<ChartFiguresQuery>(...figures), useAnswer<ChartCostsQuery>(...costs)];
}
