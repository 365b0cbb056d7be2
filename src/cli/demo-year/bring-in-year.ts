import type { Millis } from '../../domain/time.js';
import { restoreLog } from '../../event-log/restore-log.js';
import type { Database } from '../../platform/sql.js';
import { makeUpYear } from './made-up-year.js';
import { toLogLines } from './year-log.js';
import { MINUTE, tellStory, YEAR_CHAIN } from './year-story.js';

const SEED = 'hindsight demo';

/**
 * Brings the made-up year into an empty log, as an imported one. A log that has anything in it is left as it is: what was
 * recorded before cannot be put before it.
 *
 * @param now the year ends a little earlier, Unix milliseconds
 * @returns whether the log has the year, from now on or since an earlier demo
 */
export async function bringInYear(dataSource: Database, now: Millis): Promise<boolean> {
  const [log] = await dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
  if (log === undefined || log.position > 0n) return holdsYear(dataSource);
  const story = tellStory(Math.floor(now / MINUTE) * MINUTE - MINUTE);
  await restoreLog(dataSource, toLogLines(await makeUpYear(story, SEED)), () => undefined);
  return true;
}

/** Whether a log has the made-up year. */
export async function holdsYear(dataSource: Database): Promise<boolean> {
  const [found] = await dataSource.query<{ holds: boolean }[]>(
    'SELECT EXISTS (SELECT FROM stream_head WHERE stream = $1) AS holds',
    [`${YEAR_CHAIN}/chain`],
  );
  return found?.holds === true;
}
