import { toPrintable } from '../../domain/printable-text.js';
import type { DeadLetterSummary } from '../../projections/fault-list.js';
import type { FaultPage } from '../../projections/fault-list.js';
import type { ListedOwner } from '../../statistics/roll-up/fault-list.js';

/** Limit of names in a sentence, so that it remains one sentence however much is wrong. */
export const MOST_NAMES = 3;
const LONGEST_NAME = 60;
const REMEDY = '`hindsight faults` says why.';

/** One sentence per read model about the events that it continues without. */
export function describeDeadLetters(summaries: readonly DeadLetterSummary[]): string[] {
  return summaries.map(({ projection, events, streams, whole, names }) => {
    const aside = whole > 0 ? `; ${count(whole, 'stream is', 'streams are')} completely quarantined` : '';
    return (
      `The read model ${projection} continues without ${count(events, 'event', 'events')} that it cannot process, ` +
      `of ${count(streams, 'stream', 'streams')} (${listNames(names, streams)})${aside}. ${REMEDY}`
    );
  });
}

/** One sentence about the nodes and chains whose figures cannot be computed; empty if there are none. */
export function describeFailedOwners({
  total,
  rows,
}: FaultPage<Pick<ListedOwner, 'node' | 'chain'>>): string[] {
  if (total === 0) return [];
  const names = rows.map(({ node, chain }) => (node === null ? `chain ${chain}` : `node ${node}`));
  const whose = count(total, 'node or chain', 'nodes and chains');
  return [`The statistics of ${whose} cannot be computed (${listNames(names, total)}). ${REMEDY}`];
}

function listNames(names: readonly string[], total: number): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => toPrintable(name, LONGEST_NAME));
  const left = total - shown.length;
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '');
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
