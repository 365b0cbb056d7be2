import { findStreams } from '../../events/event-streams.query.js';
import { EVENT_KEY } from '../../events/events.query.js';
import { sqlColumns } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import { copyList, type ExportTable } from '../export-table.js';
import { instant, int64, texts, type ParameterValues } from '../parameters.js';
import { SqlLiterals } from '../sql-literals.js';

export const EVENT_PARAMETERS = {
  nodes: texts('ids of nodes'),
  chains: texts('ids of chains; with their nodes'),
  streams: texts('names of streams, such as alpha/submissions'),
  types: texts('types of events'),
  from: instant('time of the recording, inclusive'),
  to: instant('time of the recording, exclusive'),
  positionFrom: int64('inclusive'),
  positionTo: int64('inclusive'),
};

/** Bodies and states are the stored texts, including every blank: an import checks their hashes. */
const COLUMNS = sqlColumns({
  position: ['INT64', 'e.position'],
  stream: ['TEXT', 'e.stream'],
  version: ['INT64', 'e.version'],
  type: ['TEXT', 'e.type'],
  schema: ['INT64', 'e.schema'],
  observed_at: ['TIME', 'e.observed_at'],
  recorded_at: ['TIME', 'e.recorded_at'],
  body: ['TEXT', 'e.body::text'],
  hash: ['WORD', "encode(e.hash, 'hex')"],
  state: ['TEXT', "CASE WHEN h.stream IS NOT NULL THEN coalesce(h.state::text, 'null') END"],
});

/** The observer's state is stored with the last event of its stream; `null` where the stream has no state. */
const STATES = 'LEFT JOIN stream_head h ON h.stream = e.stream AND h.version = e.version';

export function eventsTable({ source }: ExportReaders): ExportTable {
  return {
    open: async (filter: ParameterValues<typeof EVENT_PARAMETERS>, page) => {
      const streams = await findStreams(source, filter);
      const literals = new SqlLiterals();
      const conditions = [
        ...literals.oneOf('e.stream', streams),
        ...literals.oneOf('e.type', filter.types),
        ...literals.compareTime('e.recorded_at', '>=', filter.from),
        ...literals.compareTime('e.recorded_at', '<', filter.to),
        ...literals.compare('e.position', '>=', filter.positionFrom),
        ...literals.compare('e.position', '<=', filter.positionTo),
      ];
      const list = { name: 'events', from: 'FROM event e', conditions, key: EVENT_KEY };
      return copyList(source, list, COLUMNS, STATES, page);
    },
  };
}
