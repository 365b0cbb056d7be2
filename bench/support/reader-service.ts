import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { startService, type RunningService } from '../../src/service.js';
import { loadSettings } from '../../src/settings/settings.js';

/** A service in the role `api` in this process. */
export async function startReader(databaseUrl: string): Promise<RunningService> {
  const settings = loadSettings({ flags: { role: 'api', port: '0', databaseUrl }, env: {}, file: undefined });
  const logger = createLogger('warn');
  return startService({ settings, databaseUrl, clock: new SystemClock(), logger, version: 'bench' });
}
