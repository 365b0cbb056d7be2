import { AlertSinks, waitUntil } from '../support/alert-sinks.js';

const PATIENCE_MS = 300_000;

/** `test/long/alerts-killed.spec.ts` kills workers at every step, on both queues. */
describe('alerts of a worker that is killed', () => {
  const sinks = new AlertSinks();
  beforeAll(() => sinks.start('postgres'), PATIENCE_MS);
  afterAll(() => sinks.stop());

  it(
    'are sent again after a kill, with the same key, bytes and Message-ID',
    async () => {
      const { http, smtp, world } = sinks;
      [http.status, smtp.answer] = ['hold', 'swallow'];
      const first = await sinks.startWorker();
      await waitUntil('the refusal', async () => (await sinks.delivered('closed')) === 1);
      await waitUntil('both', () => http.taken.length === 1 && smtp.mails.length === 1);
      await first.kill('SIGKILL');
      expect([await sinks.delivered('ops'), await sinks.delivered('mail')]).toEqual([0, 0]);

      [http.status, smtp.answer] = [200, 250];
      const second = await sinks.startWorker();
      await waitUntil('all records', async () => (await world.bodiesOf('AlertDelivered')).length === 3);
      await second.kill('SIGKILL');
      const [key, id] = [sinks.keys[0], sinks.mailIds[0]];
      expect([sinks.keys, sinks.mailIds]).toEqual([
        [key, key],
        [id, id],
      ]);
      expect(id).toBe(`<${key}@hindsight>`);
      expect(new Set(http.taken.map(({ body }) => body)).size).toBe(1);
      expect(new Set(smtp.mails).size).toBe(1);
      // A wrong token is reported once, however often workers are killed.
      expect(sinks.refusedKeys).toEqual([key]);
      expect(await world.bodiesOf('AlertRaised')).toHaveLength(1);
    },
    PATIENCE_MS,
  );
});
