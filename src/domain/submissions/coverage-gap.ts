/**
 * Why a time is not covered:
 * - `OUT_OF_SIGHT`: a list has not been seen since.
 * - `LIST`: it was seen again, or another in its place, and nothing proves what came in between.
 * - `NOT_AGGREGATOR`: the node had said that it is no aggregator, and did not say it again until then.
 * - `UNSEEN`: the node answers, and has never shown a list.
 * - `NO_AGGREGATOR`: the node says that it is no aggregator, so it covers nothing.
 * - `NOBODY_COUNTS`: no node that submits was watched.
 */
export type GapCause =
  'OUT_OF_SIGHT' | 'LIST' | 'NOT_AGGREGATOR' | 'UNSEEN' | 'NO_AGGREGATOR' | 'NOBODY_COUNTS';

/** The reason in a sentence or two, and what ends it where somebody can. @param node null: none of them is the reason */
export function explainGap(cause: GapCause, node: string | null): string {
  switch (cause) {
    case 'OUT_OF_SIGHT':
      return `A list of ${node} has not been seen since. Nothing proves what it held. This ends when it is seen again or ${node} is taken out of the settings.`;
    case 'LIST':
      return `Nothing proves which rows the list of ${node} held between these two looks.`;
    case 'NOT_AGGREGATOR':
      return `${node} had said that it is no aggregator, and was not heard saying so in this time: it may have been one.`;
    case 'UNSEEN':
      return `${node} answers, and its list has never been seen: DA monitoring is off, or its answer cannot be read.`;
    case 'NO_AGGREGATOR':
      return `${node} says that it is no aggregator: it has no list, so there is nothing to cover.`;
    case 'NOBODY_COUNTS':
      return 'No node that submits was watched in this time.';
    default:
      return cause satisfies never;
  }
}
