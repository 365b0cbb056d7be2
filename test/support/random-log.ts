import type { BlockRecord } from '../../src/domain/blocks/block.js';
import type { Polls, NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { appendTo, DATA_NAMESPACE, HEADER_NAMESPACE } from './record-log.js';

interface MadeBlock {
  readonly record: BlockRecord;
  headerDa: bigint | null;
  dataDa: bigint | null;
}

interface MadeRow {
  readonly id: string;
  readonly height: number;
  readonly blob_size: number;
  readonly timestamp: string;
  readonly status_code?: string;
  readonly error_message?: string;
  readonly num_blobs: number;
  readonly namespace: string;
}

/** The reported outcome of an attempt: its status, and its message after a colon; null: no status. */
type Outcome = string | null;
/** Outcomes after which nothing was posted. */
const REFUSALS: readonly [Outcome, ...Outcome[]] = ['Error: insufficient funds', 'Too Big'];
/** Outcomes after which a batch may be on the DA layer. */
const LOST_OUTCOMES: readonly [Outcome, ...Outcome[]] = [
  'Context Deadline',
  'Context Deadline',
  'Context Canceled',
  'Error',
  'Error: 502 Bad Gateway',
  'Pending Confirmation',
  null,
];

const START = Date.UTC(2026, 10, 21, 5);
/** The size of a synthetic block's header blob. */
const HEADER_BYTES = 331;

/** A true attempt to post a batch; a log may contain less of it. */
export interface TruePost {
  /** The history of the chain in which it was made. */
  readonly lineage: number;
  readonly kind: 'HEADER' | 'DATA';
  readonly isSuccess: boolean;
  /** Whether its blobs are on the DA layer, and blocks point to them. */
  readonly hasLanded: boolean;
  /** The DA height at which they landed, or would have. */
  readonly daHeight: bigint;
  readonly blobCount: number;
  /** The timestamp of its row, unique among attempts. */
  readonly timestamp: string;
  /** Whether an unmonitored node made it. */
  readonly isElsewhere: boolean;
}

/** A log and the truth: all attempts, in their order. */
export interface Story {
  readonly events: RecordedEvent[];
  readonly posts: readonly TruePost[];
}

export interface RandomLogOptions {
  /** The slowdown of everything: 300 makes a step last about seven minutes. */
  readonly pace?: number;
  /** Whether rows leave out cells or write them differently, like other node versions and implementations. */
  readonly isTerse?: boolean;
  /** Whether the chain never starts again. */
  readonly isStraight?: boolean;
}

/**
 * A log of a synthetic chain with an aggregator and a follower, in which things go wrong in any order. There are lost windows,
 * resets, attempts that fail and land anyway, submissions without references, unreadable blocks, late descriptions, unreachable
 * nodes, and a fork.
 *
 * @param random uniform in [0, 1)
 */
export function randomLog(
  random: () => number,
  steps: number,
  options: RandomLogOptions = {},
): RecordedEvent[] {
  return randomStory(random, steps, options).events;
}

/** The same log with its truth. */
export function randomStory(
  random: () => number,
  steps: number,
  { pace = 1, isTerse = false, isStraight = false }: RandomLogOptions = {},
): Story {
  const chain = new RandomChain(random, pace, isTerse, isStraight);
  return { events: chain.run(steps), posts: chain.posts };
}

class RandomChain {
  readonly posts: TruePost[] = [];
  private readonly log: RecordedEvent[] = [];
  private readonly blocks: MadeBlock[] = [];
  private readonly unseen: string[] = [];
  private at = START;
  private da = 1_000n;
  private posted = { header: 0, data: 0 };
  private sequence = 0;
  private lineage = 1;
  private isReachable = true;
  private isLeading = true;
  private readonly shown = { aggregator: 0, follower: 0 };
  private readonly included = { aggregator: 0, follower: 0 };
  /** Indexes of blocks that were skipped and are delivered later. */
  private readonly owed: Record<'aggregator' | 'follower', number[]> = { aggregator: [], follower: [] };
  private readonly tell: (row: MadeRow) => object;

  constructor(
    private readonly random: () => number,
    private readonly pace: number,
    private readonly isTerse: boolean,
    private readonly isStraight: boolean,
  ) {
    this.tell = isTerse ? tersely(random) : (row) => row;
  }

  run(steps: number): RecordedEvent[] {
    for (const id of ['aggregator', 'follower']) {
      this.append(`${id}/node`, {
        type: 'NodeRegistered',
        observedAt: this.at,
        body: { url: `http://${id}` },
      });
    }
    this.source('aggregator', 'AVAILABLE');
    this.lose('SubmissionHistoryMissing');
    this.source('follower', 'NOT_AGGREGATOR');
    if (this.isTerse && this.random() < 0.7) this.describe();
    for (let step = 0; step < steps; step++) {
      this.at += this.pace * (400 + Math.floor(this.random() * 2_000));
      this.step();
    }
    return this.log;
  }

  private step(): void {
    if (!this.isLeading && this.random() < 0.2) return this.changeLeader();
    const choice = this.random();
    if (choice < 0.2) this.produce();
    else if (choice < 0.38) this.submit(this.random() < 0.5 ? 'header' : 'data');
    else if (choice < 0.58) this.showRows();
    else if (choice < 0.78) this.showBlocks(this.random() < 0.6 ? 'aggregator' : 'follower');
    else if (choice < 0.84) this.watch();
    else if (choice < 0.88) this.describe();
    else if (choice < 0.92) this.loseUnseen();
    else if (choice < 0.94) this.turnOnOff();
    else if (choice < 0.95 && !this.isStraight) this.fork();
    else if (choice < 0.96) this.changeLeader();
    else this.post('header', 'Success', { hasLanded: false });
  }

  private produce(): void {
    for (let n = 0; n < 1 + this.random() * 3; n++) {
      const height = BigInt(this.blocks.length + 1);
      const txCount = this.random() < 0.7 ? 1 : 0;
      const dataBytes = txCount > 0 ? 200 + Math.floor(this.random() * 3) : 0;
      this.blocks.push({
        record: makeBlock({ height, timeMs: this.at, dataBytes }),
        headerDa: null,
        dataDa: null,
      });
    }
  }

  private submit(kind: 'header' | 'data'): void {
    const choice = this.random();
    const oneOf = <T>(all: readonly [T, ...T[]]) => all[Math.floor(this.random() * all.length)] ?? all[0];
    if (choice < 0.15) this.post(kind, oneOf(REFUSALS), { hasLanded: false });
    else if (choice < 0.3) this.post(kind, oneOf(LOST_OUTCOMES), { hasLanded: this.random() < 0.7 });
    else this.post(kind, 'Success', { hasLanded: true });
  }

  private post(kind: 'header' | 'data', outcome: Outcome, { hasLanded }: { hasLanded: boolean }): void {
    const [status, message] = outcome === null ? [undefined] : outcome.split(': ');
    const all = this.blocks.slice(this.posted[kind]);
    const taken = all.slice(0, 1 + Math.floor(this.random() * all.length));
    const batch = kind === 'header' ? taken : taken.filter(({ record }) => record.txCount > 0);
    if (batch.length === 0) return;
    if (this.random() < 0.8) this.da += 1n;
    const bytes = batch.map(({ record }) => (kind === 'header' ? HEADER_BYTES : (record.dataBlobBytes ?? 0)));
    const row: MadeRow = {
      id: `submission_${this.da}_${this.at}`,
      height: status === 'Success' ? Number(this.da) : 0,
      blob_size: bytes.reduce((sum, each) => sum + each, 0),
      timestamp: new Date(this.at).toISOString(),
      ...(status !== undefined && { status_code: status }),
      ...(message !== undefined && { error_message: message }),
      num_blobs: batch.length,
      namespace: kind === 'header' ? HEADER_NAMESPACE : DATA_NAMESPACE,
    };
    if (this.isLeading) this.unseen.push(JSON.stringify(this.tell(row)));
    this.posts.push({
      lineage: this.lineage,
      kind: kind === 'header' ? 'HEADER' : 'DATA',
      isSuccess: status === 'Success',
      hasLanded,
      daHeight: this.da,
      blobCount: batch.length,
      timestamp: row.timestamp,
      isElsewhere: !this.isLeading,
    });
    if (!hasLanded) return;
    for (const block of batch) block[kind === 'header' ? 'headerDa' : 'dataDa'] = this.da;
    this.posted[kind] += taken.length;
  }

  private showRows(): void {
    if (!this.isReachable || !this.isLeading) return;
    // Missing rows must be found among rows with less data.
    if (this.isTerse && this.random() < 0.4) this.loseUnseen(1);
    if (this.unseen.length === 0) return this.watch();
    this.showUnseen();
  }

  private showUnseen(): void {
    const rows = this.unseen.splice(0);
    if (rows.length === 0) return;
    const body = {
      looks: this.looks(),
      overlap: 1,
      anchored: true,
      source: 0,
      ring: 0,
      newestFirst: true,
      ringSize: 100,
      firstSequence: this.sequence + 1,
      rows,
    };
    this.sequence += rows.length;
    this.append('aggregator/submissions', { type: 'SubmissionsObserved', observedAt: this.at, body });
  }

  private loseUnseen(most = Infinity): void {
    if (!this.isReachable || !this.isLeading) return;
    const lost = this.unseen.splice(0, most);
    if (lost.length > 0)
      this.lose(this.random() < 0.5 ? 'SubmissionWindowLost' : 'SubmissionOverlapAmbiguous');
  }

  /**
   * Switches between the aggregator and an unmonitored node. Some aggregators say that they follow, others keep their list as it
   * was; each has an empty list once it leads again.
   */
  private changeLeader(): void {
    if (!this.isReachable) return;
    this.isLeading = !this.isLeading;
    if (this.isLeading) {
      this.unseen.splice(0);
      this.source('aggregator', 'AVAILABLE');
      return this.lose('SubmissionRingReset', 300);
    }
    this.showUnseen();
    if (this.random() < 0.5) this.source('aggregator', 'NOT_AGGREGATOR');
  }

  private lose(
    type:
      | 'SubmissionHistoryMissing'
      | 'SubmissionWindowLost'
      | 'SubmissionOverlapAmbiguous'
      | 'SubmissionRingReset',
    lastedMs = 5_000,
  ): void {
    const from = type === 'SubmissionHistoryMissing' ? null : this.at - lastedMs;
    const fact = {
      source: 0,
      after: this.sequence,
      from,
      to: this.at,
      minLost: 0,
      maxLost: null,
      likelyLost: 1,
    };
    const body = { looks: this.looks(), ...fact, overlap: 0 };
    const event = type === 'SubmissionRingReset' ? { type, body: { ...body, ring: 1 } } : { type, body };
    this.append('aggregator/submissions', { ...event, observedAt: this.at });
  }

  private showBlocks(id: 'aggregator' | 'follower'): void {
    const chain = { chain: 'made-up', lineage: this.lineage };
    this.showOwed(id);
    const fresh = this.blocks.slice(this.shown[id]);
    const isUnreadable = fresh.length > 0 && this.random() < 0.04;
    if (isUnreadable) {
      const body = { ...chain, height: String(this.shown[id] + 1), detail: '' };
      this.append(`${id}/blocks`, { type: 'BlockUnreadable', observedAt: this.at, body });
      // Every other skipped block is never delivered.
      if (this.shown[id] % 2 === 0) this.owed[id].push(this.shown[id]);
      this.shown[id] += 1;
    } else if (fresh.length > 0) {
      const withDa = this.random() < 0.2;
      const records = fresh.map((block) =>
        withDa ? { ...block.record, ...this.daOf(block) } : block.record,
      );
      this.append(`${id}/blocks`, {
        type: 'BlocksObserved',
        observedAt: this.at,
        body: { ...chain, ...packBlocks(records) },
      });
      this.shown[id] = this.blocks.length;
    }
    this.showInclusion(id);
  }

  private showOwed(id: 'aggregator' | 'follower'): void {
    const [place] = this.owed[id];
    const block = place !== undefined && this.shown[id] > place + 5 ? this.blocks[place] : undefined;
    if (!block) return;
    this.owed[id].shift();
    const body = {
      chain: 'made-up',
      lineage: this.lineage,
      ...packBlocks([{ ...block.record, ...this.daOf(block) }]),
    };
    this.append(`${id}/blocks`, { type: 'BlocksObserved', observedAt: this.at, body });
  }

  private showInclusion(id: 'aggregator' | 'follower'): void {
    const pending = this.blocks.slice(this.included[id], this.shown[id]);
    const upTo = Math.ceil(pending.length * this.random());
    const heights = pending.slice(0, upTo).flatMap((block): [string, string | null, string | null][] => {
      const { headerDaHeight, dataDaHeight } = this.daOf(block);
      if (headerDaHeight === null && dataDaHeight === null) return [];
      return [
        [
          String(block.record.header.height),
          headerDaHeight?.toString() ?? null,
          dataDaHeight?.toString() ?? null,
        ],
      ];
    });
    while (this.included[id] < this.shown[id] && isWhole(this.blocks[this.included[id]])) {
      if (!heights.some(([height]) => height === String(this.included[id] + 1))) break;
      this.included[id] += 1;
    }
    if (heights.length === 0) return;
    const body = { chain: 'made-up', lineage: this.lineage, heights };
    this.append(`${id}/blocks`, { type: 'BlockInclusionObserved', observedAt: this.at, body });
  }

  private daOf({ record, headerDa, dataDa }: MadeBlock) {
    return { headerDaHeight: headerDa, dataDaHeight: record.txCount > 0 ? dataDa : headerDa };
  }

  private watch(): void {
    const body = { looks: { submissions: this.looks(), blocks: this.looks() } };
    const id = this.random() < 0.7 ? 'aggregator' : 'follower';
    this.append(`${id}/node`, { type: 'NodeWatched', observedAt: this.at, body });
  }

  private describe(): void {
    const isShared = this.random() < 0.2;
    const body = {
      chain: 'made-up',
      servicePrefix: null,
      shape: null,
      aggregator: true,
      headerNamespace: HEADER_NAMESPACE,
      dataNamespace: isShared ? HEADER_NAMESPACE : DATA_NAMESPACE,
    };
    this.append('aggregator/node', { type: 'NodeDescribed', observedAt: this.at, body });
  }

  private turnOnOff(): void {
    if (!this.isLeading) return;
    this.isReachable = !this.isReachable;
    this.source('aggregator', this.isReachable ? 'AVAILABLE' : 'UNREACHABLE');
    if (this.random() < 0.3) this.at += 700_000;
  }

  /** Restarts the chain: it has other blocks at the same heights. */
  private fork(): void {
    this.lineage += 1;
    this.blocks.length = 0;
    this.posted = { header: 0, data: 0 };
    Object.assign(this.shown, { aggregator: 0, follower: 0 });
    Object.assign(this.included, { aggregator: 0, follower: 0 });
    Object.assign(this.owed, { aggregator: [], follower: [] });
    const body = { n: this.lineage, node: 'aggregator', height: '1', hash: null };
    this.append('made-up/chain', { type: 'ChainLineageOpened', observedAt: this.at, body });
  }

  private source(id: string, state: 'AVAILABLE' | 'NOT_AGGREGATOR' | 'UNREACHABLE'): void {
    // A list that comes back shows no known row: from then on it is proven again.
    const lists = state === 'AVAILABLE' ? [{ list: 0, since: this.at, last: this.at }] : [];
    const body = { looks: { ...this.looks(), lists }, state, detail: '' };
    this.append(`${id}/submissions`, { type: 'SubmissionSourceChanged', observedAt: this.at, body });
  }

  private looks(): Polls {
    const nodeClock = Math.floor(this.at / 1000) * 1000;
    return { first: this.at, last: this.at, count: 1, longestGapMs: 0, nodeClock };
  }

  private append(stream: string, event: NewEvent): void {
    appendTo(this.log, stream, [event]);
  }
}

/**
 * Rewrites rows: each cell is missing or unreadable in no row, some rows or all rows of a log. Heights are in ids, or are 0;
 * headers lack the signature of their envelope.
 *
 * @param random uniform in [0, 1)
 */
function tersely(random: () => number): (row: MadeRow) => object {
  const share = (...of: readonly number[]) => of[Math.floor(random() * of.length)] ?? 0;
  const shares = {
    height: share(0.1, 0.3, 0.6, 1),
    ids: share(0, 0, 0.3, 1),
    namespace: share(0, 0, 0.2, 1),
    size: share(0, 0, 0.3, 1),
    slim: share(0, 0.5, 1),
  };
  return (row) => {
    const told: Record<string, unknown> = { ...row };
    const isHeader = row.namespace === HEADER_NAMESPACE;
    if (isHeader && random() < shares.slim) told['blob_size'] = row.blob_size - 66 * row.num_blobs;
    if (random() < shares.size) told['blob_size'] = random() < 0.5 ? 'many' : undefined;
    if (random() < shares.namespace) delete told['namespace'];
    if (random() < shares.ids) {
      const heights = Array.from({ length: row.num_blobs }, () => row.height);
      if (random() < 0.1) heights.push(row.height + 1);
      told['blob_ids'] = heights.map(toBlobId);
    }
    if (random() < shares.height) told['height'] = random() < 0.5 ? 0 : undefined;
    if (random() < 0.05) told['num_blobs'] = random() < 0.5 ? 'some' : 0;
    return told;
  };
}

function toBlobId(height: number): string {
  const id = Buffer.alloc(40, 0xd8);
  id.writeBigUInt64LE(BigInt(height));
  return id.toString('hex');
}

function isWhole(block: MadeBlock | undefined): boolean {
  return (
    block !== undefined && block.headerDa !== null && (block.dataDa !== null || block.record.txCount === 0)
  );
}

/** A synthetic block, with one transaction if it has data. */
export function makeBlock(block: {
  readonly height: bigint;
  readonly timeMs: number;
  readonly dataBytes: number;
}): BlockRecord {
  const passed = 'PASSED' as const;
  const txCount = block.dataBytes > 0 ? 1 : 0;
  return {
    header: {
      versionBlock: 1n,
      versionApp: 1n,
      height: block.height,
      timeNs: BigInt(block.timeMs) * 1_000_000n,
      lastHeaderHash: '',
      dataHash: '',
      appHash: '',
      validatorHash: '',
      proposerAddress: 'aa',
      chainId: 'made-up',
      unknownFields: false,
    },
    signature: '',
    signerAddress: '',
    signerPubKey: '',
    hash: null,
    txCount,
    txBytes: 10 * txCount,
    headerBlobBytes: HEADER_BYTES,
    dataBlobBytes: block.dataBytes,
    headerDaHeight: null,
    dataDaHeight: null,
    checks: { link: passed, hash: passed, signature: passed, proposer: passed, data: passed },
  };
}
