import { balanced, damaged, heights, impostor } from './hostile-kinds/chains.js';
import type { Circumstances, Hostile } from './hostile-kinds/hostile.js';
import { dead, endless, huge, odd, packed, stale } from './hostile-kinds/lists.js';
import { seededRandom } from './seeded-random.js';

/** Starters of hostile nodes, by kind. */
const KINDS: Readonly<Record<string, (around: Circumstances) => Promise<Hostile>>> = {
  packed,
  endless,
  huge,
  odd,
  heights,
  stale,
  impostor,
  balanced,
  damaged,
  dead,
};

/** Starts one hostile node of each kind; `seed` decides their random behaviour. */
export async function startHostileCrowd(chain: string, seed: number): Promise<ReadonlyMap<string, Hostile>> {
  const crowd = new Map<string, Hostile>();
  for (const [index, [kind, start]] of Object.entries(KINDS).entries()) {
    crowd.set(kind, await start({ chain, random: seededRandom(seed + index) }));
  }
  return crowd;
}
