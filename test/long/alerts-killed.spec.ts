import { CHAOS_SEED } from '../support/chaos-seed.js';
import { DestinationsAway } from '../support/destinations-away.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { seededRandom } from '../support/seeded-random.js';

const PATIENCE_MS = 900_000;
/** From its launch, a worker is ready after about 3 s, and checks alerts after 6 s. */
const LONGEST_LIFE_MS = 12_000;
const NODES = ['n1', 'n2', 'n3'];

describe('the queue of alerts', itHasRedis);

describe.each(QUEUE_BACKENDS)(
  'alerts while each kind of destination is away, with a queue on %s',
  (backend) => {
    const random = seededRandom(CHAOS_SEED);
    const away = new DestinationsAway();
    let kills = 0;
    beforeAll(() => away.start(backend), PATIENCE_MS);
    afterAll(() => away.stop());

    /** Starts a worker at some minutes past the beginning, and kills it at a random moment. */
    const kill = async (minutes: number): Promise<void> => {
      await away.liveFor(minutes, random() * LONGEST_LIFE_MS);
      kills += 1;
      // The queue may lose everything at any time.
      if (random() < 0.3) await away.redis?.flush();
    };

    it(
      `arrive under one key and are resolved there, whenever workers are killed (seed ${CHAOS_SEED})`,
      async () => {
        await away.leave(0);
        await away.live(0, () => away.prompt.taken.length >= 2);
        await away.world.freeze(3, 'late-1');
        await away.live(3, () => away.prompt.taken.some(({ body }) => body.includes(' n3:')));
        // A message is given up after a day.
        for (const [turn, minutes] of [5, 30, 61, 300, 23 * 60].entries()) {
          await away.leave(turn + 1);
          await kill(minutes);
          if (minutes === 30) await away.world.heal('n2');
        }
        expect(away.accepted).toBe(0);
        await away.comeBack();
        for (const minutes of [0, 2, 4]) await kill(23 * 60 + 10 + minutes);
        await away.world.heal();
        for (const minutes of [6, 8]) await kill(23 * 60 + 10 + minutes);
        await away.live(
          23 * 60 + 20,
          () => away.isSettled(NODES, kills + 1) && away.refused === 2 * NODES.length,
        );
        expect(await away.world.bodiesOf('AlertRaised')).toHaveLength(NODES.length);
        expect(away.closed.taken.length).toBeLessThanOrEqual(2 * NODES.length + kills + 1);
      },
      PATIENCE_MS,
    );
  },
);
