import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { reasonOf, UserError } from '../platform/errors.js';

/**
 * A file that has its name only once it is whole and on the disk. Until then the name ends in `.part`. A device or a pipe is
 * written as it is. Every failure to write is a UserError that names the file.
 */
export class OutputFile {
  private constructor(
    /** As it was asked for. */
    readonly path: string,
    /** What is written to. */
    readonly draft: string,
    private readonly target: string,
    private readonly handle: FileHandle,
    private size: number,
  ) {}

  /** @param continues whether a part that is there already is kept, and written behind */
  static create(path: string, { continues = false } = {}): Promise<OutputFile> {
    return writing(path, async () => {
      const target = await realpath(path).catch(() => path);
      const isOther = await stat(target).then(
        (found) => !found.isFile(),
        () => false,
      );
      const draft = isOther ? target : `${target}.part`;
      const handle = await open(draft, continues ? 'a' : 'w');
      return new OutputFile(path, draft, target, handle, (await handle.stat()).size);
    });
  }

  /** Whether nothing was in it at the last `mark`. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    await writing(this.path, () => this.handle.writeFile(bytes));
  }

  /** What is written so far is whole by itself: `giveUp` leaves it. */
  async mark(): Promise<void> {
    if (this.isDraft) this.size = (await this.handle.stat()).size;
  }

  /** Gives it its name. */
  async commit(): Promise<void> {
    await writing(this.path, async () => {
      // Some file systems report a full disk only now.
      if (this.isDraft) await this.handle.sync();
      await this.handle.close();
      if (this.isDraft) await rename(this.draft, this.target);
    });
  }

  /** Leaves the draft as it was at the last `mark`; one that is empty then is removed. */
  async giveUp(): Promise<void> {
    if (this.isDraft) await this.handle.truncate(this.size);
    await this.handle.close();
    if (this.isDraft && this.isEmpty) await rm(this.draft);
  }

  private get isDraft(): boolean {
    return this.draft !== this.target;
  }
}

/** @throws UserError that names the file or folder, for whatever fails */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UserError(
      `Cannot write ${path}: ${reasonOf(error)}.`,
      'Make room, or give --out another place.',
      1,
      { cause: error },
    );
  }
}
