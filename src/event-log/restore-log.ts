import { UserError } from '../platform/errors.js';
import { columnsOf } from '../platform/rows/row-columns.js';
import { type Database, inTransaction, type Query } from '../platform/sql.js';
import { EventEntity, StreamHeadEntity } from '../tables/log.entities.js';
import { type HeadLine, type LogLine, toTimeText } from './log-lines.js';
import { requireEmpty } from './log-end.js';
import { type LogEnd, LogWalk } from './verify-log.js';

/** Events, and characters of their bodies, that one statement writes. */
const BATCH_EVENTS = 1_000;
const BATCH_CHARACTERS = 4_000_000;

const BATCH_HEADS = 1_000;

const EVENTS = columnsOf(
  EventEntity,
  ...(['position', 'stream', 'version', 'type', 'schema', 'observedAt', 'recordedAt', 'hash'] as const),
).and({ bodyText: 'text' });
const HEADS = columnsOf(StreamHeadEntity, 'stream', 'version', 'hash').and({ stateText: 'text' });

export interface RestoredLog {
  readonly events: number;
  readonly streams: number;
}

/**
 * Writes an exported log into an empty log, unchanged, in one transaction: positions, times, the text of each body, hashes, and
 * the observers' states at the ends of their streams.
 *
 * @param onProgress called with the number of events written
 * @throws UserError for a log that is not empty, and for the first line that does not fit those before it
 */
export function restoreLog(
  dataSource: Database,
  lines: AsyncIterable<LogLine>,
  onProgress: (events: number) => void,
): Promise<RestoredLog> {
  return inTransaction(dataSource, async (query) => {
    const writer = await LogWriter.open(query);
    await requireEmpty(query);
    const walk = new LogWalk(new Map());
    const states = new Map<string, { readonly version: bigint; readonly text: string | null }>();
    for await (const { place, row, state } of lines) {
      const fault = walk.check(row);
      if (fault) {
        throw new UserError(
          `${place} (position ${row.position}, ${row.stream}) cannot be imported: ${fault.what}. Nothing was imported.`,
          'Give all parts of one export, each once, unchanged and in order.',
        );
      }
      if (state !== null) {
        states.set(row.stream, { version: row.version, text: state === 'null' ? null : state });
      }
      await writer.add(row);
      onProgress(walk.events);
    }
    for (const [stream, { version, hash }] of walk.tails) {
      const state = states.get(stream);
      if (state?.version !== version) throw lacksState(stream);
      await writer.addHead({ stream, version, hash, state: state.text });
    }
    if (walk.events > 0) await writer.finish(walk.end);
    return { events: walk.events, streams: walk.tails.size };
  });
}

/** Without its state, an observer would treat its node as new and its existing data as lost. */
function lacksState(stream: string): UserError {
  return new UserError(
    `The export ends before the end of ${stream}: it lacks the state of that stream. Nothing was imported.`,
    'Give all parts of the export; an export that was cut off or filtered cannot be imported.',
  );
}

/** Writes events and heads that were checked, in batches, within a transaction. */
export class LogWriter {
  private readonly months = new Set<string>();
  private events: LogLine['row'][] = [];
  private characters = 0;
  private heads: HeadLine[] = [];

  private constructor(private readonly query: Query) {}

  static async open(query: Query): Promise<LogWriter> {
    // The source of the lines may be slow.
    await query(`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`);
    return new LogWriter(query);
  }

  async add(row: LogLine['row']): Promise<void> {
    this.events.push(row);
    this.characters += row.body.length;
    if (this.events.length >= BATCH_EVENTS || this.characters >= BATCH_CHARACTERS) await this.flush();
  }

  async addHead(head: HeadLine): Promise<void> {
    this.heads.push(head);
    if (this.heads.length >= BATCH_HEADS) await this.flushHeads();
  }

  /** Writes the rest, and where the log ends. */
  async finish({ position, recordedAt }: LogEnd): Promise<void> {
    await this.flush();
    await this.flushHeads();
    await this.query(
      `INSERT INTO log_head (position, recorded_at) VALUES ($1, $2)
       ON CONFLICT (only_row) DO UPDATE SET position = excluded.position, recorded_at = excluded.recorded_at`,
      [position, toTimeText(recordedAt)],
    );
  }

  /** Writes the events that were added so far. */
  async flush(): Promise<void> {
    const { events, query } = this;
    if (events.length === 0) return;
    for (const { recordedAt } of events) await this.ensureMonth(toTimeText(recordedAt));
    const rows = EVENTS.unnest(events.map(({ body, ...row }) => ({ ...row, bodyText: body }) as never));
    await query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, hash, body)
       SELECT position, stream, version, type, schema, observed_at, recorded_at, hash, body_text::json FROM ${rows.sql}`,
      rows.parameters,
    );
    this.events = [];
    this.characters = 0;
  }

  private async ensureMonth(time: string): Promise<void> {
    const month = time.slice(0, time.lastIndexOf('-'));
    if (this.months.has(month)) return;
    await this.query('SELECT ensure_event_partition($1)', [time]);
    this.months.add(month);
  }

  private async flushHeads(): Promise<void> {
    const rows = HEADS.unnest(this.heads.map(({ state, ...head }) => ({ ...head, stateText: state })));
    await this.query(
      `INSERT INTO stream_head (stream, version, hash, state)
       SELECT stream, version, hash, state_text::json FROM ${rows.sql}`,
      rows.parameters,
    );
    this.heads = [];
  }
}
