import { FrozenWorld } from '../support/frozen-world.js';
import { HttpSink } from '../support/http-sink.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { waitFor, type ServiceProcess } from '../support/service-process.js';
import { SmtpSink } from '../support/smtp-sink.js';

const PATIENCE_MS = 400_000;

/** A job of a worker that was killed is taken over within 15 s; one that was postponed comes after 20 s. */
const STEP_MS = 90_000;

const waitUntil = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
  waitFor(what, async () => (await isSo()) || undefined, STEP_MS);

describe('the queue of alerts', itHasRedis);

describe.each(QUEUE_BACKENDS)('alerts of a worker that is killed, with a queue on %s', (backend) => {
  const world = new FrozenWorld();
  let redis: TestRedis | undefined;
  let http: HttpSink;
  let closed: HttpSink;
  let smtp: SmtpSink;
  let config: string;

  beforeAll(async () => {
    await world.start();
    if (backend === 'redis') redis = await startTestRedis(14);
    [http, closed, smtp] = [await HttpSink.start(), await HttpSink.start(), await SmtpSink.start()];
    closed.status = 401;
    config = world.write(
      [
        `{ id: ops, webhook: "${http.url}/hook" }`,
        `{ id: closed, slack: "${closed.url}" }`,
        `{ id: mail, email: ops@example.org, from: us@example.org, smtp: "smtp://127.0.0.1:${smtp.port}" }`,
      ].join(', '),
    );
  }, PATIENCE_MS);

  afterAll(async () => {
    await world.stop();
    await redis?.stop();
    await Promise.all([http, closed, smtp].map((sink) => sink?.stop()));
  });

  const start = async (): Promise<ServiceProcess> => {
    const args = ['start', '--role', 'worker', '--port', '0', '--config', config];
    const service = world.home.launch(args, {
      databaseUrl: world.url,
      env: redis ? { REDIS_URL: redis.url } : {},
    });
    await service.ready;
    return service;
  };
  const delivered = async (destination: string): Promise<number> =>
    (await world.bodiesOf('AlertDelivered')).filter((body) => body['destination'] === destination).length;
  const keysOf = (sink: HttpSink) => sink.taken.map(({ headers }) => String(headers['x-hindsight-key']));
  const idsOf = () => smtp.mails.map((mail) => /^Message-ID: (.*)\r$/im.exec(mail)?.[1] ?? '');

  /** Starts a worker, waits until both sinks have been sent so much in all and so much is refused, and kills it. */
  const sendTo = async (count: number, refused: number): Promise<void> => {
    const worker = await start();
    await waitUntil('the refusal', async () => (await delivered('closed')) === refused);
    await waitUntil('the webhook', () => http.taken.length >= count);
    await waitUntil('the mail', () => smtp.mails.length >= count);
    await worker.kill('SIGKILL');
  };

  it(
    'come at least once, with the same key and Message-ID, and once more at most for each kill',
    async () => {
      // Killed while both have the message, and have not answered.
      [http.status, smtp.answer] = ['hold', 'swallow'];
      const first = await start();
      await waitUntil('the refusal', async () => (await delivered('closed')) === 1);
      await waitUntil('both', () => http.taken.length === 1 && smtp.mails.length === 1);
      await first.kill('SIGKILL');
      expect(await delivered('ops')).toBe(0);

      // Killed while both refuse it for now; the queue has lost everything before.
      await redis?.flush();
      [http.status, smtp.answer] = [503, 451];
      await sendTo(2, 1);

      // Killed as soon as it is on record that both have it.
      [http.status, smtp.answer] = [200, 250];
      const third = await start();
      await waitUntil('the records', async () => (await delivered('ops')) + (await delivered('mail')) === 2);
      await third.kill('SIGKILL');
      expect([http.taken.length, smtp.mails.length]).toEqual([3, 3]);

      // The end is dropped, and swallowed.
      await world.heal();
      [http.status, smtp.answer] = ['drop', 'swallow'];
      await sendTo(4, 2);

      // The queue loses everything while the worker runs.
      [http.status, smtp.answer] = [200, 250];
      const fifth = await start();
      await redis?.flush();
      await waitUntil('all records', async () => (await world.bodiesOf('AlertDelivered')).length === 6);
      await fifth.kill('SIGKILL');

      expect(await world.bodiesOf('AlertRaised')).toHaveLength(1);
      expect(await world.bodiesOf('AlertResolved')).toHaveLength(1);
      const [keys, ids] = [keysOf(http), idsOf()];
      for (const told of [keys, ids]) {
        expect(new Set(told).size).toBe(2);
        // One message and two kills while it was on its way; then one and one.
        expect(told.filter((key) => key === told[0])).toHaveLength(3);
        expect(told.filter((key) => key !== told[0]).length).toBeGreaterThanOrEqual(2);
      }
      expect(ids[0]).toBe(`<${keys[0]}@hindsight>`);
      expect(new Set(http.taken.map(({ body }) => body)).size).toBe(2);
      expect(new Set(smtp.mails).size).toBe(2);
      // A wrong token is told once of each message, whatever is killed.
      expect(keysOf(closed).toSorted()).toEqual([keys[0], keys.at(-1)]);
    },
    PATIENCE_MS,
  );
});
