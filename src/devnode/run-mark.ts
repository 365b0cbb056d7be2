import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file in the data directory that exists while a node runs: found at a start, it shows that the node was killed. */
export class RunMark {
  private readonly file: string | undefined;

  constructor(directory: string | undefined) {
    this.file = directory === undefined ? undefined : join(directory, 'running');
  }

  get exists(): boolean {
    return this.file !== undefined && existsSync(this.file);
  }

  set(): void {
    if (this.file !== undefined) writeFileSync(this.file, '');
  }

  clear(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true });
  }
}
