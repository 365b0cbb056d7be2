import { createHash } from 'node:crypto';
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { codeOf, reasonOf, UserError } from '../platform/errors.js';

/**
 * A file that gets its name only once it is complete and on the disk. Until then the name ends in `.part`. A device or a pipe is
 * written directly. Every failure to write is a UserError that names the file.
 */
export class OutputFile {
  private constructor(
    /** As requested. */
    readonly path: string,
    /** The path that is written to. */
    readonly draft: string,
    private readonly target: string,
    private readonly handle: FileHandle,
    private size: number,
  ) {}

  /**
   * @param continues whether to keep an existing part and append to it
   * @param isPrivate whether only this account may read it
   */
  static create(path: string, { continues = false, isPrivate = false } = {}): Promise<OutputFile> {
    return writing(path, async () => {
      const target = await realpath(path).catch(() => path);
      const isOther = await stat(target).then(
        (found) => !found.isFile(),
        () => false,
      );
      const draft = isOther ? target : `${target}.part`;
      const handle = await open(draft, continues ? 'a' : 'w', isPrivate ? 0o600 : 0o666);
      return new OutputFile(path, draft, target, handle, (await handle.stat()).size);
    });
  }

  /** Whether the file was empty at the last `mark`. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    await writing(this.path, () => this.handle.writeFile(bytes));
  }

  /** Marks the content so far as complete by itself: `giveUp` keeps it. */
  async mark(): Promise<void> {
    if (this.isDraft) this.size = (await this.handle.stat()).size;
  }

  /** Renames the draft to its final name. */
  async commit(): Promise<void> {
    await writing(this.path, async () => {
      // Some file systems report a full disk only now.
      if (this.isDraft) await this.handle.sync();
      await this.handle.close();
      if (this.isDraft) await rename(this.draft, this.target);
    });
  }

  /** Truncates the draft to the last `mark`, and removes it if it is empty then. */
  async giveUp(): Promise<void> {
    if (this.isDraft) await this.handle.truncate(this.size);
    await this.handle.close();
    if (this.isDraft && this.isEmpty) await rm(this.draft);
  }

  private get isDraft(): boolean {
    return this.draft !== this.target;
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'Make its folder first, or write to another place.',
  EACCES: 'Give the account that runs the command the right to write there, or write to another place.',
};

/** @throws UserError that names the file or folder, for any failure */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UserError(
      `Cannot write ${path}: ${reasonOf(error)}.`,
      REMEDIES[codeOf(error) ?? ''] ?? 'Free some disk space, or write to another place.',
      1,
      { cause: error },
    );
  }
}

export type Write = (bytes: string | Uint8Array) => Promise<void>;

/**
 * Writes a file and computes its hash at the same time.
 * @throws UserError if it cannot be written
 */
export async function writeHashed(
  path: string,
  fill: (write: Write) => Promise<void>,
  options: { readonly isPrivate?: boolean } = {},
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = await OutputFile.create(path, options);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    await fill(async (piece) => {
      hash.update(piece);
      bytes += Buffer.byteLength(piece);
      await file.write(piece);
    });
  } catch (error) {
    await file.giveUp();
    throw error;
  }
  await file.commit();
  return { bytes, sha256: hash.digest('hex') };
}
