import { ListAtHand } from './list-at-hand.js';

describe('the list at hand', () => {
  const poll = (list: number, askedAt: number, isEmptied = false) => ({
    list,
    askedAt,
    at: askedAt + 10,
    isEmptied,
  });

  function shown(...polls: readonly ReturnType<typeof poll>[]): ListAtHand {
    const listAtHand = new ListAtHand();
    for (const each of polls) listAtHand.note(each);
    return listAtHand;
  }

  it('proves an answer that came between two polls of it', () => {
    const listAtHand = shown(poll(7, 1_000));
    const run = listAtHand.current!;
    expect(listAtHand.prove(run, 1_500)).toBeUndefined();
    listAtHand.note(poll(7, 1_500));
    expect(listAtHand.prove(run, 1_500)).toBeUndefined();
    listAtHand.note(poll(7, 2_000));
    expect(listAtHand.prove(run, 1_500)).toEqual({ list: 7, since: 1_010, last: 2_000 });
  });

  it.each([
    ['another list', poll(8, 2_000)],
    ['the same list, emptied', poll(7, 2_000, true)],
  ])('proves nothing once the node has shown %s', (_, next) => {
    const listAtHand = shown(poll(7, 1_000));
    const run = listAtHand.current!;
    listAtHand.note(next);
    listAtHand.note(poll(7, 3_000));
    expect(listAtHand.prove(run, 1_500)).toBeUndefined();
  });
});
