import { randomStory, type Story } from '../random-log.js';
import { twinStory } from '../twin-log.js';

const isStraight = true;
const isTerse = true;

/** Kinds of synthetic logs against which the rules are checked. */
export const STORIES: Readonly<Record<string, (random: () => number) => Story>> = {
  'of a straight chain': (random) => randomStory(random, 150, { isStraight }),
  'that is slow': (random) => randomStory(random, 120, { isStraight, pace: 300 }),
  'whose rows tell less': (random) => randomStory(random, 300, { isStraight, isTerse }),
  'with twins': (random) => twinStory(random, 90, { isStraight }),
  'with twins that tell less': (random) => twinStory(random, 90, { isStraight, isTerse }),
  'with forks': (random) => randomStory(random, 150),
  'with forks, whose rows tell less': (random) => randomStory(random, 300, { isTerse }),
};
