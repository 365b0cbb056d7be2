import { DestinationsAway } from '../support/destinations-away.js';

const PATIENCE_MS = 300_000;

/** `test/long/alerts-killed.spec.ts` kills workers at more moments, on both queues. */
describe('alerts of a worker that is killed while each kind of destination is away', () => {
  const away = new DestinationsAway();
  beforeAll(() => away.start('postgres'), PATIENCE_MS);
  afterAll(() => away.stop());

  it(
    'arrive after an hour, under one key, and are resolved there',
    async () => {
      await away.leave(0);
      // Nine destinations that are away or refuse delay no other.
      await away.live(0, () => away.prompt.taken.length === 2 && away.closed.taken.length === 2);
      await away.world.heal('n2');
      await away.comeBack();
      expect(away.accepted).toBe(0);
      await away.live(65, () => away.accepted > 2);
      await away.world.heal();
      await away.live(67, () => away.isSettled(['n1', 'n2'], 2) && away.refused === 4);
      expect(await away.world.bodiesOf('AlertRaised')).toHaveLength(2);
      // A message that is refused for good is sent once, and once more per kill.
      expect(away.closed.taken.length).toBeLessThanOrEqual(4 + 2);
    },
    PATIENCE_MS,
  );
});
