import { formatTime, microsToNanos } from '../domain/time.js';
import { UserError } from '../platform/errors.js';
import { columnsOf } from '../platform/rows/row-columns.js';
import { type Database, inTransaction, type Query } from '../platform/sql.js';
import { EventEntity, StreamHeadEntity } from '../tables/log.entities.js';
import type { LogLine } from './log-lines.js';
import { LogWalk } from './verify-log.js';

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
    // The source of the lines may be slow.
    await query(`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`);
    await requireEmpty(query);
    const restoring = new Restoring(query);
    for await (const line of lines) {
      await restoring.add(line);
      onProgress(restoring.events);
    }
    return restoring.finish();
  });
}

/** The lock blocks all other appends until the transaction ends. */
async function requireEmpty(query: Query): Promise<void> {
  const [end] = await query<{ position: bigint }>('SELECT position FROM log_head FOR UPDATE');
  const heads = await query('SELECT FROM stream_head LIMIT 1');
  if (end?.position === 0n && heads.length === 0) return;
  throw new UserError(
    `The log of this database is not empty: it has ${end?.position ?? 0n} events.`,
    'Import into a new database: give another --data-dir, or the address of an empty one.',
  );
}

class Restoring {
  private readonly walk = new LogWalk(new Map());
  private readonly states = new Map<string, { readonly version: bigint; readonly text: string | null }>();
  private readonly months = new Set<string>();
  private batch: LogLine['row'][] = [];
  private characters = 0;
  private last: LogLine | undefined;

  constructor(private readonly query: Query) {}

  get events(): number {
    return this.walk.events;
  }

  async add(line: LogLine): Promise<void> {
    const { place, row, state } = line;
    const fault = this.walk.check(row);
    if (fault) {
      throw new UserError(
        `${place} (position ${row.position}, ${row.stream}) cannot be imported: ${fault.what}. Nothing was imported.`,
        'Give all parts of one export, each once, unchanged and in order.',
      );
    }
    if (state !== null) {
      this.states.set(row.stream, { version: row.version, text: state === 'null' ? null : state });
    }
    this.last = line;
    this.batch.push(row);
    this.characters += row.body.length;
    if (this.batch.length >= BATCH_EVENTS || this.characters >= BATCH_CHARACTERS) await this.write();
  }

  async finish(): Promise<RestoredLog> {
    await this.write();
    await this.writeHeads();
    const { last } = this;
    if (last) {
      await this.query('UPDATE log_head SET position = $1, recorded_at = $2', [
        last.row.position,
        formatTime(microsToNanos(last.row.recordedAt), 6),
      ]);
    }
    return { events: this.events, streams: this.walk.tails.size };
  }

  private async write(): Promise<void> {
    const { batch, query } = this;
    if (batch.length === 0) return;
    for (const { recordedAt } of batch) await this.ensureMonth(formatTime(microsToNanos(recordedAt), 6));
    const rows = EVENTS.unnest(batch.map(({ body, ...row }) => ({ ...row, bodyText: body }) as never));
    await query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, hash, body)
       SELECT position, stream, version, type, schema, observed_at, recorded_at, hash, body_text::json FROM ${rows.sql}`,
      rows.parameters,
    );
    this.batch = [];
    this.characters = 0;
  }

  private async ensureMonth(time: string): Promise<void> {
    const month = time.slice(0, time.lastIndexOf('-'));
    if (this.months.has(month)) return;
    await this.query('SELECT ensure_event_partition($1)', [time]);
    this.months.add(month);
  }

  /** Without its state, an observer would treat its node as new and its existing data as lost. */
  private async writeHeads(): Promise<void> {
    const heads = [...this.walk.tails].map(([stream, { version, hash }]) => {
      const state = this.states.get(stream);
      if (state?.version === version) return { stream, version, hash, stateText: state.text };
      throw new UserError(
        `The export ends before the end of ${stream}: it lacks the state of that stream. Nothing was imported.`,
        'Give all parts of the export; an export that was cut off or filtered cannot be imported.',
      );
    });
    for (let at = 0; at < heads.length; at += BATCH_HEADS) {
      const rows = HEADS.unnest(heads.slice(at, at + BATCH_HEADS));
      await this.query(
        `INSERT INTO stream_head (stream, version, hash, state)
         SELECT stream, version, hash, state_text::json FROM ${rows.sql}`,
        rows.parameters,
      );
    }
  }
}
