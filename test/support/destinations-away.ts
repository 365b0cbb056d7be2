import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';
import { launchedAt } from './ahead-clock.js';
import {
  DESTINATIONS,
  DestinationSink,
  type Absence,
  type DestinationName,
  type ReadMessage,
} from './destination-sinks.js';
import { FrozenWorld } from './frozen-world.js';
import { HttpSink } from './http-sink.js';
import { startTestRedis, type TestRedis } from './redis.js';
import { waitFor, type ServiceProcess } from './service-process.js';

/** A job of a worker that was killed is taken over within 15 s; one that was postponed comes after 20 s. */
const STEP_MS = 90_000;
const MINUTE_MS = 60_000;
/** Alerts are checked at each tenth second of a worker's clock; a worker is ready in less than the rest. */
const CHECK_MS = 10_000;
const TO_START_MS = 6_000;

const NAMES = Object.keys(DESTINATIONS) as DestinationName[];
const ABSENCES: readonly Absence[] = ['refuses', 'busy', 'hangs', 'drops'];
/** Chains whose names and reasons are the markup of some destination. */
const HOSTILE = `<b>_*[x](http://evil)~\`"'&@everyone`;

/**
 * Three chains in trouble, a worker that is killed again and again, and a destination of each kind, as servers of their own
 * protocols. Two more: `prompt` is never away, and `closed` refuses everything for good.
 */
export class DestinationsAway {
  readonly world = new FrozenWorld();
  redis: TestRedis | undefined;
  prompt!: HttpSink;
  closed!: HttpSink;
  private readonly sinks = new Map<DestinationName, DestinationSink>();
  private config!: string;

  /** @param backend of the workers' queue */
  async start(backend: QueueLocation['backend']): Promise<void> {
    await this.world.start();
    await this.world.freeze(2, HOSTILE, HOSTILE);
    if (backend === 'redis') this.redis = await startTestRedis(14);
    for (const name of NAMES) this.sinks.set(name, await DestinationSink.start(name));
    [this.prompt, this.closed] = [await HttpSink.start(), await HttpSink.start()];
    this.closed.status = 400;
    this.config = this.world.write(
      [
        ...[...this.sinks].map(([name, sink]) => `{ id: ${name}, ${sink.settings} }`),
        `{ id: prompt, webhook: "${this.prompt.url}" }`,
        `{ id: closed, webhook: "${this.closed.url}" }`,
      ].join(', '),
    );
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.redis?.stop();
    await Promise.all([this.prompt, this.closed, ...this.sinks.values()].map((sink) => sink?.stop()));
  }

  /** Makes all destinations be away, each in another way; `turn` shifts the ways. */
  async leave(turn: number): Promise<void> {
    for (const [index, sink] of [...this.sinks.values()].entries())
      await sink.goAway(ABSENCES[(index + turn) % ABSENCES.length] ?? 'busy');
  }

  async comeBack(): Promise<void> {
    for (const sink of this.sinks.values()) await sink.comeBack();
  }

  /** Starts a worker whose clock is ahead by about so many minutes; it checks alerts soon after. */
  launch(minutes: number): ServiceProcess {
    const checkAt = Math.ceil((Date.now() + minutes * MINUTE_MS) / CHECK_MS + 1) * CHECK_MS;
    const args = ['start', '--role', 'worker', '--port', '0', '--config', this.config];
    const env = { ...launchedAt(checkAt - TO_START_MS), ...(this.redis && { REDIS_URL: this.redis.url }) };
    return this.world.home.launch(args, { databaseUrl: this.world.url, env });
  }

  /** Runs a worker from a time on until a condition holds, and kills it. */
  async live(minutes: number, isSo: () => boolean): Promise<void> {
    const worker = this.launch(minutes);
    await waitFor(`the work of a worker, ${minutes} minutes later`, () => isSo() || undefined, STEP_MS);
    await worker.kill('SIGKILL');
  }

  /** Runs a worker from a time on for some milliseconds, and kills it. */
  async liveFor(minutes: number, ms: number): Promise<void> {
    const worker = this.launch(minutes);
    await sleep(ms);
    await worker.kill('SIGKILL');
  }

  get accepted(): number {
    return [...this.sinks.values()].reduce((sum, { accepted }) => sum + accepted.length, 0);
  }

  /**
   * Whether all messages about some nodes have arrived.
   * @throws naming everything that is wrong with the messages that the destinations have accepted so far
   */
  isSettled(nodes: readonly string[], kills: number): true {
    const faults = [...this.sinks].flatMap(([name, { accepted }]) =>
      nodes.flatMap((node) => {
        const about = accepted.filter(({ title }) => title.includes(` ${node}:`));
        return judge(about, kills).map((fault) => `${name} ${node}: ${fault}`);
      }),
    );
    if (faults.length > 0) throw new Error(faults.join('; '));
    return true;
  }

  /** The number of messages that were refused for good. */
  get refused(): number {
    return new Set(this.closed.taken.map(({ headers }) => headers['x-hindsight-key'])).size;
  }
}

/** @param messages about one alert */
function judge(messages: readonly ReadMessage[], kills: number): string[] {
  const ids = new Set(messages.map(({ id }) => id));
  const isWrong = {
    'did not begin': messages[0]?.isEnd !== false,
    'is not resolved': messages.at(-1)?.isEnd !== true,
    'has several keys': new Set(messages.map(({ alert }) => alert)).size > 1,
    'has more messages than a beginning and an end': ids.size > 2,
    'was changed at another try': new Set(messages.map(({ bytes }) => bytes)).size > ids.size,
    'came more often than once and once per kill': messages.length > 2 + kills,
    'came again after its end': messages.some(({ isEnd }, at) => !isEnd && messages[at - 1]?.isEnd === true),
  };
  return Object.entries(isWrong).flatMap(([fault, is]) => (is ? fault : []));
}
