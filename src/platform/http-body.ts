import { createGunzip, createInflate, createInflateRaw, type Gunzip } from 'node:zlib';

/**
 * The encodings we ask for and unpack. Never Brotli: its decoder in Node lets a server write out of bounds (CVE-2026-111497), and
 * Node 20 never gets the fix.
 */
export const ACCEPTED_ENCODINGS = 'gzip, deflate';

type Decompressor = Pick<Gunzip, 'write' | 'end' | 'destroy' | 'on' | 'once'>;

/** Callbacks for the owner of a body; at most one of `done`, `full` and `broken` is called, once. */
export interface BodyEvents {
  done(): void;
  /** The limit is reached; what was read up to it is kept. */
  full(): void;
  broken(error: Error): void;
  /** Pauses the socket while compressed bytes are unpacked; `resume` continues it. */
  pause(): void;
  resume(): void;
}

/**
 * Collects a response body up to a limit. The limit holds for the bytes on the wire and for the unpacked
 * bytes, so a small compressed body cannot grow without bound.
 */
export class BodyCollector {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private wireSize = 0;
  private finished = false;
  private decompressor: Decompressor | undefined;

  /** @param encoding the Content-Encoding header in lower case; {@link isReadable} must accept it */
  constructor(
    private readonly limitBytes: number,
    private readonly encoding: string,
    private readonly events: BodyEvents,
  ) {}

  write(chunk: Buffer): void {
    if (this.finished) {
      return;
    }
    if (isPlain(this.encoding)) {
      this.keep(chunk);
      return;
    }
    this.wireSize += chunk.length;
    if (this.wireSize > this.limitBytes) {
      this.finish(() => this.events.full());
      return;
    }
    this.decompressor ??= this.openDecompressor(chunk);
    if (!this.decompressor.write(chunk)) {
      this.events.pause();
      this.decompressor.once('drain', () => this.events.resume());
    }
  }

  /** The last byte has arrived; `done` follows when everything is unpacked. */
  end(): void {
    if (this.decompressor && !this.finished) {
      this.decompressor.end();
    } else {
      this.finish(() => this.events.done());
    }
  }

  /** Stops at once; no event follows. */
  stop(): void {
    this.finish(() => undefined);
  }

  /** The bytes kept so far. */
  take(): Buffer {
    return this.chunks.length === 1 ? (this.chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.chunks);
  }

  private keep(chunk: Buffer): void {
    if (this.finished) {
      return;
    }
    const room = this.limitBytes - this.size;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.chunks.push(kept);
    this.size += kept.length;
    if (kept.length < chunk.length) {
      this.finish(() => this.events.full());
    }
  }

  private openDecompressor(first: Buffer): Decompressor {
    const decompressor = createDecompressor(this.encoding, first);
    decompressor.on('data', (chunk: Buffer) => this.keep(chunk));
    decompressor.on('end', () => this.finish(() => this.events.done()));
    decompressor.on('error', (error: Error) => this.finish(() => this.events.broken(error)));
    return decompressor;
  }

  private finish(tell: () => void): void {
    if (this.finished) {
      return;
    }
    this.finished = true;
    this.decompressor?.destroy();
    tell();
  }
}

/** Whether a body with this Content-Encoding is uncompressed, or in an encoding that we asked for. */
export function isReadable(encoding: string): boolean {
  return isPlain(encoding) || /^(x-)?gzip$|^deflate$/.test(encoding);
}

function isPlain(encoding: string): boolean {
  return encoding === '' || encoding === 'identity';
}

function createDecompressor(encoding: string, first: Buffer): Decompressor {
  if (encoding === 'deflate') {
    // Servers send both forms under this name; the zlib wrapper begins with method 8 in its low four bits.
    return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
  }
  return createGunzip();
}
