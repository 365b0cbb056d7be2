import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PatientStream } from './patient-stream.js';

describe('a stream that never fails', () => {
  let folder: string;
  let reader: number;
  let writer: number;
  const gaps: number[] = [];

  const readAll = (): string => {
    const buffer = Buffer.alloc(1_000_000);
    const parts: string[] = [];
    for (;;) {
      try {
        const count = readSync(reader, buffer);
        if (count === 0) return parts.join('');
        parts.push(buffer.toString('utf8', 0, count));
      } catch {
        return parts.join('');
      }
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-stream-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    gaps.length = 0;
  });

  afterEach(() => {
    closeSync(writer);
    rmSync(folder, { recursive: true, force: true });
  });

  it('drops whole lines without a reader, and reports their number once there is one', () => {
    const stream = new PatientStream(writer, (lines) => {
      gaps.push(lines);
      stream.write(`missing ${lines}\n`);
    });
    const long = `${'x'.repeat(9_999)}\n`;
    for (let count = 0; count < 30; count += 1) stream.write(long);
    const early = readAll();
    stream.write('back\n');
    const [lost = 0] = gaps;
    expect(lost).toBeGreaterThan(0);
    const lines = `${early}${readAll()}`.split('\n');
    expect(lines.slice(-3)).toEqual(['back', `missing ${lost}`, '']);
    expect(lines.slice(0, -3)).toEqual(Array(30 - lost).fill('x'.repeat(9_999)));
    closeSync(reader);
  });

  it('finishes a line if a part of it was written', () => {
    const stream = new PatientStream(writer, (lines) => gaps.push(lines));
    writeSync(writer, 'x'.repeat(60_000));
    const line = `${'y'.repeat(50_000)}\n`;
    stream.write(line);
    const early = readAll();
    stream.write('z\n');
    expect(`${early}${readAll()}`).toBe(`${'x'.repeat(60_000)}${line}z\n`);
    expect(gaps).toEqual([]);
    closeSync(reader);
  });

  it('continues after the reader has left', () => {
    const stream = new PatientStream(writer, (lines) => gaps.push(lines));
    closeSync(reader);
    stream.write('a\n');
    stream.write('b\n');
    expect(gaps).toEqual([]);
    reader = openSync(join(folder, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    stream.write('c\n');
    expect([gaps, readAll()]).toEqual([[2], 'c\n']);
    closeSync(reader);
  });

  if (existsSync('/dev/full')) {
    it('continues when the disk is full', () => {
      const full = openSync('/dev/full', 'w');
      const stream = new PatientStream(full, (lines) => gaps.push(lines));
      expect(() => stream.write('a\n')).not.toThrow();
      expect(() => stream.write('b\n')).not.toThrow();
      closeSync(full);
    });
  }
});
