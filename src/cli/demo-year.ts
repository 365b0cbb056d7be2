import { createReadStream, existsSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { microsToMillis, millisToMicros, type Millis } from '../domain/time.js';
import { EventStore } from '../event-log/event-store.js';
import { type LogLine, readLogLines } from '../event-log/log-lines.js';
import { restoreLog } from '../event-log/restore-log.js';
import { NodeRegistry } from '../observe/node/node-registry.js';
import { UserError } from '../platform/errors.js';
import { builtFile } from '../platform/package-files.js';
import type { Database } from '../platform/sql.js';

/** The demo's synthetic chain and its two nodes. */
export const YEAR_CHAIN = 'made-up-year';
export const FIRST_NODE = 'made-up-a';
export const SECOND_NODE = 'made-up-b';

/** An export of a log. Each line has the state of its stream, so that an import can end at any line. */
const YEAR_FILE = 'demo-year.ndjson.gz';

/**
 * Imports the synthetic year, as far as it is in the past, into an empty log, and retires its nodes at its end. A log that already
 * has events is not changed: nothing can be inserted before them.
 *
 * @param now Unix milliseconds
 * @returns whether the log has the year, from now on or from an earlier demo
 * @throws UserError if the build has no year, and if all of the year is in the future
 */
export async function bringInYear(dataSource: Database, now: Millis): Promise<boolean> {
  const [log] = await dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
  if (log === undefined || log.position > 0n) {
    if (!(await holdsYear(dataSource))) return false;
    // The demo may have been killed before the nodes were retired.
    await retireNodes(dataSource);
    return true;
  }
  const { events } = await restoreLog(dataSource, yearUntil(now), () => undefined);
  if (events === 0) {
    throw new UserError(
      "The clock of this computer is before the demo's sample.",
      'Set the clock, and try again.',
    );
  }
  await retireNodes(dataSource);
  return true;
}

/** Whether a log has the synthetic year. */
export async function holdsYear(dataSource: Database): Promise<boolean> {
  const [found] = await dataSource.query<{ holds: boolean }[]>(
    'SELECT EXISTS (SELECT FROM stream_head WHERE stream = $1) AS holds',
    [`${YEAR_CHAIN}/chain`],
  );
  return found?.holds === true;
}

/** The lines of all polls that were recorded until `now`. */
async function* yearUntil(now: Millis): AsyncGenerator<LogLine> {
  const file = builtFile(YEAR_FILE);
  if (!existsSync(file)) throw new UserError(`There is no ${YEAR_FILE}.`, 'Build it: npm run build');
  const pieces = createGunzip();
  pipeline(createReadStream(file), pieces, () => undefined);
  let poll: LogLine[] = [];
  for await (const line of readLogLines([{ name: YEAR_FILE, pieces }])) {
    if (line.row.recordedAt > millisToMicros(now)) return;
    poll.push(line);
    // Ends a poll. An import that ended earlier would have blocks whose DA heights nobody reports.
    if (line.row.type === 'NodeWatched') {
      yield* poll;
      poll = [];
    }
  }
}

/** Without this, the service would retire the nodes now, and report them as not monitored before. */
async function retireNodes(dataSource: Database): Promise<void> {
  const [end] = await dataSource.query<{ at: bigint }[]>('SELECT recorded_at AS at FROM log_head');
  const store = new EventStore(dataSource);
  const registry = new NodeRegistry(store, { now: () => microsToMillis(end?.at ?? 0n) });
  for (const node of [FIRST_NODE, SECOND_NODE]) await registry.retire(node);
}
