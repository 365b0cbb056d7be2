import { timingSafeEqual } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Database } from '../../platform/sql.js';
import { Loop, LoopDirectory } from '../../platform/loops/loop.js';
import { RareLog } from '../../platform/rare-log.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import type { Caller } from './caller.js';
import { loadLivingKeys, noteKeyUses, type LivingKey } from './stored-keys.js';

/**
 * The interval of reading the table. With a slow database a new or revoked key is noticed within 5 s, as docs/keys-and-secrets.md
 * says.
 */
const READ_EVERY_MS = 2_000;

/** How long the known keys stay valid without a successful reading; after that it is unknown which keys are valid. */
const HOLDS_FOR_MS = 60_000;

const CANNOT_READ = 'the API keys cannot be read';

/**
 * Caches the keys of the table in memory. No request waits for the database to identify its caller, or to store the use of a key.
 * Reads the primary database, where a revoked key is gone at once.
 */
@Injectable()
export class KnownKeys implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private keys: readonly LivingKey[] = [];
  private readAt = -Infinity;
  /** When keys were used last, by their ids, until that is stored. */
  private readonly uses = new Map<string, number>();
  /** Emits the hash of a key that was found revoked, in hex, as an event. */
  private readonly revocations = new EventEmitter().setMaxListeners(0);
  private readonly complaints: RareLog;
  private readonly loop: Loop;
  private noting: Promise<void> | undefined;

  constructor(
    private readonly writes: Database,
    private readonly loops: LoopDirectory,
    @Inject(API_OPTIONS) private readonly options: ApiOptions,
  ) {
    this.complaints = new RareLog(options.clock, options.logger);
    this.loop = new Loop(
      {
        name: 'api-keys',
        turn: () => this.keepUp(),
        onFailure: (error) => this.complaints.warn(error, CANNOT_READ),
      },
      { clock: options.clock, backoff: { firstMs: READ_EVERY_MS, longestMs: READ_EVERY_MS } },
    );
  }

  /** Whether the last reading of the table is recent enough. */
  get areKnown(): boolean {
    return this.options.clock.monotonic() - this.readAt <= HOLDS_FOR_MS;
  }

  /** Whether the table had a key at the last reading. */
  get areAny(): boolean {
    return this.keys.length > 0;
  }

  /**
   * The owner of the key with this hash. Takes as long for an invalid key as for a valid one, and notes the use of a valid one.
   */
  find(hash: Buffer): Caller | undefined {
    const [found] = this.keys.filter((key) => timingSafeEqual(key.hash, hash));
    if (found === undefined) return undefined;
    this.uses.set(found.id, this.options.clock.monotonic());
    return { name: found.name, scope: found.scope };
  }

  /**
   * Calls back once, when the key with this hash is found revoked.
   * @returns removes the callback
   */
  onRevoked(hash: Buffer, end: () => void): () => void {
    const name = hash.toString('hex');
    this.revocations.once(name, end);
    return () => this.revocations.off(name, end);
  }

  async onModuleInit(): Promise<void> {
    await this.read().catch((error: unknown) => this.complaints.warn(error, CANNOT_READ));
    this.loops.start(this.loop, READ_EVERY_MS);
  }

  beforeApplicationShutdown(): void {
    this.loop.end();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loops.stop(this.loop);
  }

  /** @returns milliseconds until the next reading */
  private async keepUp(): Promise<number> {
    await this.read();
    // Not awaited: a locked row must not keep revoked keys alive.
    this.noting ??= this.noteUses().finally(() => (this.noting = undefined));
    return READ_EVERY_MS;
  }

  private async read(): Promise<void> {
    // The time before the query: the result is at least as new.
    const askedAt = this.options.clock.monotonic();
    this.keys = await loadLivingKeys(this.writes);
    this.readAt = askedAt;
    const valid = new Set<unknown>(this.keys.map(({ hash }) => hash.toString('hex')));
    for (const name of this.revocations.eventNames()) if (!valid.has(name)) this.revocations.emit(name);
  }

  private async noteUses(): Promise<void> {
    const now = this.options.clock.monotonic();
    const uses = [...this.uses];
    if (uses.length === 0) return;
    try {
      await noteKeyUses(
        this.writes,
        uses.map(([id, usedAt]) => ({ id, agoMs: now - usedAt })),
      );
      for (const [id, usedAt] of uses) if (this.uses.get(id) === usedAt) this.uses.delete(id);
    } catch (error) {
      // At shutdown, connections are closed while queries still run.
      if (this.loop.view.state === 'ended') return;
      this.complaints.warn(error, 'the last use of API keys cannot be stored');
    }
  }
}
