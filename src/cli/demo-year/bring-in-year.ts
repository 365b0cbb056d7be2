import type { Millis } from '../../domain/time.js';
import { restoreLog } from '../../event-log/restore-log.js';
import type { Database } from '../../platform/sql.js';
import { makeUpYear } from './made-up-year.js';
import { toLogLines } from './year-log.js';
import { MINUTE, tellStory, YEAR_CHAIN } from './year-story.js';

const SEED = 'hindsight demo';

/**
 * Imports the synthetic year into an empty log. A log that already has events is not changed: nothing can be inserted before
 * them.
 *
 * @param now Unix milliseconds; the year ends a little earlier
 * @returns whether the log has the year, from now on or from an earlier demo
 */
export async function bringInYear(dataSource: Database, now: Millis): Promise<boolean> {
  const [log] = await dataSource.query<{ position: bigint }[]>('SELECT position FROM log_head');
  if (log === undefined || log.position > 0n) return holdsYear(dataSource);
  const story = tellStory(Math.floor(now / MINUTE) * MINUTE - MINUTE);
  await restoreLog(dataSource, toLogLines(await makeUpYear(story, SEED)), () => undefined);
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
