import type { BlockRecord } from '../../../src/domain/blocks/block.js';
import { packBlocks } from '../../../src/domain/blocks/pack-blocks.js';
import type { NewEvent } from '../../../src/domain/events.js';
import type { YearBlock, YearChain } from './year-chain.js';
import type { YearEvent } from '../demo-year/year-event.js';
import { HOUR, YEAR_END, type NodePlan } from './year-plan.js';

const MOST_AT_ONCE = 400;
/** One in this many blocks of a shared namespace cannot be read. */
const UNREADABLE = 997n;
const PASSED = 'PASSED' as const;

/** Records what an observer of a node's blocks would: blocks up to now, and their DA heights as soon as these are reported. */
export class BlockWatch {
  readonly events: YearEvent[] = [];
  private next = 0;
  private lineage = 1;
  private open: { readonly block: YearBlock; told: string }[] = [];

  constructor(
    private readonly node: NodePlan,
    private readonly chain: YearChain,
    private readonly random: () => number,
  ) {}

  watch(from: number): this {
    for (let t = from; t < YEAR_END + 6 * HOUR; t += Math.ceil((0.3 + 8 * this.random()) * HOUR))
      this.look(t);
    return this;
  }

  private look(at: number): void {
    this.tellInclusion(at);
    const fresh: YearBlock[] = [];
    for (;;) {
      const block = this.chain.blocks[this.next];
      const isSeen = block && block.timeNs / 1_000_000n < BigInt(at - 1_000);
      if (!isSeen || fresh.length >= MOST_AT_ONCE || block.lineage !== this.lineage) {
        this.record(fresh.splice(0), at);
        if (!isSeen) return;
        if (block.lineage !== this.lineage) this.fork(block, at);
      }
      this.next += 1;
      if (this.chain.plan.header === this.chain.plan.data && block.height % UNREADABLE === 0n) {
        this.record(fresh.splice(0), at);
        const body = { ...this.place(), height: String(block.height), detail: 'torn' };
        this.append('blocks', { type: 'BlockUnreadable', observedAt: at, body });
      } else fresh.push(block);
    }
  }

  private record(blocks: readonly YearBlock[], at: number): void {
    if (blocks.length === 0) return;
    const records = blocks.map((block) => toRecord(block, this.chain.plan.id, at));
    const body = { ...this.place(), ...packBlocks(records) };
    this.append('blocks', { type: 'BlocksObserved', observedAt: at, body });
    for (const block of blocks) {
      const told = toldOf(block, at);
      if (!isWhole(told)) this.open.push({ block, told: String(told) });
    }
  }

  private tellInclusion(at: number): void {
    const heights: [string, string | null, string | null][] = [];
    this.open = this.open.filter((each) => {
      const told = toldOf(each.block, at);
      if (String(told) === each.told) return true;
      each.told = String(told);
      const text = (height: bigint | null): string | null => (height === null ? null : String(height));
      heights.push([String(each.block.height), text(told[0]), text(told[1])]);
      return !isWhole(told);
    });
    if (heights.length === 0) return;
    const body = { ...this.place(), heights };
    this.append('blocks', { type: 'BlockInclusionObserved', observedAt: at, body });
  }

  private fork(block: YearBlock, at: number): void {
    this.lineage = block.lineage;
    this.open = [];
    const body = { n: block.lineage, node: this.node.id, height: String(block.height), hash: null };
    const event: NewEvent = { type: 'ChainLineageOpened', observedAt: at, body };
    this.events.push({ stream: `${this.chain.plan.id}/chain`, event });
  }

  private place() {
    return { chain: this.chain.plan.id, lineage: this.lineage };
  }

  private append(subject: string, event: NewEvent): void {
    this.events.push({ stream: `${this.node.id}/${subject}`, event });
  }
}

/** DA heights of header and data that the node reports at a time; without transactions the header's DA height counts for both. */
function toldOf({ landed, txCount }: YearBlock, at: number): [bigint | null, bigint | null] {
  const told = (kind: 'HEADER' | 'DATA'): bigint | null => {
    const place = landed[kind];
    return place && place.toldAt <= at ? place.daHeight : null;
  };
  return [told('HEADER'), told(txCount > 0 ? 'DATA' : 'HEADER')];
}

function isWhole([header, data]: [bigint | null, bigint | null]): boolean {
  return header !== null && data !== null;
}

function toRecord(block: YearBlock, chainId: string, at: number): BlockRecord {
  const [headerDaHeight, dataDaHeight] = toldOf(block, at);
  return {
    header: {
      versionBlock: 1n,
      versionApp: 1n,
      height: block.height,
      timeNs: block.timeNs,
      lastHeaderHash: '',
      dataHash: '',
      appHash: '',
      validatorHash: '',
      proposerAddress: 'aa',
      chainId,
      unknownFields: false,
    },
    signature: '',
    signerAddress: '',
    signerPubKey: '',
    hash: null,
    txCount: block.txCount,
    txBytes: block.txBytes,
    headerBlobBytes: block.isStrange ? null : block.headerBytes,
    dataBlobBytes: block.isStrange && block.txCount > 0 ? null : block.dataBytes,
    headerDaHeight,
    dataDaHeight,
    checks: { link: PASSED, hash: PASSED, signature: PASSED, proposer: PASSED, data: PASSED },
  };
}
