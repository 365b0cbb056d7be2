import type { Clock } from '../../../src/platform/clock.js';
import { buildChain, writeBlock } from '../chain-builder.js';
import { canonicalText, type PostedRow } from './hold-against-truth.js';

/** An answer before it is sent. */
export interface ScriptedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** The behaviour of a process. */
export interface Habits {
  /** The number of rows in its list; 100 on the real node. */
  readonly ringSize?: number;
  /** Whether it answers as a node that does not submit. */
  readonly isFollower?: boolean;
  /** The chain of its only block; without it there is no service for blocks, as on the oldest nodes. */
  readonly chainId?: string;
}

/** Properties of rows other than their time. */
export interface RowKind {
  readonly failed?: boolean;
  /** Rows refused before they were sent: they have no time, and rows of one second are equal in all fields. */
  readonly alike?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

const NOT_AGGREGATOR = 'This node is not an aggregator and does not submit to the DA layer';
const JSON_TYPE = 'application/json';
const NOT_FOUND = { status: 404, type: 'text/plain; charset=utf-8', body: '404 page not found\n' };

/**
 * A node's process that only posts and dies. Its posts are in its memory, as with the real node, and are lost with it. `posted`
 * has all posts and their times, over all of its lives.
 */
export class ScriptedProcess {
  private readonly journal: PostedRow[] = [];
  private ring: Row[] | undefined;
  private rows = 0;
  private bornAt = -Infinity;
  private everyMs: number | undefined;
  private nextAt = Infinity;

  /**
   * @param name distinguishes its rows from all others
   *
   * @param random uniform in [0, 1)
   */
  constructor(
    readonly name: string,
    private readonly clock: Clock,
    private readonly random: () => number,
    private readonly habits: Habits = {},
  ) {}

  get isAlive(): boolean {
    return this.ring !== undefined;
  }

  /** Every row it posted so far. */
  get posted(): readonly PostedRow[] {
    this.catchUp();
    return this.journal;
  }

  /** Starts a new life with an empty list. */
  start(): this {
    this.ring = [];
    this.bornAt = this.clock.now();
    this.nextAt = this.drawNext(this.clock.now());
    return this;
  }

  /** Kills the process, whose memory is lost. */
  die(): void {
    this.catchUp();
    this.ring = undefined;
  }

  /** Posts by itself from now on, at this mean interval in milliseconds; undefined: stops posting. */
  postEvery(everyMs: number | undefined): this {
    this.catchUp();
    this.everyMs = everyMs;
    this.nextAt = this.drawNext(this.clock.now());
    return this;
  }

  /** Posts at this moment. */
  post(count: number, kind: RowKind = {}): this {
    this.catchUp();
    for (let index = 0; index < count; index += 1) this.enter(this.clock.now(), kind);
    return this;
  }

  /** Its answer; `body` is the body of a POST. */
  answer(path: string, body: string): ScriptedAnswer {
    this.catchUp();
    const { isFollower = false } = this.habits;
    const shown = this.ring?.toReversed() ?? [];
    if (path === '/health/live') return { status: 200, type: 'text/plain', body: 'OK\n' };
    if (path === '/health/ready') return { status: 200, type: 'text/plain', body: 'READY\n' };
    if (path === '/da/submissions')
      return json({ ...listOf(isFollower), submissions: shown, total: shown.length });
    if (path === '/da/health') return json(isFollower ? { ...listOf(true), status: 'n/a' } : healthOf(shown));
    if (path === '/da/stats') return json({ ...listOf(isFollower), total_submissions: shown.length });
    return this.habits.chainId === undefined ? NOT_FOUND : answerOfStore(path, body, this.habits.chainId);
  }

  /** Adds all due rows before anything is reported: rows enter at their time, with or without polls. */
  private catchUp(): void {
    const now = this.clock.now();
    while (this.ring && this.nextAt <= now) {
      const at = this.nextAt;
      this.nextAt = this.drawNext(at);
      this.enter(at, { failed: this.random() < 0.2 });
    }
  }

  private drawNext(after: number): number {
    if (this.everyMs === undefined) return Infinity;
    return after + Math.max(1, Math.round(this.everyMs * (0.3 + 1.4 * this.random())));
  }

  private enter(at: number, kind: RowKind): void {
    if (!this.ring) throw new Error(`${this.name} is dead and cannot post`);
    this.rows += 1;
    const row = this.makeRow(at, kind);
    this.journal.push({ text: canonicalText(row), at });
    this.ring = [...this.ring, row].slice(-(this.habits.ringSize ?? 100));
  }

  private makeRow(at: number, { failed = false, ...kind }: RowKind): Row {
    // A node takes longer than a second to start: rows of two lives are never equal.
    const alike = kind.alike === true && secondOf(at) > secondOf(this.bornAt);
    const height = failed || kind.alike ? 0 : 1_000 + this.rows;
    const nanos = String(at % 1_000).padStart(3, '0') + String(this.rows % 1e6).padStart(6, '0');
    const seconds = new Date(at).toISOString().slice(0, 19);
    const status = alike ? 'Too Big' : failed || kind.alike ? 'Error' : 'Success';
    return {
      id: `submission_${height}_${secondOf(at)}`,
      height,
      blob_size: alike ? 0 : 331 + (this.rows % 50),
      timestamp: alike ? '0001-01-01T00:00:00Z' : `${seconds}.${nanos}Z`,
      gas_price: 0,
      status_code: status,
      ...(status !== 'Success' && { message: alike ? 'blob: over size limit' : 'the DA layer refused it' }),
      num_blobs: 1,
      ...(status === 'Success' && { blob_ids: [this.rows.toString(16).padStart(80, '0')] }),
      namespace: Buffer.from(this.name).toString('hex').padStart(58, '0').slice(-58),
    };
  }
}

function secondOf(at: number): number {
  return Math.floor(at / 1_000);
}

function listOf(isFollower: boolean): Row {
  return isFollower ? { is_aggregator: false, message: NOT_AGGREGATOR } : {};
}

function healthOf(shown: readonly Row[]): Row {
  const status = shown.length === 0 ? 'unknown' : 'healthy';
  const connection = { connection_healthy: true, connection_status: 'connected' };
  return {
    ...connection,
    is_healthy: true,
    issues: null,
    status,
    metrics: { total_submissions: shown.length },
  };
}

/** One block, so that the node reports its chain and its shape. */
function answerOfStore(path: string, body: string, chainId: string): ScriptedAnswer {
  const method = /^\/evnode\.v1\.StoreService\/(\w+)$/.exec(path)?.[1];
  const [block] = buildChain({ chainId, count: 1 });
  if (!block || (method !== 'GetBlock' && method !== 'GetState')) return NOT_FOUND;
  if (method === 'GetState') {
    return json({ state: { chainId, initialHeight: '1', lastBlockHeight: '1' } });
  }
  const height = /"height":"?(\d+)/.exec(body)?.[1] ?? '0';
  if (Number(height) <= 1) return { status: 200, type: JSON_TYPE, body: writeBlock(block) };
  const message = 'failed to retrieve block data: load block header: datastore: key not found';
  return { ...json({ code: 'internal', message }), status: 500 };
}

function json(value: unknown): ScriptedAnswer {
  return { status: 200, type: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}
