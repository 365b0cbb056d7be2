import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockFromText, blockToText } from './block-text.js';
import type { ChainBlock } from './block-factory.js';

/** The two parts of a block that go to the DA layer, each in its own namespace. */
export type BlobKind = 'header' | 'data';

/** Block heights that the real node keeps as metadata: `d` is the newest block whose two parts are included. */
export type MetadataKey = 'd' | 'last-submitted-header-height' | 'last-submitted-data-height' | 'gdh';

type StoredLine =
  | { block: ReturnType<typeof blockToText> }
  | { included: [height: string, headerDaHeight: string, dataDaHeight: string] }
  | { posted: [kind: BlobKind, height: string, daHeight: string] }
  | { metadata: [key: MetadataKey, value: string] };

/**
 * The blocks of a devnode, and how far they have come. With a directory each change is written to a file, so a
 * devnode that is started again, also after a kill, goes on with the same chain.
 */
export class ChainStore {
  private readonly blocks: ChainBlock[] = [];
  private readonly heightByHash = new Map<string, bigint>();
  private readonly posted = new Map<string, bigint>();
  private readonly metadata = new Map<MetadataKey, bigint>();
  private readonly file: string | undefined;

  /** `retainBlocks` hides all but the newest blocks, as a pruned node does. Reads the directory synchronously. */
  constructor(
    directory?: string,
    private readonly retainBlocks = Infinity,
  ) {
    if (directory !== undefined) {
      mkdirSync(directory, { recursive: true });
      this.file = join(directory, 'chain.ndjson');
      this.load(this.file);
    }
  }

  get head(): ChainBlock | undefined {
    return this.blocks.at(-1);
  }

  /** The oldest block that is still shown. */
  get oldest(): ChainBlock | undefined {
    return this.blocks[Math.max(0, this.blocks.length - this.retainBlocks)];
  }

  /** The block as the node shows it; undefined when there is none, or none any more. */
  find(height: bigint): ChainBlock | undefined {
    return height >= (this.oldest?.header.height ?? 1n) ? this.findStored(height) : undefined;
  }

  /** The block, also one that is no longer shown. */
  findStored(height: bigint): ChainBlock | undefined {
    return this.blocks[Number(height) - 1];
  }

  /** By the hash of the header or of the signed header; the caller says which one counts. */
  findByHash(hash: string, which: 'hash' | 'signedHash'): ChainBlock | undefined {
    const block = this.find(this.heightByHash.get(hash) ?? 0n);
    return block?.[which] === hash ? block : undefined;
  }

  getMetadata(key: MetadataKey): bigint | undefined {
    return this.metadata.get(key);
  }

  /** The DA height at which a part of a block was posted, also while the inclusion loop has not come to it. */
  findPosted(kind: BlobKind, height: bigint): bigint | undefined {
    return this.posted.get(`${kind} ${height}`);
  }

  /** The greatest DA height that anything was posted at; 0 at first. */
  get newestDaHeight(): bigint {
    return [...this.posted.values()].reduce((newest, height) => (height > newest ? height : newest), 0n);
  }

  append(block: ChainBlock): void {
    this.write({ block: blockToText(block) });
  }

  setIncluded(height: bigint, headerDaHeight: bigint, dataDaHeight: bigint): void {
    this.write({ included: [String(height), String(headerDaHeight), String(dataDaHeight)] });
  }

  setPosted(kind: BlobKind, height: bigint, daHeight: bigint): void {
    this.write({ posted: [kind, String(height), String(daHeight)] });
  }

  setMetadata(key: MetadataKey, value: bigint): void {
    if (this.metadata.get(key) !== value) this.write({ metadata: [key, String(value)] });
  }

  private write(line: StoredLine): void {
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    this.apply(line);
  }

  private apply(line: StoredLine): void {
    if ('block' in line) {
      const block = blockFromText(line.block);
      this.blocks.push(block);
      this.heightByHash.set(block.hash, block.header.height).set(block.signedHash, block.header.height);
    } else if ('included' in line) {
      const [height, headerDaHeight, dataDaHeight] = line.included.map(BigInt);
      const block = this.blocks[Number(height) - 1];
      if (block && headerDaHeight !== undefined && dataDaHeight !== undefined) {
        this.blocks[Number(height) - 1] = { ...block, headerDaHeight, dataDaHeight };
      }
    } else if ('posted' in line) {
      const [kind, height, daHeight] = line.posted;
      this.posted.set(`${kind} ${height}`, BigInt(daHeight));
    } else {
      this.metadata.set(line.metadata[0], BigInt(line.metadata[1]));
    }
  }

  /** A kill can leave half a line at the end; it is dropped, and the file goes on behind the last whole one. */
  private load(file: string): void {
    if (!existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) {
      writeFileSync(`${file}.new`, whole);
      renameSync(`${file}.new`, file);
    }
    for (const line of whole.split('\n')) {
      if (line !== '') this.apply(JSON.parse(line) as StoredLine);
    }
  }
}
