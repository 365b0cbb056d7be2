/**
 * Why a time is not covered, the most specific cause first:
 * - `OUT_OF_SIGHT`: a list has not been seen since.
 * - `LIST`: the list was seen again, or another in its place, and nothing proves what came in between.
 * - `UNSEEN`: the node answers, and has never shown a list.
 * - `NOT_AGGREGATOR`: the node had said that it is no aggregator, and did not say it again until then.
 * - `NO_AGGREGATOR`: the node says that it is no aggregator, so it covers nothing.
 * - `NOT_POLLED`: the last poll on record is older. While polling continues, that poll is a minute old at most.
 * - `BEFORE_FIRST_ANSWER`: no answer had come from the node, or from any node of the chain.
 * - `NOT_IN_SETTINGS`: the node had been removed from the settings.
 * - `NOBODY_COUNTS`: no node that submits was monitored.
 */
export const GAP_CAUSES = [
  'OUT_OF_SIGHT',
  'LIST',
  'UNSEEN',
  'NOT_AGGREGATOR',
  'NO_AGGREGATOR',
  'NOT_POLLED',
  'BEFORE_FIRST_ANSWER',
  'NOT_IN_SETTINGS',
  'NOBODY_COUNTS',
] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

/** The reason in a sentence or two, and what ends it if anybody can. @param node null: no single node is the reason */
export function explainGap(cause: GapCause, node: string | null): string {
  switch (cause) {
    case 'OUT_OF_SIGHT':
      return `The list of ${node} has been out of sight since. The gap ends when the list is seen again, or when ${node} is removed from the settings.`;
    case 'LIST':
      return `Submissions of ${node} may be missing: no poll proves what its list held in this time.`;
    case 'NOT_AGGREGATOR':
      return `${node} had reported that it is no aggregator, and did not report it in this time: it may have been one.`;
    case 'UNSEEN':
      return `${node} answers, but has never shown its list: DA monitoring is off, or its answer cannot be read.`;
    case 'NO_AGGREGATOR':
      return `${node} reports that it is no aggregator: it has no list, so there is nothing to cover.`;
    case 'NOT_POLLED':
      return `No later poll of ${node} is recorded.`;
    case 'BEFORE_FIRST_ANSWER':
      return `Not monitored yet: ${node ?? 'no node of this chain'} had ${node === null ? '' : 'not '}answered a poll by then.`;
    case 'NOT_IN_SETTINGS':
      return `Not monitored: ${node} was not in the settings.`;
    case 'NOBODY_COUNTS':
      return 'Not monitored: no node that submits was in the settings.';
    default:
      return cause satisfies never;
  }
}
