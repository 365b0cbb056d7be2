import { QUIET, type Script } from './script.js';

/** A poster that is watched directly, and a follower beside it. */
export const steady: Script = async (stage) => {
  const process = stage.process('p').start().post(1).postEvery(400);
  const follower = stage.process('f', { isFollower: true, chainId: stage.id }).start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  stage.listless.add((await stage.address('b', { processes: [follower] })).id);
  return QUIET;
};

/** An aggregator that has nothing to post, watched directly. */
export const idle: Script = async (stage) => {
  stage.good.add((await stage.address('a', { processes: [stage.process('p').start()] })).id);
  return QUIET;
};

/** An idle one whose answers look as if a proxy had sent them, of which the settings say that none did. */
export const idleDeclared: Script = async (stage) => {
  const { id } = await stage.proxy('a', { processes: [stage.process('p').start()] });
  stage.direct.add(id);
  stage.good.add(id);
  return QUIET;
};

/** One that begins to post after a while, watched directly. */
export const waking: Script = async (stage) => {
  const process = stage.process('p').start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  return async () => {
    await stage.rest(7_000);
    process.postEvery(1_000);
  };
};

/** An idle one behind a proxy: nothing proves that it is one process, and that is one fact. */
export const idleBehindProxy: Script = async (stage) => {
  const { id } = await stage.proxy('a', { processes: [stage.process('p').start()] });
  stage.mostHoles.set(id, 1);
  return QUIET;
};

export const proxied: Script = async (stage) => {
  const process = stage.process('p').start().post(5).postEvery(700);
  stage.good.add((await stage.proxy('a', { processes: [process] })).id);
  return QUIET;
};

export const closing: Script = async (stage) => {
  const process = stage.process('p').start().post(2).postEvery(900);
  stage.good.add((await stage.address('a', { processes: [process], closes: true })).id);
  return QUIET;
};
