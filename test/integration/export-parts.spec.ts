import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ExportFile, Exports, ExportRequest } from '../../src/api/export/exports.js';
import { writeExport } from '../../src/cli/export-files.js';

/** Answers that are parts of a file of 250,000 rows, as a reader of tables makes them. */
class Parts {
  private left = 3;

  estimateRows(): Promise<number> {
    return Promise.resolve(250_000);
  }

  open({ given, hasHeader = true }: ExportRequest): Promise<ExportFile> {
    this.left -= 1;
    const text = `${hasHeader ? 'id\n' : ''}${String(given['cursor'] ?? 'first')} of ${String(given['limit'])}\n`;
    const next = this.left > 0 ? `cursor-${this.left}` : undefined;
    return Promise.resolve({ stream: Readable.from([Buffer.from(text)]), next });
  }
}

describe('an export in parts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-parts-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const write = (out: string): Promise<void> =>
    writeExport(
      new Parts() as unknown as Exports,
      { name: 'submissions', format: 'csv', given: {} },
      out,
      new AbortController().signal,
    );
  const WHOLE = 'id\nfirst of 100000\ncursor-2 of 100000\ncursor-1 of 100000\n';

  it('has one header in a file', async () => {
    const out = join(folder, 'rows.csv');
    await write(out);
    expect(readFileSync(out, 'utf8')).toBe(WHOLE);
  });

  it('has one header in a pipe, which cannot say what it took', async () => {
    const pipe = join(folder, 'rows');
    execFileSync('mkfifo', [pipe]);
    const taken = readFile(pipe, 'utf8');
    await write(pipe);
    expect(await taken).toBe(WHOLE);
  });
});
