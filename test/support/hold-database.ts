// Opens an embedded database in its own process, prints one line of JSON, and keeps it open until SIGTERM.
import { SystemClock } from '../../src/platform/clock.js';
import { messageOf } from '../../src/platform/errors.js';
import { createLogger } from '../../src/platform/logger.js';
import { openDatabase } from '../../src/platform/open-database.js';

const [dataDir = '', kind] = process.argv.slice(2);
try {
  const database = await openDatabase({
    dataDir,
    exclusive: kind === 'service',
    create: true,
    clock: new SystemClock(),
    logger: createLogger('silent'),
  });
  process.once('SIGTERM', () => void database.close().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ url: database.url })}\n`);
  setInterval(() => undefined, 60_000);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refused: messageOf(error) })}\n`);
  process.exitCode = 1;
}
