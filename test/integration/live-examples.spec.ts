import { type ChildProcess, spawn } from 'node:child_process';
import { LiveFeed } from '../../src/api/live/live-feed.js';
import { appendLog } from '../support/append-log.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { textsOf } from '../support/page-blocks.js';
import { hasPython, itHasPython, PYTHON } from '../support/programs.js';
import { waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

const PAGE = 'docs/graphql.md';
const KEY = 'a-key-of-16-chars';
/** Node 20 has WebSockets behind a flag, which later releases know, too. */
const NODE = [process.execPath, '--experimental-websocket', '--input-type=module', '-e'] as const;

describe('the examples of subscriptions', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let program: ChildProcess | undefined;
  const log = new SmallLog();

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { keys: [KEY] });
    log
      .register('alpha')
      .describe('alpha', 'one')
      .rows('alpha', [{ da: 1 }]);
    await appendLog(api.dataSource, log.events.splice(0));
  });

  afterEach(() => program?.kill());

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  /** Runs the block of the page in a language, and expects that it prints a row that is recorded meanwhile. */
  const tryExample = async (language: string, [command, ...args]: readonly string[]): Promise<void> => {
    const block = textsOf(PAGE, language).find((text) => text.includes('submissionsObserved')) ?? '';
    const text = block.replaceAll('127.0.0.1:4400', new URL(api.url).host);
    program = spawn(command ?? '', [...args, text], { env: { ...process.env, HINDSIGHT_KEY: KEY } });
    let printed = '';
    for (const stream of [program.stdout, program.stderr])
      stream?.on('data', (data: Buffer) => (printed += String(data)));
    const feed = api.app.get(LiveFeed, { strict: false });
    await waitFor(`a subscription (${language})`, () => (feed.readyCount === 1 ? true : undefined), 20_000);
    log.now += 1_000;
    await appendLog(api.dataSource, log.rows('alpha', [{ da: 2 }]).events.splice(0));
    await waitFor(`a row (${printed})`, () => (printed.includes('alpha') ? true : undefined), 20_000);
    program.kill();
    await waitFor('its end', () => (feed.readyCount === 0 ? true : undefined), 20_000);
  };

  it('in TypeScript receives what is recorded', () => tryExample('ts', NODE));

  itHasPython('gql');
  (hasPython('gql') ? it : it.skip)('in Python receives what is recorded', () =>
    tryExample('python', [PYTHON, '-c']),
  );
});
