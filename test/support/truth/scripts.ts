import type { ScriptedAddress } from './scripted-address.js';
import type { ScriptedProcess } from './scripted-process.js';
import type { Stage } from './stage.js';

/**
 * A list, or a few of one chain, and what becomes of them. It sets up the stage, and gives what happens then: that goes on
 * until the stage is over, and leaves whatever can answer answering.
 */
export type Script = (stage: Stage) => Promise<() => Promise<void>>;

/** Nothing happens but what processes do by themselves. */
const QUIET = async (): Promise<void> => undefined;

/** Killed: its port is closed, and its connections are. */
async function kill(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.die();
  await address.close();
}

async function revive(process: ScriptedProcess, address: ScriptedAddress): Promise<void> {
  process.start();
  await address.listen();
}

/** Lists that were never shown are none that anybody can know of: waits until each was shown twice. */
async function untilAllShown(
  stage: Stage,
  { front, looks }: ScriptedAddress,
  between?: () => void,
): Promise<void> {
  const isShown = (process: ScriptedProcess): boolean => looks.filter(({ of }) => of === process).length > 1;
  while (!stage.isOver && !front.processes.every(isShown)) {
    between?.();
    await stage.rest(700);
  }
}

/** A poster that is watched directly, and a follower beside it. */
const steady: Script = async (stage) => {
  const process = stage.process('p').start().post(1).postEvery(400);
  const follower = stage.process('f', { isFollower: true, chainId: stage.id }).start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  stage.listless.add((await stage.address('b', { processes: [follower] })).id);
  return QUIET;
};

/** An aggregator that has nothing to post, watched directly. */
const idle: Script = async (stage) => {
  stage.good.add((await stage.address('a', { processes: [stage.process('p').start()] })).id);
  return QUIET;
};

/** One that begins to post after a while, watched directly. */
const waking: Script = async (stage) => {
  const process = stage.process('p').start();
  stage.good.add((await stage.address('a', { processes: [process] })).id);
  return async () => {
    await stage.rest(7_000);
    process.postEvery(1_000);
  };
};

/** An idle one behind a proxy: nothing proves that it is one process, and that is one fact. */
const idleBehindProxy: Script = async (stage) => {
  const { id } = await stage.proxy('a', { processes: [stage.process('p').start()] });
  stage.mostHoles.set(id, 1);
  return QUIET;
};

const proxied: Script = async (stage) => {
  const process = stage.process('p').start().post(5).postEvery(700);
  stage.good.add((await stage.proxy('a', { processes: [process] })).id);
  return QUIET;
};

const closing: Script = async (stage) => {
  const process = stage.process('p').start().post(2).postEvery(900);
  stage.good.add((await stage.address('a', { processes: [process], closes: true })).id);
  return QUIET;
};

/** The one that posts is out of reach now and then, and posts on; the other one is seen all the time. */
const standby =
  (oldRows: number): Script =>
  async (stage) => {
    const active = stage.process('active').start().post(3).postEvery(300);
    const other = stage.process('standby').start().post(oldRows);
    const address = await stage.address('a', { processes: [active] });
    await stage.address('b', { processes: [other] });
    return async () => {
      while (!stage.isOver) {
        await stage.rest(3_000, 6_000);
        await address.close();
        await stage.rest(3_000, 7_000);
        if (stage.random() < 0.4) active.post(120);
        else if (stage.random() < 0.7) {
          active.die();
          await stage.rest(300, 1_000);
          active.start();
        }
        await address.listen();
      }
    };
  };

/** Two lists behind one address. One is out of rotation for a while, starts again meanwhile, and comes back or never does. */
const balanced =
  (returns: boolean): Script =>
  async (stage) => {
    const both = ['p', 'q'].map((name) => stage.process(name).start().post(2).postEvery(600));
    const [first, second] = both as [ScriptedProcess, ScriptedProcess];
    let isOut = false;
    let turn = 0;
    const address = await stage.proxy('a', {
      processes: both,
      pick: (path) => {
        if (path === '/da/submissions') turn += 1;
        return isOut || turn % 2 === 0 ? first : second;
      },
    });
    return async () => {
      await untilAllShown(stage, address);
      while (!stage.isOver) {
        isOut = true;
        await stage.rest(2_000, 5_000);
        second.die();
        await stage.rest(200, 1_500);
        second.start();
        await stage.rest(500, 3_000);
        isOut = !returns;
        await stage.rest(3_000, 6_000);
      }
    };
  };

/** Connections are balanced, and bytes passed on as they are: one list, or the other, until a connection ends. */
const byConnection: Script = async (stage) => {
  const both = ['p', 'q'].map((name) => stage.process(name).start().post(1).postEvery(1_500));
  const address = await stage.address('a', {
    processes: both,
    byConnection: true,
    pick: () => {
      const living = both.filter(({ isAlive }) => isAlive);
      return living[stage.draw(0, living.length - 1)];
    },
  });
  return async () => {
    await untilAllShown(stage, address, () => address.dropConnections());
    while (!stage.isOver) {
      await stage.rest(1_000, 4_000);
      if (stage.random() < 0.5) address.dropConnections();
      const process = both[stage.draw(0, 1)];
      if (!process || stage.random() < 0.5) continue;
      process.die();
      address.dropConnections(process);
      await stage.rest(200, 2_000);
      process.start();
    }
  };
};

/** A process that posts two failures, and dies of them, again and again. */
const crashing: Script = async (stage) => {
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

/** The same behind a proxy, which refuses nothing. */
const crashingBehindProxy: Script = async (stage) => {
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

/** Restarts of a list that holds rows, now and then with a long outage. */
const restarting: Script = async (stage) => {
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

/** Out of reach for long, and restarted meanwhile; it posts all the time. */
const cutOff: Script = async (stage) => {
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
 * A list of 20 that is empty and then gets 50 rows at once. No real node keeps so few, and this one does not show itself as
 * one: it has no service for blocks.
 */
const small: Script = async (stage) => {
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

/**
 * A cache in front goes on with its last answer while the node starts again. Where it tells no age, nothing happens for a few
 * seconds before and after it begins: an answer with the date of a moment ago is what a node sends that is asked twice.
 */
const cached =
  (tellsAge: boolean): Script =>
  async (stage) => {
    const process = stage.process('p').start().post(3).postEvery(800);
    const address = await stage.proxy('a', { processes: [process] });
    return async () => {
      while (!stage.isOver) {
        await stage.rest(3_000, 5_000);
        process.postEvery(undefined);
        await stage.rest(tellsAge ? 0 : 3_000);
        address.freeze(tellsAge);
        await stage.rest(tellsAge ? 0 : 3_500, 4_500);
        process.post(stage.draw(1, 6));
        await stage.rest(200, 1_500);
        process.die();
        await stage.rest(200, 600);
        process.start().post(stage.draw(0, 3));
        await stage.rest(200, 1_000);
        address.thaw();
        process.postEvery(800);
      }
    };
  };

/** More rows between two looks than a list holds. */
const overflowing: Script = async (stage) => {
  const process = stage.process('p').start().postEvery(1_000);
  await stage.address('a', { processes: [process] });
  return async () => {
    while (!stage.isOver) {
      await stage.rest(2_000, 5_000);
      process.post(stage.draw(60, 260));
    }
  };
};

/** A balancer over one that posts and one that has nothing. */
const flapping: Script = async (stage) => {
  const active = stage.process('active').start().post(3).postEvery(500);
  const empty = stage.process('standby').start();
  const { id } = await stage.proxy('a', {
    processes: [active, empty],
    pick: () => (stage.random() < 0.5 ? active : empty),
  });
  stage.mostHoles.set(id, 5);
  return QUIET;
};

/** Attempts that are alike in all their fields, between others; and restarts. */
const alike: Script = async (stage) => {
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

/** Two addresses of one process, one of which is out of reach now and then. */
const twoWays: Script = async (stage) => {
  const process = stage.process('p').start().post(6).postEvery(400);
  const [address] = await Promise.all(
    ['a', 'b'].map((name) => stage.address(name, { processes: [process] })),
  );
  return async () => {
    while (!stage.isOver) {
      await stage.rest(2_000, 5_000);
      await address?.close();
      if (stage.random() < 0.4) process.post(110);
      await stage.rest(1_000, 5_000);
      await address?.listen();
    }
  };
};

/** All of them, by name. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  steady,
  idle,
  waking,
  'idle-proxied': idleBehindProxy,
  proxied,
  closing,
  'standby-old': standby(20),
  'standby-empty': standby(0),
  'out-and-back': balanced(true),
  'out-for-good': balanced(false),
  'by-connection': byConnection,
  crashing,
  'crashing-too': crashing,
  'crashing-proxied': crashingBehindProxy,
  restarting,
  'cut-off': cutOff,
  small,
  cached: cached(true),
  'cached-ageless': cached(false),
  overflowing,
  flapping,
  alike,
  'two-ways': twoWays,
};
