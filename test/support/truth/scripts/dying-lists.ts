import { kill, revive, type Script } from './script.js';

/** A process that repeatedly posts two failures and dies of them. */
export const crashing: Script = async (stage) => {
  const process = stage.process('p').start();
  const address = await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(0, stage.random() < 0.2 ? 4_000 : 900);
      process.post(2, { failed: true });
      await stage.rest(20, 500);
      await kill(process, address);
      await stage.rest(200, 700);
      await revive(process, address);
    }
  };
};

/** The same process behind a proxy, which refuses nothing. */
export const crashingBehindProxy: Script = async (stage) => {
  const process = stage.process('p').start();
  await stage.proxy('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(0, stage.random() < 0.2 ? 4_000 : 900);
      process.post(2, { failed: true });
      await stage.rest(20, 500);
      process.die();
      await stage.rest(200, 700);
      process.start();
    }
  };
};

/** Restarts of a list with rows, now and then with a long outage. */
export const restarting: Script = async (stage) => {
  const process = stage.process('p').start().post(10).postEvery(500);
  const address = await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(1_500, 5_000);
      await kill(process, address);
      await stage.rest(200, stage.random() < 0.3 ? 5_000 : 1_000);
      await revive(process, address);
    }
  };
};

/** A process that is unreachable for long and restarts meanwhile; it posts all the time. */
export const cutOff: Script = async (stage) => {
  const process = stage.process('p').start().post(4).postEvery(500);
  const address = await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(2_000, 4_000);
      await address.close();
      await stage.rest(1_000, 4_000);
      process.die();
      await stage.rest(100, 1_000);
      process.start();
      await stage.rest(1_000, 4_000);
      await address.listen();
    }
  };
};

/**
 * A list of 20 that is empty and then gets 50 rows at once. Real nodes keep more rows; this one is recognisable as not real,
 * because it has no service for blocks.
 */
export const small: Script = async (stage) => {
  const process = stage.process('p', { ringSize: 20 }).start();
  const address = await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(3_000, 5_000);
      process.post(50);
      await stage.rest(2_000, 4_000);
      await kill(process, address);
      await stage.rest(1_000, 2_000);
      await revive(process, address);
    }
  };
};

/** More rows between two polls than a list holds. */
export const overflowing: Script = async (stage) => {
  const process = stage.process('p').start().postEvery(1_000);
  await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(2_000, 5_000);
      process.post(stage.draw(60, 260));
    }
  };
};

/** Attempts that are equal in all fields, between others; and restarts. */
export const alike: Script = async (stage) => {
  const process = stage.process('p').start();
  const address = await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      for (let times = stage.draw(1, 6); times > 0; times -= 1) {
        process.post(stage.draw(0, 5), { alike: true });
        await stage.rest(100, 1_500);
        if (stage.random() < 0.5) process.post(1);
      }
      if (stage.random() < 0.5) continue;
      await kill(process, address);
      await stage.rest(1_100, 2_500);
      await revive(process, address);
    }
  };
};
