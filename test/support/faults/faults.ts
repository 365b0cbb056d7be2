import { setTimeout as sleep } from 'node:timers/promises';
import type { DaFault } from '../../../src/devnode/da/da-faults.js';
import { command, RICH_UTIA, type FaultWorld, type ScriptedFault } from './scripted-fault.js';

const daFault =
  (fault: DaFault) =>
  ({ da }: FaultWorld): Promise<void> =>
    command(da.controlUrl, fault);
const drained =
  (name?: string) =>
  ({ da }: FaultWorld): Promise<void> =>
    command(da.controlUrl, {
      drain: { leave: 0, ...(name !== undefined && { account: da.addressOf(name) }) },
    });

const UNREACHABLE = {
  component: 'DA_NODE',
  rule: 'da-node-unreachable',
  failing: { code: 'DA_CONNECTION_LOST', remedy: /begin with the DA node/ },
  waitsMs: 0,
} as const;
const EMPTY = {
  component: 'DA_NODE',
  rule: 'funds-low',
  reason: /lasts 0 s: 0\.000 TIA/,
  failing: { code: 'OUT_OF_FUNDS', remedy: /Fund the DA account/ },
  // The consensus node shows a balance one block later, and it is read with every third poll.
  waitsMs: 10_000,
} as const;
const ROLLUP_REFUSED = {
  component: 'DA',
  rule: /^fail/,
  failing: {
    code: 'DA_UNAUTHORIZED',
    remedy: /only the token of the rollup node is refused.*--evnode\.da\.auth_token/,
  },
  waitsMs: 5_000,
} as const;
const HINDSIGHT_REFUSED = {
  component: 'DA_NODE',
  rule: 'da-token-refused',
  severity: 'WARNING',
  waitsMs: 0,
} as const;
const BEHIND = { component: 'DA_NODE', rule: 'da-node-behind', waitsMs: 6_000 } as const;
const SLOWLY_UTIA = 20_000_000;
const TRANSFERS = 60;

/** Faults of the systems behind a rollup node, and what is wrong with each. */
export const FAULTS: readonly ScriptedFault[] = [
  {
    id: 'stopped',
    fault: 'the DA node is stopped',
    begin: daFault({ fault: 'stopped' }),
    expected: UNREACHABLE,
  },
  {
    id: 'hung',
    fault: 'the DA node does not answer',
    begin: daFault({ fault: 'hang' }),
    expected: {
      ...UNREACHABLE,
      failing: { code: 'TIMED_OUT', remedy: /begin with the DA node/ },
      // Two polls wait for 4 s each.
      waitsMs: 8_000,
    },
  },
  {
    id: 'wrong',
    fault: "the rollup node's token is wrong",
    begin: daFault({ fault: 'token-refused', only: 'write' }),
    expected: ROLLUP_REFUSED,
  },
  {
    id: 'expired',
    fault: "the rollup node's token expires",
    rollup: async (da, atMs) => ({ daToken: await da.token('write', new Date(atMs).toISOString()) }),
    expected: ROLLUP_REFUSED,
  },
  {
    id: 'weak',
    fault: "the rollup node's token lacks the permission to write",
    begin: daFault({ fault: 'token-weak', level: 'read', only: 'write' }),
    expected: ROLLUP_REFUSED,
  },
  {
    id: 'own-wrong',
    fault: "Hindsight's token is wrong",
    begin: daFault({ fault: 'token-refused', only: 'read' }),
    expected: HINDSIGHT_REFUSED,
  },
  {
    id: 'own-weak',
    fault: "Hindsight's token lacks the permission to read",
    begin: daFault({ fault: 'token-weak', level: 'public', only: 'read' }),
    expected: HINDSIGHT_REFUSED,
  },
  {
    id: 'halted',
    fault: 'the DA chain is halted',
    begin: daFault({ fault: 'halt' }),
    expected: {
      ...BEHIND,
      reason: /The DA chain is halted, or this DA node is cut off/,
      failing: { code: 'TIMED_OUT', remedy: /head of the DA node is old/ },
    },
  },
  {
    id: 'cut-off',
    fault: 'the DA node is cut off, and the DA chain goes on',
    begin: daFault({ fault: 'cut-off' }),
    expected: { ...BEHIND, reason: /cut off from the DA chain, where a submission landed at \d+\.$/ },
  },
  {
    id: 'slowly',
    fault: 'the account is emptied slowly',
    da: { balanceUtia: 10_000_000_000n },
    begin: async ({ da }) => {
      const transfer = { to: da.addressOf('elsewhere'), amount: SLOWLY_UTIA };
      for (let made = 0; made < TRANSFERS; made += 1) {
        await command(da.controlUrl, { transfer });
        await sleep(1_000);
      }
    },
    expected: {
      component: 'DA_NODE',
      rule: 'funds-low',
      reason: /by the spending of the last hour, day and week/,
      waitsMs: null,
    },
  },
  { id: 'drained', fault: 'the account is emptied at once', begin: drained(), expected: EMPTY },
  {
    id: 'granter',
    fault: "the fee granter's account is emptied",
    rollup: async (da) => {
      const granter = da.addressOf('granter');
      await da.send({ fund: { account: granter, amount: RICH_UTIA } });
      return { daFeeGranter: granter };
    },
    accounts: ['granter'],
    begin: drained('granter'),
    expected: EMPTY,
  },
  {
    id: 'shared',
    fault: 'an account that pays for two rollups is emptied',
    begin: drained(),
    expected: EMPTY,
  },
  { id: 'sharing', fault: 'that account is of this rollup, too', sharesDaOf: 'shared', expected: EMPTY },
  {
    id: 'too-big',
    fault: 'a blob is too big',
    begin: ({ da }) => command(da.controlUrl, { maxBlobBytes: 1 }),
    expected: {
      component: 'DA',
      rule: /^fail/,
      failing: { code: 'TOO_BIG', remedy: /lower the size of blocks/ },
      waitsMs: 5_000,
    },
  },
  {
    id: 'alone',
    fault: 'only the rollup node is cut off from the DA node',
    begin: ({ node }) => command(node.url, { fault: 'refused' }),
    expected: {
      component: 'DA',
      rule: /^fail/,
      failing: { code: 'DA_UNREACHABLE', remedy: /The DA node answers Hindsight and is in step/ },
      waitsMs: 5_000,
    },
  },
  {
    id: 'el-stopped',
    fault: 'the execution layer is stopped',
    begin: ({ layer }) => command(layer.controlUrl, { fault: 'stopped' }),
    expected: { component: 'EXECUTION', rule: 'execution-unreachable', waitsMs: 0 },
  },
  {
    id: 'el-behind',
    fault: 'the execution layer loses 50 blocks',
    begin: ({ layer }) => command(layer.controlUrl, { rollBack: 50 }),
    expected: { component: 'EXECUTION', rule: 'execution-behind', reason: /blocks behind/, waitsMs: 0 },
  },
  {
    id: 'el-differs',
    fault: 'the execution layer has other states from a height on',
    begin: ({ layer }) => command(layer.controlUrl, { fault: 'differs', height: 20 }),
    expected: { component: 'EXECUTION', rule: 'execution-differs', reason: /first at 20:/, waitsMs: 0 },
  },
];
