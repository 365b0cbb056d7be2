import { AlertSinks, waitUntil } from '../support/alert-sinks.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';

const PATIENCE_MS = 400_000;

describe('the queue of alerts', itHasRedis);

describe.each(QUEUE_BACKENDS)('alerts of a worker that is killed, with a queue on %s', (backend) => {
  const sinks = new AlertSinks();
  beforeAll(() => sinks.start(backend), PATIENCE_MS);
  afterAll(() => sinks.stop());

  /** Starts a worker, waits until both sinks have been sent this many messages in all and this many are refused, and kills it. */
  const sendTo = async (count: number, refused: number): Promise<void> => {
    const worker = await sinks.startWorker();
    await waitUntil('the refusal', async () => (await sinks.delivered('closed')) === refused);
    await waitUntil('the webhook', () => sinks.http.taken.length >= count);
    await waitUntil('the mail', () => sinks.smtp.mails.length >= count);
    await worker.kill('SIGKILL');
  };

  it(
    'arrive at least once, with the same key and Message-ID, and at most once more per kill',
    async () => {
      const { http, smtp, world, redis } = sinks;
      // The worker is killed while both have the message and have not answered.
      [http.status, smtp.answer] = ['hold', 'swallow'];
      const first = await sinks.startWorker();
      await waitUntil('the refusal', async () => (await sinks.delivered('closed')) === 1);
      await waitUntil('both', () => http.taken.length === 1 && smtp.mails.length === 1);
      await first.kill('SIGKILL');
      expect(await sinks.delivered('ops')).toBe(0);

      // The worker is killed while both refuse the message for now; the queue has lost everything before.
      await redis?.flush();
      [http.status, smtp.answer] = [503, 451];
      await sendTo(2, 1);

      // The worker is killed as soon as both deliveries are recorded.
      [http.status, smtp.answer] = [200, 250];
      const third = await sinks.startWorker();
      await waitUntil(
        'the records',
        async () => (await sinks.delivered('ops')) + (await sinks.delivered('mail')) === 2,
      );
      await third.kill('SIGKILL');
      expect([http.taken.length, smtp.mails.length]).toEqual([3, 3]);

      // The message about the end is dropped, and swallowed.
      await world.heal();
      [http.status, smtp.answer] = ['drop', 'swallow'];
      await sendTo(4, 2);

      // The queue loses everything while the worker runs.
      [http.status, smtp.answer] = [200, 250];
      const fifth = await sinks.startWorker();
      await redis?.flush();
      await waitUntil('all records', async () => (await world.bodiesOf('AlertDelivered')).length === 6);
      await fifth.kill('SIGKILL');

      expect(await world.bodiesOf('AlertRaised')).toHaveLength(1);
      expect(await world.bodiesOf('AlertResolved')).toHaveLength(1);
      const [keys, ids] = [sinks.keys, sinks.mailIds];
      for (const told of [keys, ids]) {
        expect(new Set(told).size).toBe(2);
        // One message and two kills while it was on its way; then one kill and one kill.
        expect(told.filter((key) => key === told[0])).toHaveLength(3);
        expect(told.filter((key) => key !== told[0]).length).toBeGreaterThanOrEqual(2);
      }
      expect(ids[0]).toBe(`<${keys[0]}@hindsight>`);
      expect(new Set(http.taken.map(({ body }) => body)).size).toBe(2);
      expect(new Set(smtp.mails).size).toBe(2);
      // A wrong token is reported once per message, however often workers are killed.
      expect(sinks.refusedKeys.toSorted()).toEqual([keys[0], keys.at(-1)]);
    },
    PATIENCE_MS,
  );
});
