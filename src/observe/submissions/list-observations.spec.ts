import { ListObservations } from './list-observations.js';

describe('the list that a node shows now', () => {
  const poll = (list: number, askedAt: number, isEmptied = false) => ({ list, askedAt, isEmptied });
  let observations: ListObservations;

  beforeEach(() => {
    observations = new ListObservations();
  });

  function note({ list, askedAt, isEmptied }: ReturnType<typeof poll>): void {
    const observation = { list, at: askedAt, isEmpty: false, connection: null };
    const isAnchored = !isEmptied;
    const { proven } = observations.judge(observation, { isAnchored, isStated: isEmptied });
    observations.note(observation, proven, { at: askedAt + 10, isEmptied });
  }

  it('proves an answer that came between two polls of it', () => {
    note(poll(7, 1_000));
    const run = observations.currentRun!;
    expect(observations.proveAnswer(run, 1_500)).toBeUndefined();
    note(poll(7, 1_500));
    expect(observations.proveAnswer(run, 1_500)).toBeUndefined();
    note(poll(7, 2_000));
    expect(observations.proveAnswer(run, 1_500)).toEqual({ list: 7, since: 1_010, last: 2_000 });
  });

  it.each([
    ['another list', poll(8, 2_000)],
    ['the same list, emptied', poll(7, 2_000, true)],
  ])('proves nothing once the node has shown %s', (_, next) => {
    note(poll(7, 1_000));
    const run = observations.currentRun!;
    note(next);
    note(poll(7, 3_000));
    expect(observations.proveAnswer(run, 1_500)).toBeUndefined();
  });
});
