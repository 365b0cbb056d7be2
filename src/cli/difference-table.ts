import type { ComparedPart, RecordDifference } from '../projections/rebuild/record-differences.js';
import { printTable, type Column } from '../platform/table.js';

const COLUMNS: readonly Column<RecordDifference>[] = [
  { title: 'what', read: ({ what }) => what },
  { title: 'before', read: ({ before }) => before || '-' },
  { title: 'after', read: ({ after }) => after || '-' },
  { title: 'chain', read: ({ chain }) => chain || '-' },
  { title: 'count', read: ({ count }) => String(count), isNumber: true },
  { title: 'such as', read: ({ examples }) => examples.join(', ') },
];

/** The output of `hindsight rebuild --explain`: a table, and a sentence for each part that is missing or incomplete in it. */
export function printDifferences(parts: readonly ComparedPart[]): string {
  const rows = parts.flatMap(({ differences = [] }) => differences);
  const notes = parts.flatMap(({ part, differences, more }) => [
    ...(differences ? [] : [`The ${part} were not compared: it took too long.`]),
    ...(more > 0n ? [`${more} more differences of the ${part} are left out; each is less frequent.`] : []),
  ]);
  const table =
    rows.length > 0
      ? `Differences in the new record:\n${printTable(COLUMNS, rows, { indent: '  ' })}`
      : notes.length === 0
        ? 'The new record has no differences.\n'
        : '';
  return [table, ...notes.map((note) => `${note}\n`)].join('');
}
