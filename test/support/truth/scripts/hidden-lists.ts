import type { ScriptedProcess } from '../scripted-process.js';
import { QUIET, untilAllShown, type Script } from './script.js';

/** The posting process is unreachable now and then, and continues to post; the standby is reachable all the time. */
export const standby =
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

/** Two addresses of one process, of which one is unreachable now and then. */
export const twoWays: Script = async (stage) => {
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

/** Two lists behind one address. One leaves the rotation for a while, restarts meanwhile, and comes back or never does. */
export const balanced =
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

/**
 * Connections are balanced and bytes are forwarded unchanged: one list or the other, until a connection ends. One of the two
 * processes restarts now and then: two that were empty at once could not be distinguished.
 */
export const byConnection: Script = async (stage) => {
  const both = ['p', 'q'].map((name) => stage.process(name).start().post(1).postEvery(1_500));
  const mortal = both[1] as ScriptedProcess;
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
      if (stage.random() < 0.5) await address.dropConnections();
      if (stage.random() < 0.5) continue;
      mortal.die();
      await address.dropConnections(mortal);
      await stage.rest(200, 2_000);
      mortal.start();
    }
  };
};

/** A balancer over a posting process and an empty one. */
export const flapping: Script = async (stage) => {
  const active = stage.process('active').start().post(3).postEvery(500);
  const empty = stage.process('standby').start();
  const { id } = await stage.proxy('a', {
    processes: [active, empty],
    pick: () => (stage.random() < 0.5 ? active : empty),
  });
  stage.mostHoles.set(id, 5);
  return QUIET;
};

/**
 * A cache in front repeats its last answer while the node restarts. If it sends no age, nothing happens for a few seconds before
 * and after its start. A node that receives two requests also sends an answer with the date of a moment ago.
 */
export const cached =
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
