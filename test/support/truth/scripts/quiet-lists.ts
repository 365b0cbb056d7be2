import { QUIET, type Script } from './script.js';

/** A posting process that is monitored directly, and a follower. */
export const steady: Script = async (stage) => {
  const process = stage.process('p').start().post(1).postEvery(400);
  const follower = stage.process('f', { isFollower: true, chainId: stage.id }).start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  stage.listless.add((await stage.address('b', { processes: [follower] })).id);
  return QUIET;
};

/** An aggregator with nothing to post, monitored directly. */
export const idle: Script = async (stage) => {
  stage.good.add((await stage.address('a', { processes: [stage.process('p').start()] })).id);
  return QUIET;
};

/** An idle process whose answers look proxied, although the settings say that there is no proxy. */
export const idleDeclared: Script = async (stage) => {
  const { id } = await stage.proxy('a', { processes: [stage.process('p').start()] });
  stage.direct.add(id);
  stage.good.add(id);
  return QUIET;
};

/** A process that starts to post after a while, monitored directly. */
export const waking: Script = async (stage) => {
  const process = stage.process('p').start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  return async () => {
    await stage.rest(7_000);
    process.postEvery(1_000);
  };
};

/** An idle process behind a proxy: nothing proves that it is one process, which counts as one gap. */
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
