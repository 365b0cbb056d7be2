import { UserError } from '../../platform/errors.js';
import { readFeeFile } from './fee-file.js';

const TX = 'ab'.repeat(32);

const fees = async (text: string): Promise<unknown[]> =>
  (await readFeeFile(text)).rows.map(({ line, fee }) => [line, fee.daHeight, fee.fee, fee.tx]);

const refusal = async (file: string | AsyncIterable<Uint8Array>): Promise<string> => {
  try {
    await readFeeFile(file);
    return '';
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
};

/** A start, followed by 100 MB of the same filling. */
function* endless(start: string, filling: string): Generator<string> {
  yield start;
  const piece = filling.repeat(Math.ceil(65_536 / filling.length));
  for (let sent = 0; sent < 1e8; sent += piece.length) yield piece;
}

describe('a file of fees', () => {
  it.each([
    ['commas', `da_height,fee,tx\n12,761,${TX}\n`],
    ['semicolons', `Block Height;Tx Hash;Fee\n12;${TX};761`],
    ['tabs', `level\thash\tfee_tia\n12\t${TX}\t0.000761`],
    [
      'a byte order mark, quotes and line ends of Windows',
      `\uFEFF"Height","FEE","tx_hash"\r\n"12","761","${TX}"\r\n`,
    ],
    ['decimal commas', `level;hash;fee_tia\n12;${TX};0,000761`],
    ['decimal commas of whole numbers', `level;hash;fee\n12;${TX};761,0`],
    ['other columns between', `id,signer,height,note,tx_fee,txHash\n1,x,12,"a, b",761utia,0x${TX}`],
    ['spaces around the fields and fields too many', ` da_height , fee , tx \n 12 , 761 , ${TX} ,,`],
  ])('is read with %s', async (_, text) => {
    expect(await fees(text)).toEqual([[2, '12', '761', TX]]);
  });

  it('is not read if a comma may be a thousands separator or a column separator', async () => {
    for (const text of [`level;fee\n12;1,000`, `level,fee\n12,"761,0"`])
      expect(await readFeeFile(text)).toMatchObject({ rows: [], faultCount: 1 });
  });

  it('is read from pieces that are cut anywhere', async () => {
    const bytes = Buffer.from(`\uFEFFda_height,fee,name\n12,761,ünïcode\n13,762,x\n`);
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    const file = await readFeeFile(pieces());
    expect(file.rows.map(({ line, fee }) => [line, fee.daHeight, fee.fee])).toEqual([
      [2, '12', '761'],
      [3, '13', '762'],
    ]);
  });

  it('reports every bad line with its number, counts all and keeps the first ones', async () => {
    const bad = Array.from({ length: 30 }, (_, index) => `${index},-1`).join('\n');
    const file = await readFeeFile(`height,fee,tx\n12,761\n\nx,,zz\n${bad}\n13,762`);
    expect(file.rows.map(({ line }) => line)).toEqual([2, 35]);
    expect(file.faultCount).toBe(31);
    expect(file.faults).toHaveLength(20);
    expect(file.faults[0]).toEqual({
      line: 4,
      problem: '"x" is not a DA height; "zz" is not the hash of a transaction (64 hex digits); has no fee',
    });
    expect(file.faults[1]).toEqual({
      line: 5,
      problem: 'the DA height is 0; DA heights count from 1; the fee "-1" is negative',
    });
  });

  it('is refused without its required columns, or with one twice', async () => {
    expect(await refusal('')).toBe('The file is empty.');
    expect(await refusal('\n\n')).toBe('The file is empty.');
    expect(await refusal('height,tx\n1,2')).toContain('no column for the fee; its first line has height, tx');
    expect(await refusal('fee,tx\n1,2')).toContain('no column for the DA height');
    expect(await refusal('height,fee,Fee\n1,2,3')).toContain('two columns called fee');
    expect(await refusal(`\u0000\u0001PK${'x'.repeat(100)}`)).toContain('it is not text');
  });

  it('is refused when a quote is never closed, or a line never ends', async () => {
    expect(await refusal('height,fee\n1,"2\n3,4\n')).toContain('Quote Not Closed');
    expect(await refusal(`height,fee\n1,"${'2\n'.repeat(100_000)}`)).toContain('Max Record Size');
    expect(await refusal('x'.repeat(300_000))).toContain('The file');
  });

  it.each<[string, () => Iterable<string>, string]>([
    [
      'of nothing but commas',
      () => endless('height,fee\n1,2\n', ','),
      '1000000 bytes are one record (line 3)',
    ],
    ['of nothing but commas in the header', () => endless('', ','), '1000000 bytes are one record (line 1)'],
    [
      'whose fields go on over lines with many columns each',
      () => endless('height,fee\n"a', `\n"${','.repeat(900)}"b`),
      'bytes are one record (line ',
    ],
    ['of nothing but spaces', () => endless('height,fee\n', ' '), '1000000 bytes are one record (line 2)'],
    ['that never ends', () => endless('height,fee\r\n1,2\r\n', 'x'), 'tolerated bytes of 100000 at line 3'],
    ['that never ends, by old line ends', () => endless('height,fee\r1,2\r', ' '), 'one record (line 3)'],
  ])('is refused with a line %s before the whole line is read', async (_, make, problem) => {
    let read = 0;
    async function* file(): AsyncGenerator<Uint8Array> {
      for (const piece of make()) {
        read += piece.length;
        yield Buffer.from(piece);
      }
    }
    expect(await refusal(file())).toContain(problem);
    // Streams read a little ahead.
    expect(read).toBeLessThan(3_000_000);
  });

  it.each(['\n', ' ,\t\n'])('may have a million bytes of empty lines: %j', async (line) => {
    const count = 1_500_000 / line.length;
    expect(await fees(`height,fee\n${line.repeat(count)}12,761\n`)).toEqual([[count + 2, '12', '761', null]]);
  });

  it.each([
    ['CRLF in the header only', 'height,fee,note\r\n12,761,a\n13,762,b\n14,763,c\n'],
    ['three kinds of line ends', 'height,fee,note\n12,761,a\r\n13,762,b\r14,763,c'],
  ])('keeps every line of a file with %s', async (_, text) => {
    expect((await fees(text)).map((row) => (row as unknown[]).slice(1, 3))).toEqual([
      ['12', '761'],
      ['13', '762'],
      ['14', '763'],
    ]);
  });

  it.each([
    ['a separator inside an amount', 'height,fee\n12,1,000', 'has more fields than the header, which has 2'],
    ['a line that was cut off', 'time,height,fee\nx,12,761\n2026-03-0', 'has no DA height; has no fee'],
    ['another separator', 'id;height;fee\nx,13,762', 'has no DA height; has no fee'],
  ])('reports %s', async (_, text, problem) => {
    const { faults } = await readFeeFile(text);
    expect(faults.map((fault) => fault.problem)).toEqual([problem]);
  });

  it('skips lines that have nothing but a note', async () => {
    const file = await readFeeFile('height,fee,note\n12,761,x\n,,total\n,5,\n');
    expect(file).toMatchObject({ faults: [{ line: 4, problem: 'has no DA height' }], faultCount: 1 });
  });

  it('may have a thousand columns, and lines of a hundred thousand bytes', async () => {
    const wide = `12,761${',x'.repeat(998)}`;
    const long = `13,762,${'y'.repeat(99_990)}`;
    const header = `height,fee${',note'.repeat(998)}`;
    expect(await fees(`${header}\n${wide}\n${long}\n`)).toEqual([
      [2, '12', '761', null],
      [3, '13', '762', null],
    ]);
  });

  it('reports a read error unchanged', async () => {
    // eslint-disable-next-line require-yield
    async function* broken(): AsyncGenerator<Uint8Array> {
      throw new UserError('Cannot read it.', '');
    }
    expect(await refusal(broken())).toBe('Cannot read it.');
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('height,fee\n1,2\n');
      throw new UserError('Cannot read on.', '');
    }
    expect(await refusal(cut())).toBe('Cannot read on.');
  });
});
