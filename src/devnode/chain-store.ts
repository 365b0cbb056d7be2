import {
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ChainBlock } from './block-factory.js';
import { blockFromText, blockToText, type BlockText } from './block-text.js';
import { ChainIndex, readAt, writeAt } from './chain-index.js';

/** The two parts of a block that go to the DA layer, each in its own namespace. */
export type BlockPart = 'header' | 'data';

/** Block heights that the real node keeps as metadata: `d` is the newest block whose two parts are included. */
export type MetadataKey = 'd' | 'last-submitted-header-height' | 'last-submitted-data-height' | 'gdh';

type StoredLine =
  | { block: BlockText }
  | { included: [height: string, headerDaHeight: string, dataDaHeight: string] }
  | { posted: [kind: BlockPart, height: string, daHeight: string] }
  | { metadata: [key: MetadataKey, value: string] };

/** Blocks kept in memory: the node shows and posts them all the time. */
const BLOCKS_AT_HAND = 100;
/** Bytes of the log that are read at once. */
const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/**
 * The blocks of a devnode and how far they have come, in an append-only log and an index derived from it. A devnode therefore
 * starts at once and needs no more memory, however long its chain is. Started again on the same directory, even after a kill, it
 * continues the same chain. Without a directory the files disappear with the process.
 */
export class ChainStore {
  private readonly log: number;
  private readonly index: ChainIndex;
  private readonly atHand = new LRUCache<bigint, ChainBlock>({ max: BLOCKS_AT_HAND });

  /** `retainBlocks` hides all but the newest blocks, as a pruned node does. Reads and writes synchronously. */
  constructor(
    directory?: string,
    private readonly retainBlocks = Infinity,
  ) {
    const folder = directory ?? mkdtempSync(join(tmpdir(), 'hindsight-devnode-'));
    mkdirSync(folder, { recursive: true });
    // The files stay open: a stopped node can be started again.
    const open = (name: string) => openSync(join(folder, name), constants.O_RDWR | constants.O_CREAT);
    this.log = open('chain.ndjson');
    this.index = new ChainIndex(open('chain.index'), fstatSync(this.log).size);
    if (directory === undefined) rmSync(folder, { recursive: true });
    this.takeRest();
  }

  get head(): ChainBlock | undefined {
    return this.findStored(this.headHeight);
  }

  /** The oldest block that is still shown. */
  get oldest(): ChainBlock | undefined {
    return this.findStored(this.oldestHeight);
  }

  /** The block as the node shows it; undefined when it does not exist or is pruned. */
  find(height: bigint): ChainBlock | undefined {
    return height >= this.oldestHeight ? this.findStored(height) : undefined;
  }

  /** The block, even one that is no longer shown. */
  findStored(height: bigint): ChainBlock | undefined {
    const known = this.atHand.get(height);
    if (known !== undefined || height < 1n || height > this.headHeight) return known;
    const [bytes, offset] = [this.index.get(height, 'bytes'), this.index.get(height, 'offset')];
    const line = readAt(this.log, Number(bytes), Number(offset)).toString('utf8');
    const block = blockFromText((JSON.parse(line) as { block: BlockText }).block);
    return this.keepAtHand({
      ...block,
      headerDaHeight: this.findDaHeight(height, 'included header') ?? null,
      dataDaHeight: this.findDaHeight(height, 'included data') ?? null,
    });
  }

  /** Finds a block by the hash of its header or of its signed header. */
  findByHash(hash: string, which: 'hash' | 'signedHash'): ChainBlock | undefined {
    const start = Buffer.from(hash, 'hex').subarray(0, 8);
    const height = start.length === 8 ? this.index.findByHash(start, which) : undefined;
    const block = height === undefined ? undefined : this.find(height);
    return block?.[which] === hash ? block : undefined;
  }

  /** Whether a block has data that goes to the DA layer: one without transactions has none. */
  hasData(height: bigint): boolean {
    return this.index.get(height, 'transactions') > 0n;
  }

  getMetadata(key: MetadataKey): bigint | undefined {
    return this.index.getOfChain(key) || undefined;
  }

  /** The DA height at which a part of a block was posted, even before the inclusion loop has come to it. */
  findPosted(kind: BlockPart, height: bigint): bigint | undefined {
    return this.findDaHeight(height, `posted ${kind}`);
  }

  /** Height of the newest block; 0 before the first. */
  get headHeight(): bigint {
    return this.index.getOfChain('head');
  }

  /** The greatest DA height that anything was posted at; 0 at first. */
  get newestDaHeight(): bigint {
    return this.index.getOfChain('newestDaHeight');
  }

  append(block: ChainBlock): void {
    this.write({ block: blockToText(block) }, block);
  }

  setIncluded(height: bigint, headerDaHeight: bigint, dataDaHeight: bigint): void {
    this.write({ included: [String(height), String(headerDaHeight), String(dataDaHeight)] });
  }

  setPosted(kind: BlockPart, height: bigint, daHeight: bigint): void {
    this.write({ posted: [kind, String(height), String(daHeight)] });
  }

  setMetadata(key: MetadataKey, value: bigint): void {
    if (this.getMetadata(key) !== value) this.write({ metadata: [key, String(value)] });
  }

  private get oldestHeight(): bigint {
    const hidden = Number(this.headHeight) - this.retainBlocks;
    return BigInt(Math.max(0, hidden)) + 1n;
  }

  private findDaHeight(height: bigint, field: `${'posted' | 'included'} ${BlockPart}`): bigint | undefined {
    return this.index.get(height, field) || undefined;
  }

  private write(line: StoredLine, block?: ChainBlock): void {
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    writeAt(this.log, text, Number(this.index.getOfChain('logEnd')));
    this.apply(line, text.length, block);
    this.index.keep();
  }

  /** Adds the log's next line to the index. The same line twice changes nothing. */
  private apply(line: StoredLine, bytes: number, made?: ChainBlock): void {
    const { index } = this;
    const offset = index.getOfChain('logEnd');
    if ('block' in line) this.applyBlock(made ?? blockFromText(line.block), offset, BigInt(bytes));
    else if ('included' in line)
      this.applyIncluded(...(line.included.map(BigInt) as [bigint, bigint, bigint]));
    else if ('posted' in line) {
      const [kind, height, daHeight] = line.posted;
      index.set(BigInt(height), `posted ${kind}`, BigInt(daHeight));
      if (BigInt(daHeight) > this.newestDaHeight) index.setOfChain('newestDaHeight', BigInt(daHeight));
    } else {
      index.setOfChain(line.metadata[0], BigInt(line.metadata[1]));
    }
    index.setOfChain('logEnd', offset + BigInt(bytes));
  }

  private applyBlock(block: ChainBlock, offset: bigint, bytes: bigint): void {
    const { height } = block.header;
    this.index.setCell(height, {
      offset,
      bytes,
      transactions: BigInt(block.transactions.length),
      'posted header': 0n,
      'posted data': 0n,
      'included header': block.headerDaHeight ?? 0n,
      'included data': block.dataDaHeight ?? 0n,
      hash: startOf(block.hash),
      signedHash: startOf(block.signedHash),
    });
    this.index.setOfChain('head', height);
    this.keepAtHand(block);
  }

  private applyIncluded(height: bigint, headerDaHeight: bigint, dataDaHeight: bigint): void {
    this.index.set(height, 'included header', headerDaHeight);
    this.index.set(height, 'included data', dataDaHeight);
    const block = this.atHand.get(height);
    if (block) this.atHand.set(height, { ...block, headerDaHeight, dataDaHeight });
  }

  private keepAtHand(block: ChainBlock): ChainBlock {
    this.atHand.set(block.header.height, block);
    return block;
  }

  /** Indexes the end of the log that the index lacks; all of it without an index. Half a line, left by a kill, is dropped. */
  private takeRest(): void {
    let rest = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(
        this.log,
        chunk,
        0,
        CHUNK_BYTES,
        Number(this.index.getOfChain('logEnd')) + rest.length,
      );
      if (bytes === 0) break;
      rest = Buffer.concat([rest, chunk.subarray(0, bytes)]);
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
        this.apply(JSON.parse(rest.toString('utf8', 0, end)) as StoredLine, end + 1);
        rest = rest.subarray(end + 1);
      }
    }
    if (rest.length > 0) ftruncateSync(this.log, Number(this.index.getOfChain('logEnd')));
    this.index.keep();
  }
}

function startOf(hash: string): bigint {
  return Buffer.from(hash, 'hex').readBigUInt64LE();
}
