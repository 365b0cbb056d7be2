import { stackOf } from './stack.js';

const TIME = '2026-03-10T00:00:00Z';
const part = (name: string, value: number | null) => ({ time: TIME, part: name, value });

describe('stacked bars', () => {
  it('have the largest part at the bottom, and show each part by itself', () => {
    const { lines } = stackOf([part('data', 2), part('header', 5)], 'DAY');
    expect(lines.map(({ label, values, shown }) => [label, values[0], shown?.[0]])).toEqual([
      ['data', 7, 2],
      ['header', 5, 5],
    ]);
  });

  it('join the parts beyond the fifth, and omit none', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const { lines } = stackOf(
      names.map((name, rank) => part(name, 10 - rank)),
      'DAY',
    );
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ label: 'the others', values: [49], shown: [15] });
  });

  it('are absent where nothing is known, and not of zero height', () => {
    expect(stackOf([part('data', null), part('header', null)], 'DAY').times).toEqual([]);
  });

  it('have a gap where there is no row', () => {
    const { times, lines } = stackOf(
      [part('data', 2), { time: '2026-03-12T00:00:00Z', part: 'data', value: 3 }],
      'DAY',
    );
    expect(times).toHaveLength(3);
    expect(lines[0]?.values).toEqual([2, null, 3]);
  });
});
