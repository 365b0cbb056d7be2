import { describeDeadLetters, describeFailedOwners } from './fault-sentences.js';

describe('the sentences about dead letters', () => {
  it('name the read model, the number of events, and their streams', () => {
    expect(
      describeDeadLetters([
        {
          projection: 'record',
          events: 12,
          streams: 2,
          whole: 1,
          names: ['bad/blocks', 'worse/submissions'],
        },
        { projection: 'health', events: 1, streams: 1, whole: 0, names: ['bad/blocks'] },
      ]),
    ).toEqual([
      'The read model record continues without 12 events that it cannot process, of 2 streams ' +
        '(bad/blocks, worse/submissions); 1 stream is completely quarantined. `hindsight faults` says why.',
      'The read model health continues without 1 event that it cannot process, of 1 stream (bad/blocks). ' +
        '`hindsight faults` says why.',
    ]);
  });

  it('name the subjects whose figures are missing', () => {
    const rows = [
      { node: 'bad', chain: '' },
      { node: null, chain: 'alpha-1' },
    ];
    expect(describeFailedOwners({ total: 2, rows })).toEqual([
      'The statistics of 2 nodes and chains cannot be computed (node bad, chain alpha-1). `hindsight faults` says why.',
    ]);
    expect(describeFailedOwners({ total: 0, rows: [] })).toEqual([]);
  });

  it('stay short and printable whatever the names and however many', () => {
    const names = Array.from({ length: 3 }, () => `\u001b[2J${'x'.repeat(10_000)}`);
    const [sentence = ''] = describeDeadLetters([
      { projection: 'record', events: 1e6, streams: 1e5, whole: 1e5, names },
    ]);
    expect(sentence.length).toBeLessThan(400);
    expect(sentence).not.toMatch(/\p{C}/u);
    expect(sentence).toContain('and 99997 more');
  });
});
