import { FAILURES, UNCERTAIN_FAILURES, writeRow } from './year-rows.js';
import { DAY, HOUR, YEAR_END, YEAR_START, type ChainPlan } from './year-plan.js';

export type BatchKind = 'HEADER' | 'DATA';

/** A block as it truly is, whatever nodes show. */
export interface YearBlock {
  readonly lineage: number;
  readonly height: bigint;
  readonly timeNs: bigint;
  readonly txCount: number;
  readonly txBytes: number;
  readonly headerBytes: number;
  readonly dataBytes: number;
  /** The sizes of its blobs cannot be computed. */
  readonly isStrange: boolean;
  /** The DA heights of its blobs, and the time from which the node reports them. */
  readonly landed: Partial<Record<BatchKind, { readonly daHeight: bigint; readonly toldAt: number }>>;
}

/** A batch that is on the DA layer. */
export interface YearBatch {
  readonly lineage: number;
  readonly kind: BatchKind;
  readonly daHeight: bigint;
  readonly blocks: readonly YearBlock[];
}

/** A row as it entered a ring. */
export interface YearRow {
  readonly text: string;
  /** Unix milliseconds. */
  readonly enteredAt: number;
  /** The batch that it posted to the DA layer. */
  readonly batch: YearBatch | null;
}

export interface YearChain {
  readonly plan: ChainPlan;
  readonly blocks: readonly YearBlock[];
  readonly batches: readonly YearBatch[];
  /** By ring, in the order of entering. */
  readonly rows: ReadonlyMap<string, readonly YearRow[]>;
}

const BUSY_DAYS = [
  '2025-10-25T22:00',
  '2025-10-31T12:00',
  '2025-12-31T12:00',
  '2026-01-25T00:00',
  '2026-02-28T06:00',
  '2026-03-28T23:00',
  '2026-06-03T00:00',
  '2026-09-30T02:00',
].map((text) => Date.parse(`${text}Z`));
const QUIET_WEEKS = ['2025-11-24', '2026-02-16', '2026-08-20'].map((text) => Date.parse(text));
/** Outages of the DA layer. */
const TROUBLES = ['2025-10-08T09:00', '2025-12-05T22:00', '2026-03-03T01:00', '2026-07-20T06:00'].map(
  (text) => Date.parse(`${text}Z`),
);
const DA_BLOCK_MS = 6_000;
const STRANGE = { from: Date.UTC(2026, 6, 10), to: Date.UTC(2026, 6, 12) };
const LONGEST_BATCH = 5;

/**
 * Simulates a year of a chain: its blocks, the batches that its leader posts, and the rows that report them.
 *
 * @param density the frequency of posts, as a multiple of the plan
 */
export function liveYear(plan: ChainPlan, random: () => number, density: number): YearChain {
  return new Life(plan, random, density).live();
}

class Life implements YearChain {
  readonly blocks: YearBlock[] = [];
  readonly batches: YearBatch[] = [];
  readonly rows = new Map<string, YearRow[]>();
  private lineage = 1;
  private head = 0n;
  private lastBlockAt = YEAR_START;
  private lastPostAt = YEAR_START;
  private pending: Record<BatchKind, YearBlock[]> = { HEADER: [], DATA: [] };

  constructor(
    readonly plan: ChainPlan,
    private readonly random: () => number,
    private readonly density: number,
  ) {}

  /** If headers and data share a namespace, only a row's bytes tell its kind. */
  private get tellsKinds(): boolean {
    return this.plan.header !== this.plan.data;
  }

  live(): this {
    for (let t = YEAR_START + 60_000; t < YEAR_END; t += this.pause(t)) {
      const { forkAt } = this.plan;
      if (forkAt !== null && t > forkAt && this.lineage === 1) this.fork();
      this.produce(t);
      this.post('HEADER', t);
      this.post('DATA', t);
      if (this.chance(0.1)) this.post('HEADER', t);
    }
    return this;
  }

  private pause(t: number): number {
    const quiet = QUIET_WEEKS.find((from) => t >= from && t < from + 7 * DAY);
    if (quiet !== undefined) return quiet + 7 * DAY - t;
    const isBusy = BUSY_DAYS.some((from) => t >= from && t < from + DAY);
    const isNight = t % DAY < 5 * HOUR;
    const factor = isBusy ? 0.04 : isNight ? 1.6 : 1;
    const mean = (this.plan.everyMinutes * 60_000 * factor) / this.density;
    return Math.ceil(-Math.log(1 - this.random()) * mean) + 1;
  }

  /** Restarts the chain a little below its head; pending blocks never land. */
  private fork(): void {
    this.lineage = 2;
    this.head -= 10n;
    this.pending = { HEADER: [], DATA: [] };
  }

  private produce(t: number): void {
    const count = 1 + this.below(4);
    const step = (t - this.lastBlockAt) / count;
    for (let n = 0; n < count; n++) {
      const at = Math.floor(this.lastBlockAt + step * (n + this.random()));
      const txCount = this.chance(0.7) ? 1 + this.below(40) : 0;
      const txBytes = txCount === 0 ? 0 : Math.ceil(Math.exp(this.random() * 11)) + txCount;
      this.head += 1n;
      const block: YearBlock = {
        lineage: this.lineage,
        height: this.head,
        timeNs: BigInt(at) * 1_000_000n + BigInt(this.below(1_000_000)),
        txCount,
        txBytes,
        headerBytes: this.headerBytes(),
        dataBytes: txCount === 0 ? 0 : txBytes + 60 + this.below(20),
        isStrange: this.tellsKinds && at >= STRANGE.from && at < STRANGE.to,
        landed: {},
      };
      this.blocks.push(block);
      this.pending.HEADER.push(block);
      if (txCount > 0) this.pending.DATA.push(block);
    }
    this.lastBlockAt = t;
  }

  private headerBytes(): number {
    if (this.chance(0.05)) return 450 + this.below(40);
    return this.chance(0.01) ? 900 + this.below(1_500) : 331 + this.below(37);
  }

  private post(kind: BatchKind, t: number): void {
    const { length } = this.pending[kind];
    if (length === 0) return;
    const blocks = this.pending[kind].slice(0, 1 + this.below(Math.min(length, LONGEST_BATCH)));
    let at = Math.max(t, this.lastPostAt) + 200 + this.below(4_000);
    const isTrouble = TROUBLES.some((from) => t >= from && t < from + 14 * HOUR);
    for (let tries = 0; this.chance(isTrouble ? 0.8 : 0.1); tries++) {
      this.fail(blocks, kind, at);
      at += 500 + this.below(90_000);
      // The batch is given up; the next batch begins with the same blocks.
      if (tries === 3) return void (this.lastPostAt = at);
    }
    this.end(blocks, kind, at);
    this.lastPostAt = at;
  }

  private end(blocks: readonly YearBlock[], kind: BatchKind, at: number): void {
    const daHeight = daHeightAt(at);
    if (this.chance(0.02)) return this.show(blocks, kind, { at, daHeight, status: 'Success', batch: null });
    const batch = { lineage: this.lineage, kind, daHeight, blocks };
    this.batches.push(batch);
    const toldAt = at + 4_000 + this.below(60_000);
    for (const block of blocks) block.landed[kind] = { daHeight, toldAt };
    this.pending[kind].splice(0, blocks.length);
    if (!this.chance(0.02)) return this.show(blocks, kind, { at, daHeight, status: 'Success', batch });
    const failure = UNCERTAIN_FAILURES[this.below(UNCERTAIN_FAILURES.length)] ?? { status: '', message: '' };
    this.show(blocks, kind, { at, daHeight: 0n, ...failure, batch });
    if (this.plan.hasVagueFailures) this.addVague(at);
  }

  /**
   * Adds a row before the last row that may be the landed one as well: its number of blobs cannot be read. Draws no random
   * number.
   */
  private addVague(at: number): void {
    const rows = this.rows.get(this.ringAt(at)) ?? [];
    const last = rows.pop();
    if (!last) return;
    const text = last.text.replace(/"num_blobs":\d+/, '"num_blobs":"several"');
    rows.push({ ...last, text, batch: null }, last);
  }

  private fail(blocks: readonly YearBlock[], kind: BatchKind, at: number): void {
    const failure = FAILURES[this.below(FAILURES.length)] ?? { status: '', message: '' };
    const copies = this.chance(0.05) ? 2 + this.below(2) : 1;
    const saying = { at, daHeight: 0n, ...failure, batch: null };
    const text = this.write(blocks, kind, saying);
    for (let n = 0; n < copies; n++) this.enter(text, at, null);
  }

  private show(blocks: readonly YearBlock[], kind: BatchKind, saying: Saying): void {
    this.enter(this.write(blocks, kind, saying), saying.at, saying.batch);
  }

  private write(
    blocks: readonly YearBlock[],
    kind: BatchKind,
    { at, daHeight, status, message }: Saying,
  ): string {
    const bytes = blocks.reduce(
      (sum, each) => sum + (kind === 'HEADER' ? each.headerBytes : each.dataBytes),
      0,
    );
    const isRefused = status === 'Too Big';
    const clock = this.random();
    return writeRow({
      at: clock < 0.004 ? null : clock < 0.008 ? at + 40 * DAY : clock < 0.012 ? at - 30 * DAY : at,
      digits: this.chance(0.1) ? '' : String(this.below(1_000_000)).padStart(6, '0'),
      status,
      message: message ?? null,
      namespace: kind === 'HEADER' ? this.plan.header : this.plan.data,
      daHeight,
      blobs: this.chance(0.005) ? null : blocks.length,
      bytes: this.chance(0.005) && this.tellsKinds ? null : isRefused ? 0 : bytes,
      gasPrice: this.gasPrice(at),
    });
  }

  private gasPrice(at: number): string {
    if (at >= this.plan.gasPriceUntil) return this.chance(0.5) ? '0' : '-1';
    return this.chance(0.2) ? '-1' : `0.00${20 + this.below(60)}`;
  }

  private enter(text: string, at: number, batch: YearBatch | null): void {
    const ring = this.ringAt(at);
    const rows = this.rows.get(ring) ?? [];
    this.rows.set(ring, rows);
    const whole = this.chance(0.001) ? `"torn ${rows.length}"` : text;
    rows.push({ text: whole, enteredAt: at + this.below(1_500), batch });
    const before = rows.at(-2);
    const last = rows.at(-1);
    // Rows enter in the order of the list.
    if (before && last && last.enteredAt < before.enteredAt) {
      rows[rows.length - 1] = { ...last, enteredAt: before.enteredAt };
    }
  }

  private ringAt(at: number): string {
    return this.plan.rings.findLast(({ from }) => from <= at)?.ring ?? '';
  }

  private chance(p: number): boolean {
    return this.random() < p;
  }

  private below(end: number): number {
    return Math.floor(this.random() * end);
  }
}

interface Saying {
  readonly at: number;
  readonly daHeight: bigint;
  readonly status: string;
  readonly message?: string;
  readonly batch: YearBatch | null;
}

function daHeightAt(at: number): bigint {
  return BigInt(1_000 + Math.floor((at - YEAR_START) / DA_BLOCK_MS));
}
