import { FrozenWorld } from './frozen-world.js';
import { HttpSink } from './http-sink.js';
import { startTestRedis, type TestRedis } from './redis.js';
import { waitFor, type ServiceProcess } from './service-process.js';
import { SmtpSink } from './smtp-sink.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';

/** A job of a worker that was killed is taken over within 15 s; one that was postponed comes after 20 s. */
const STEP_MS = 90_000;

export const waitUntil = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
  waitFor(what, async () => (await isSo()) || undefined, STEP_MS);

/**
 * A chain in trouble, workers that send alerts, and their destinations: a webhook, mail, and a webhook that refuses everything.
 */
export class AlertSinks {
  readonly world = new FrozenWorld();
  redis: TestRedis | undefined;
  http!: HttpSink;
  smtp!: SmtpSink;
  private closed!: HttpSink;
  private config!: string;

  /** @param backend of the workers' queue */
  async start(backend: QueueLocation['backend']): Promise<void> {
    await this.world.start();
    if (backend === 'redis') this.redis = await startTestRedis(14);
    [this.http, this.closed, this.smtp] = [
      await HttpSink.start(),
      await HttpSink.start(),
      await SmtpSink.start(),
    ];
    this.closed.status = 401;
    this.config = this.world.write(
      [
        `{ id: ops, webhook: "${this.http.url}/hook" }`,
        `{ id: closed, slack: "${this.closed.url}" }`,
        `{ id: mail, email: ops@example.org, from: us@example.org, smtp: "smtp://127.0.0.1:${this.smtp.port}" }`,
      ].join(', '),
    );
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.redis?.stop();
    await Promise.all([this.http, this.closed, this.smtp].map((sink) => sink?.stop()));
  }

  async startWorker(): Promise<ServiceProcess> {
    const args = ['start', '--role', 'worker', '--port', '0', '--config', this.config];
    const env: Record<string, string> = this.redis ? { REDIS_URL: this.redis.url } : {};
    const service = this.world.home.launch(args, { databaseUrl: this.world.url, env });
    await service.ready;
    return service;
  }

  /** The number of messages recorded as delivered to a destination, or as permanently refused by it. */
  async delivered(destination: string): Promise<number> {
    const bodies = await this.world.bodiesOf('AlertDelivered');
    return bodies.filter((body) => body['destination'] === destination).length;
  }

  /** The keys of messages sent to the webhook. */
  get keys(): string[] {
    return keysOf(this.http);
  }

  /** The keys of refused messages. */
  get refusedKeys(): string[] {
    return keysOf(this.closed);
  }

  /** The Message-IDs of sent mails. */
  get mailIds(): string[] {
    return this.smtp.mails.map((mail) => /^Message-ID: (.*)\r$/im.exec(mail)?.[1] ?? '');
  }
}

function keysOf(sink: HttpSink): string[] {
  return sink.taken.map(({ headers }) => String(headers['x-hindsight-key']));
}
