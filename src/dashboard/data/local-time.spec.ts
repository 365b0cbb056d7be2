import { localText, momentsMeant, momentsOf } from './local-time.js';

const at = (...times: string[]): number[] => times.map((time) => Date.parse(time));

describe('times of a zone, as input fields take them', () => {
  it.each([
    ['2026-11-24T01:58:03Z', 'UTC', '2026-11-24T01:58:03'],
    ['2026-07-01T22:30:00.999Z', 'Europe/Berlin', '2026-07-02T00:30:00'],
    ['2026-01-01T00:00:00Z', 'Asia/Kathmandu', '2026-01-01T05:45:00'],
    ['2026-01-01T00:00:00Z', 'America/New_York', '2025-12-31T19:00:00'],
  ])('show %s in %s as %s, and are parsed back', (time, zone, text) => {
    expect(localText(Date.parse(time), zone)).toBe(text);
    expect(momentsOf(text, zone)).toEqual([Math.floor(Date.parse(time) / 1000) * 1000]);
  });

  it('include both moments of a time that the clocks show twice', () => {
    const twice = at('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z');
    expect(momentsOf('2026-10-25T02:30', 'Europe/Berlin')).toEqual(twice);
    expect(twice.map((ms) => localText(ms, 'Europe/Berlin'))).toEqual(
      Array.from({ length: 2 }, () => '2026-10-25T02:30:00'),
    );
    expect(momentsOf('2026-10-25T01:59:59', 'Europe/Berlin')).toEqual(at('2026-10-24T23:59:59Z'));
    expect(momentsOf('2026-10-25T03:00:00', 'Europe/Berlin')).toEqual(at('2026-10-25T02:00:00Z'));
  });

  it('use the clock change for a time that the clocks leave out', () => {
    expect(momentsOf('2026-03-29T02:30:00', 'Europe/Berlin')).toEqual(at('2026-03-29T01:00:00Z'));
    expect(momentsOf('2026-03-08T02:00:00', 'America/New_York')).toEqual(at('2026-03-08T07:00:00Z'));
  });

  it('reject text that is no time', () => {
    expect(momentsOf('', 'Europe/Berlin')).toEqual([]);
    expect(momentsOf('soon', 'UTC')).toEqual([]);
  });
});

describe('times that people enter', () => {
  it.each([
    ['2026-07-01 12:00', '2026-07-01T10:00:00Z'],
    [' 2026-07-01T12:00:05 ', '2026-07-01T10:00:05Z'],
    ['2026-07-01', '2026-06-30T22:00:00Z'],
    ['2026-07-01T12:00:05Z', '2026-07-01T12:00:05Z'],
    ['2026-07-01T12:00+03:00', '2026-07-01T09:00:00Z'],
    ['1 Jul 2026, 12:00:05 UTC', '2026-07-01T12:00:05Z'],
  ])('read %s by the clocks of Berlin, unless the text has its own zone', (text, time) => {
    expect(momentsMeant(text, 'Europe/Berlin')).toEqual(at(time));
  });

  it.each(['', 'yesterday', '2026-13-01', '25:00', 'Z', 'yesterday UTC'])('are refused: %p', (text) => {
    expect(momentsMeant(text, 'Europe/Berlin')).toEqual([]);
  });
});
