// Opens an embedded database in its own process, prints one line of JSON, and keeps it open until SIGTERM. As a glutton it
// consumes memory after SIGUSR2 until there is no more.
import { SystemClock } from '../../src/platform/clock.js';
import { messageOf } from '../../src/platform/errors.js';
import { createLogger } from '../../src/platform/logger.js';
import { openDatabase } from '../../src/platform/open-database.js';

const [dataDir = '', kind, orphanSeconds] = process.argv.slice(2);
try {
  const database = await openDatabase({
    dataDir,
    exclusive: kind === 'service',
    create: true,
    clock: new SystemClock(),
    logger: createLogger('silent'),
    ...(orphanSeconds && { orphanSeconds: Number(orphanSeconds) }),
  });
  process.once('SIGTERM', () => void database.close().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ url: database.url })}\n`);
  setInterval(() => undefined, 60_000);
  const eaten: number[][] = [];
  const eat = (): void => void eaten.push(Array.from({ length: 500_000 }, Math.random));
  if (kind === 'glutton') process.once('SIGUSR2', () => setInterval(eat, 1));
} catch (error) {
  process.stdout.write(`${JSON.stringify({ refused: messageOf(error) })}\n`);
  process.exitCode = 1;
}
