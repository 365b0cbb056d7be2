import { Readable } from 'node:stream';
import { readPriceFile } from './price-file.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

describe('a file of prices', () => {
  const prices = [
    { effectiveFrom: us('2026-01-01'), gasPrice: '0.004', fiat: { unit: 'EUR', perTia: '1.25' } },
    { effectiveFrom: us('2026-02-01T12:00:00Z'), fiat: { unit: 'EUR', perTia: '0.9' } },
  ];

  it.each([
    ['commas', 'from,gas_price,note,EUR\n2026-01-01,0.004,"a, b",1.25\n2026-02-01T12:00:00Z,,x,0.9\n\n'],
    [
      'semicolons and decimal commas',
      '\ufeffDate;EUR;GAS_PRICE\r\n2026-01-01;1,25;0,004\r\n2026-02-01T12:00:00Z;0,9;\r\n',
    ],
  ])('is read with %s', async (_, text) => {
    expect(await readPriceFile(text)).toEqual(prices);
  });

  it.each(['utf-16le', 'utf-16be'])('is read as spreadsheets save it, with tabs in %s', async (encoding) => {
    const text =
      '\ufefffrom\tEUR\tgas_price\tnote\r\n2026-01-01\t1,25\t0,004\t€\r\n2026-02-01T12:00:00Z\t0,9\t\t\r\n';
    const bytes = Buffer.from(text, 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    // A piece may end within a character.
    const pieces = Readable.from(Array.from(bytes, (byte) => Buffer.of(byte)));
    expect(await readPriceFile(pieces)).toEqual(prices);
  });

  it('may name its separator before the header', async () => {
    const rows = 'from;EUR;gas_price\n2026-01-01;1,25;0,004\n2026-02-01T12:00:00Z;0,9;\n';
    for (const first of ['sep=;', '\ufeffSEP=;', '"sep=;"'])
      expect(await readPriceFile(`${first}\r\n${rows}`)).toEqual(prices);
    await expect(readPriceFile('sep=;\nfrom;EUR\n01.02.2026;1')).rejects.toThrow('line 3: "01.02.2026"');
    await expect(readPriceFile('sep=|\nfrom|EUR\n2026-01-01|1')).rejects.toThrow('The first line must name');
  });

  it('is refused if it is no text', async () => {
    const text = Buffer.from('from,EUR\n2026-01-01,1', 'utf16le').toString('latin1');
    await expect(readPriceFile(text)).rejects.toMatchObject({
      message: expect.stringContaining('it is not text') as unknown,
      remedy: expect.stringContaining('Save it as CSV in UTF-8.') as unknown,
    });
  });

  it('may have lines that set nothing', async () => {
    expect(await readPriceFile('from,EUR\n2026-01-01,\n2026-01-02,1')).toHaveLength(1);
  });

  it.each([
    ['a column is missing', 'from,note\n2026-01-01,x', 'The first line must name the columns'],
    ['there is no time', 'EUR\n1', 'It has EUR.'],
    ['two currencies stand in it', 'from,EUR,USD\n2026-01-01,1,2', 'one currency such as EUR'],
    ['a time is none', 'from,EUR\n2026-01-01,1\n01.02.2026,1', 'line 3: "01.02.2026" is not a time'],
    ['a quote is never closed', 'from,EUR\n"2026-01-01,1', 'cannot be read as CSV'],
    ['it is empty', '', 'The file is empty.'],
    [
      'a column occurs twice',
      'from,EUR,gas_price,Gas price\n2026-01-01,1,1,2',
      'two columns called gas_price',
    ],
  ])('is refused if %s', async (_, text, problem) => {
    await expect(readPriceFile(text)).rejects.toThrow(problem);
  });

  it('is refused with all its faults and their lines, or with too many lines', async () => {
    const faults = 'from;EUR;gas_price\n2026-01-01;1;2\n\n2026-01-02;x;-1\nsoon;1;1\n';
    await expect(readPriceFile(faults)).rejects.toThrow(
      /^Rows that cannot be read: line 4: .*not "-1".*not "x".* line 5: "soon" is not a time, such as 2026-03-01\.$/,
    );
    const bad = 'soon,1\n'.repeat(25);
    await expect(readPriceFile(`from,EUR\n${bad}`)).rejects.toThrow(/line 21: .* And 5 more\.$/);
    const many = '2026-01-01,1\n'.repeat(1_001);
    await expect(readPriceFile(`from,EUR\n${many}`)).rejects.toThrow('more than 1000 rows (line 1002)');
    const most = '2026-01-01,1\n'.repeat(1_000);
    expect(await readPriceFile(`from,EUR\n${most}2026-01-02,\n`)).toHaveLength(1_000);
    await expect(readPriceFile('from,EUR\n2026-03-01,4,25')).rejects.toThrow('line 2: has more fields');
  });
});
