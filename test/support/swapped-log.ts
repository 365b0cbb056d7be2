import type { Polls, NewEvent, RecordedEvent, ProvenTime } from '../../src/domain/events.js';
import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import { makeBlock } from './random-log.js';
import { appendTo, DATA_NAMESPACE, HEADER_NAMESPACE } from './record-log.js';

const START = Date.UTC(2026, 10, 21, 5);
const HEADER_BYTES = 331;
/** A chain whose node reports nothing about itself and shows no block. */
export const NAMELESS = 'nameless';

/** An attempt to post a batch, as its process knows it. */
interface TrueAttempt {
  readonly chain: string;
  readonly daHeight: bigint;
  readonly hasLanded: boolean;
  /** The timestamp of its row, unique among attempts. */
  readonly timestamp: string;
}

/** A log, and the attempts of the processes behind it. */
export interface SwappedStory {
  readonly events: RecordedEvent[];
  readonly attempts: readonly TrueAttempt[];
}

export interface SwapOptions {
  /** Whether the observer is of an older version, whose descriptions do not name their list. */
  readonly isOlder?: boolean;
}

/** A node's process. Its posts are in its memory, and are lost with it. */
class Process {
  readonly blocks: { readonly atMs: number; headerDa: bigint | null }[] = [];
  rows: string[] = [];
  life = 0;
  private posted = 0;

  constructor(
    readonly chain: string,
    private readonly attempts: TrueAttempt[],
  ) {}

  get name(): string | null {
    return this.chain === NAMELESS ? null : this.chain;
  }

  restart(): void {
    this.rows = [];
    this.life += 1;
  }

  produce(atMs: number): void {
    this.blocks.push({ atMs, headerDa: null });
  }

  post(at: number, daHeight: bigint, choice: number): void {
    const batch = this.blocks.slice(this.posted);
    if (batch.length === 0) return;
    const isSuccess = choice < 0.7;
    const hasLanded = choice < 0.85;
    const timestamp = new Date(at).toISOString();
    this.attempts.push({ chain: this.chain, daHeight, hasLanded, timestamp });
    const row = {
      id: `${this.chain}-${daHeight}`,
      height: isSuccess ? Number(daHeight) : 0,
      blob_size: HEADER_BYTES * batch.length,
      timestamp,
      status_code: isSuccess ? 'Success' : 'Context Deadline',
      num_blobs: batch.length,
      namespace: HEADER_NAMESPACE,
    };
    this.rows.push(JSON.stringify(row));
    if (!hasLanded) return;
    for (const block of batch) block.headerDa = daHeight;
    this.posted = this.blocks.length;
  }
}

interface Run {
  readonly list: number;
  readonly since: number;
  askedAt: number;
}

/** An address, and the memory of its observers. Their findings wait for their append, which may come in any order. */
class Address {
  process: Process | undefined;
  sequence = 0;
  lists = 0;
  isReachable = true;
  /** By the life of a process: the number of its list, and the number of its known rows. */
  readonly known = new Map<string, { readonly list: number; rows: number }>();
  run: Run | undefined;
  answer: { readonly run: Run; readonly chain: string | null; readonly at: number } | undefined;
  described: string | null | undefined;
  readonly proven = new Set<number>();
  readonly shown = new Map<string, { blocks: number; readonly included: Set<number> }>();
  readonly waiting: { readonly stream: string; readonly event: NewEvent }[] = [];

  constructor(readonly id: string) {}
}

/**
 * A synthetic log of addresses behind which the processes of several chains swap places, restart and go down. Each observer of a
 * node (of its list, its blocks, and its description) polls and appends at any time.
 *
 * @param random uniform in [0, 1)
 */
export function swappedStory(
  random: () => number,
  steps: number,
  { isOlder = false }: SwapOptions = {},
): SwappedStory {
  return new Swaps(random, isOlder).run(steps);
}

class Swaps {
  private readonly log: RecordedEvent[] = [];
  private readonly attempts: TrueAttempt[] = [];
  private readonly processes = ['one', 'two', 'three', NAMELESS].map(
    (chain) => new Process(chain, this.attempts),
  );
  private readonly addresses = ['a', 'b', 'c'].map((id) => new Address(id));
  private at = START;
  private da = 1_000n;

  constructor(
    private readonly random: () => number,
    private readonly isOlder: boolean,
  ) {}

  run(steps: number): SwappedStory {
    this.addresses.forEach((address, index) => {
      address.process = this.processes[index];
      this.append(`${address.id}/node`, this.event('NodeRegistered', { url: `http://${address.id}` }));
    });
    for (let step = 0; step < steps; step += 1) this.step();
    this.settle();
    return { events: this.log, attempts: this.attempts };
  }

  private step(): void {
    this.at += 100 + Math.floor(this.random() * 900);
    const choice = this.random();
    if (choice < 0.02) this.swap();
    else if (choice < 0.04) this.one(this.processes).restart();
    else if (choice < 0.05) this.one(this.addresses).process = undefined;
    else if (choice < 0.06) this.replace(this.one(this.addresses));
    else if (choice < 0.3) this.work(this.one(this.processes));
    else this.observe(this.one(this.addresses), this.random());
    for (const address of this.addresses) if (this.random() < 0.3) this.appendOne(address);
  }

  /** Lets everything come to rest, so that everything that can be known is known. */
  private settle(): void {
    for (const [index, address] of this.addresses.entries()) address.process = this.processes[index];
    for (let round = 0; round < 12; round += 1) {
      for (const address of this.addresses) {
        for (const choice of [0.1, 0.9, 0.6, 0.8]) {
          this.at += 200;
          this.observe(address, choice);
          while (address.waiting.length > 0) this.appendOne(address);
        }
      }
    }
  }

  private swap(): void {
    const { addresses } = this;
    const [first] = addresses;
    const moved = first?.process;
    for (const [index, address] of addresses.entries())
      address.process = index + 1 < addresses.length ? addresses[index + 1]?.process : moved;
  }

  /** Puts a free process at the address: a newly launched chain, or a process that was away. */
  private replace(address: Address): void {
    const used = new Set(this.addresses.map(({ process }) => process));
    const free = this.processes.filter((process) => !used.has(process));
    address.process = this.one(free) ?? address.process;
  }

  private work(process: Process): void {
    process.produce(this.at);
    if (this.random() < 0.7) process.post(this.at, (this.da += 1n), this.random());
  }

  private observe(address: Address, choice: number): void {
    if (choice < 0.5) this.lookAtList(address);
    else if (choice < 0.65) this.ask(address);
    else if (choice < 0.75) this.prove(address);
    else if (choice < 0.85) this.showBlocks(address);
    else this.lookAtList(address);
    this.prove(address);
  }

  private lookAtList(address: Address): void {
    const { id, process } = address;
    const stream = `${id}/submissions`;
    if (!process) {
      if (address.isReachable)
        this.append(stream, this.event('SubmissionSourceChanged', { state: 'UNREACHABLE', detail: '' }));
      address.isReachable = false;
      return;
    }
    if (!address.isReachable) {
      const body = { looks: this.looks(), state: 'AVAILABLE', detail: '' };
      this.append(stream, this.event('SubmissionSourceChanged', body));
    }
    address.isReachable = true;
    const life = `${process.chain} ${process.life}`;
    const known = address.known.get(life) ?? this.meet(address, life);
    const rows = process.rows.slice(known.rows);
    if (rows.length > 0) this.append(stream, this.rowsEvent(address, known, rows));
    else this.append(`${id}/node`, this.event('NodeWatched', { looks: { submissions: this.looks() } }));
    known.rows += rows.length;
    if (address.run?.list === known.list) address.run.askedAt = this.at;
    else address.run = { list: known.list, since: this.at, askedAt: this.at };
  }

  /** Records a list that was not observed before. */
  private meet(address: Address, life: string): { readonly list: number; rows: number } {
    const { id, sequence: after, lists: source } = address;
    const fact = { source, after, from: null, to: this.at, minLost: 0, maxLost: null, likelyLost: null };
    const type = source === 0 ? 'SubmissionHistoryMissing' : 'SubmissionRingReset';
    this.append(`${id}/submissions`, this.event(type, { looks: this.looks(), ...fact, ring: source }));
    address.lists += 1;
    const known = { list: source, rows: 0 };
    address.known.set(life, known);
    return known;
  }

  private rowsEvent(
    address: Address,
    { list }: { readonly list: number },
    rows: readonly string[],
  ): NewEvent {
    const firstSequence = address.sequence + 1;
    address.sequence += rows.length;
    const ring = { overlap: 1, anchored: true, source: list, ring: 0, newestFirst: true, ringSize: 100 };
    return this.event('SubmissionsObserved', { looks: this.looks(), ...ring, firstSequence, rows });
  }

  private ask(address: Address): void {
    const { process, run } = address;
    if (!process) return;
    const chain = process.name;
    const isNews = chain !== null && chain !== address.described;
    if (isNews || address.described === undefined) {
      address.described = chain;
      address.proven.clear();
      this.later(address, 'node', this.description(chain, null));
    }
    if (run && !address.proven.has(run.list)) address.answer = { run, chain, at: this.at };
  }

  private prove(address: Address): void {
    const { answer, run } = address;
    if (!answer || this.isOlder) return;
    if (run !== answer.run) address.answer = undefined;
    else if (run.askedAt > answer.at) {
      address.answer = undefined;
      address.proven.add(run.list);
      const seen = { list: run.list, since: run.since, last: run.askedAt };
      this.later(address, 'node', this.description(answer.chain, seen));
    }
  }

  private description(chain: string | null, seen: ProvenTime | null): NewEvent {
    const namespaces = chain === null ? [null, null] : [HEADER_NAMESPACE, DATA_NAMESPACE];
    const [headerNamespace, dataNamespace] = namespaces;
    const said = {
      chain,
      servicePrefix: null,
      shape: null,
      aggregator: true,
      headerNamespace,
      dataNamespace,
    };
    return this.event('NodeDescribed', { ...said, ...(!this.isOlder && { seen }) });
  }

  private showBlocks(address: Address): void {
    const { process } = address;
    const chain = process?.name;
    if (!process || !chain) return;
    const place = { chain, lineage: 1 };
    const shown = address.shown.get(chain) ?? { blocks: 0, included: new Set<number>() };
    address.shown.set(chain, shown);
    const fresh = process.blocks.slice(shown.blocks).map(({ atMs }, index) => {
      const height = BigInt(shown.blocks + index + 1);
      return {
        ...makeBlock({ height, timeMs: atMs, dataBytes: 0 }),
        headerDaHeight: null,
        dataDaHeight: null,
      };
    });
    if (fresh.length > 0) {
      const body = { looks: this.looks(), ...place, ...packBlocks(fresh) };
      this.later(address, 'blocks', this.event('BlocksObserved', body));
    }
    shown.blocks = process.blocks.length;
    const heights = process.blocks.flatMap(({ headerDa }, index) => {
      if (headerDa === null || shown.included.has(index)) return [];
      shown.included.add(index);
      return [[String(index + 1), String(headerDa), String(headerDa)]];
    });
    if (heights.length === 0) return;
    this.later(address, 'blocks', this.event('BlockInclusionObserved', { ...place, heights }));
  }

  private later(address: Address, subject: string, event: NewEvent): void {
    address.waiting.push({ stream: `${address.id}/${subject}`, event });
  }

  /** Appends the next events of a random stream. */
  private appendOne({ waiting }: Address): void {
    const any = this.one(waiting);
    const index = waiting.findIndex(({ stream }) => stream === any?.stream);
    for (const { stream, event } of index < 0 ? [] : waiting.splice(index, 1)) this.append(stream, event);
  }

  private append(stream: string, event: NewEvent): void {
    appendTo(this.log, stream, [event]);
  }

  private event(type: NewEvent['type'], body: object): NewEvent {
    return { type, observedAt: this.at, body } as NewEvent;
  }

  private looks(): Polls {
    const nodeClock = Math.floor(this.at / 1000) * 1000;
    return { first: this.at, last: this.at, count: 1, longestGapMs: 0, nodeClock };
  }

  private one<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }
}
