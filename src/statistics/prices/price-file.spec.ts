import { readPriceFile } from './price-file.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

describe('a file of prices', () => {
  const wishes = [
    { effectiveFrom: us('2026-01-01'), gasPrice: '0.004', fiat: { unit: 'EUR', perTia: '1.25' } },
    { effectiveFrom: us('2026-02-01T12:00:00Z'), fiat: { unit: 'EUR', perTia: '0.9' } },
  ];

  it.each([
    ['commas', 'from,gas_price,note,EUR\n2026-01-01,0.004,"a, b",1.25\n2026-02-01T12:00:00Z,,x,0.9\n\n'],
    [
      'semicolons and decimal commas',
      '\ufeffDate;EUR;GAS_PRICE\r\n2026-01-01;1,25;0,004\r\n2026-02-01T12:00:00Z;0,9;\r\n',
    ],
  ])('is read with %s', (_, text) => {
    expect(readPriceFile(text)).toEqual(wishes);
  });

  it('may have lines that set nothing', () => {
    expect(readPriceFile('from,EUR\n2026-01-01,\n2026-01-02,1')).toHaveLength(1);
  });

  it.each([
    ['a column is missing', 'from,note\n2026-01-01,x', 'The first line must name the columns'],
    ['there is no time', 'EUR\n1', 'It has EUR.'],
    ['two currencies stand in it', 'from,EUR,USD\n2026-01-01,1,2', 'one currency such as EUR'],
    ['a time is none', 'from,EUR\n2026-01-01,1\n01.02.2026,1', '2: "01.02.2026" is not a time'],
    ['a quote is never closed', 'from,EUR\n"2026-01-01,1', 'cannot be read as CSV'],
    ['it is empty', '', 'The first line must name the columns'],
  ])('is refused if %s', (_, text, problem) => {
    expect(() => readPriceFile(text)).toThrow(problem);
  });
});
