import { Option, type Command } from 'commander';
import type { DevnodeOptions } from '../devnode/devnode-options.js';
import { startDevnode } from '../devnode/devnode.js';
import { FAULTS, refusalOf } from '../devnode/faults.js';
import { SCENARIOS } from '../devnode/scenario.js';
import { UserError } from '../platform/errors.js';
import { defineDa, defineExecution } from './devnode-processes.js';
import { durationOption } from './duration-option.js';
import { toCount, toPort } from './numbers.js';
import { requireUrl } from './require-url.js';
import { runRig } from './run-rig.js';
import { readScenario } from './scenario-file.js';

interface DevnodeFlags {
  chain: string;
  host: string;
  port: number;
  statusPort: number;
  blockTime: number;
  daBlockTime: number;
  txs: number;
  follow?: string;
  da?: string;
  daToken?: string;
  daFeeGranter?: string;
  execution?: string;
  scenario: string;
  truth?: string;
  daMonitoring: 'on' | 'disabled' | 'absent';
  shape: 'connect' | 'specification';
  ringSize: number;
  retainBlocks?: number;
  freezeAfterKill: boolean;
  seed?: string;
  dataDir?: string;
}

export function define(command: Command): void {
  command
    .description('run a small rollup node with its own DA layer, to try Hindsight or to test against')
    .option('--chain <name>', 'chain id', 'devnode-1')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port of the RPC server; 0 takes a free one', toPort, 7331)
    .option('--status-port <port>', 'port of the status query; 0 takes a free one', toPort, 26657)
    .addOption(durationOption('--block-time', 'time between two blocks', '1s'))
    .addOption(durationOption('--da-block-time', 'time between two blocks of the DA layer', '2s'))
    .option('--txs <count>', 'transactions per block, on average', toCount, 4)
    .option('--follow <url>', 'follow the devnode at this address instead of making blocks')
    .option('--da <url>', 'post to this DA node (devnode da) instead of a DA layer of its own')
    .option('--da-token <token>', 'token of the DA node that may write')
    .option('--da-fee-granter <address>', "account that pays the fees instead of the DA node's own")
    .option('--execution <url>', 'execute blocks on this execution layer (devnode execution)')
    .option('--scenario <file>', 'what goes wrong and when: steady, flaky, or a YAML file', 'steady')
    .option('--truth <file>', 'write everything that really happens to this file, one JSON object per line')
    .addOption(
      new Option('--da-monitoring <state>', 'whether /da answers')
        .choices(['on', 'disabled', 'absent'])
        .default('on'),
    )
    .addOption(
      new Option('--shape <shape>', 'how blocks are encoded')
        .choices(['connect', 'specification'])
        .default('connect'),
    )
    .option('--ring-size <count>', 'number of submissions that the list keeps', toCount, 100)
    .option('--retain-blocks <count>', 'show only this many of the newest blocks', toCount)
    .option('--freeze-after-kill', 'stop including blocks after a kill, as a real node does', false)
    .option(
      '--seed <text>',
      'seed of keys, transactions and moments of a scenario (default: the seed of the scenario, or devnode)',
    )
    .option(
      '--data-dir <directory>',
      'folder of the chain; default: temporary files that are removed with the process',
    )
    .addHelpText('after', () => describeFaults())
    // Otherwise this command would take the options of those below it.
    .enablePositionalOptions()
    .helpCommand(false)
    .action(run);
  defineDa(command.command('da'));
  defineExecution(command.command('execution'));
}

function describeFaults(): string {
  const faults = Object.entries(FAULTS).map(([name, what]) => `  ${name.padEnd(11)}${what}`);
  return `
Faults of a scenario, and of POST /dev/fault (on a loopback address only):
${faults.join('\n')}

  curl -H 'content-type: application/json' -d '{"fault":"funds","forMs":60000}' http://127.0.0.1:7331/dev/fault
  curl http://127.0.0.1:7331/dev/truth`;
}

async function run(flags: DevnodeFlags): Promise<void> {
  const options = toOptions(flags);
  const { stoppedItself } = await runRig(
    () => startDevnode(options),
    (node) => `Devnode ${flags.chain} is ready at ${node.url} (status query at ${node.statusUrl}/status)`,
  );
  if (stoppedItself === undefined) return;
  const remedy = `Compare the execution layer at ${flags.execution} with this chain, and start the node again.`;
  throw new UserError(`The node stopped itself: ${stoppedItself}.`, remedy, 1);
}

function toOptions(flags: DevnodeFlags): DevnodeOptions {
  const named = Object.entries(SCENARIOS).find(([name]) => name === flags.scenario)?.[1];
  const { scenario, seed } = named ? { scenario: named } : readScenario(flags.scenario);
  for (const { fault } of scenario.steps) {
    const refusal = refusalOf(fault, flags.follow !== undefined);
    if (refusal !== undefined) throw new UserError(refusal, 'Remove these steps from the scenario.', 2);
  }
  for (const url of [flags.da, flags.execution]) if (url !== undefined) requireUrl(url);
  return {
    chainId: flags.chain,
    host: flags.host,
    port: flags.port,
    statusPort: flags.statusPort,
    blockTimeMs: flags.blockTime,
    daBlockTimeMs: flags.daBlockTime,
    txsPerBlock: flags.txs,
    scenario,
    truthFile: flags.truth,
    daMonitoring: flags.daMonitoring,
    shape: flags.shape,
    ringSize: flags.ringSize,
    freezeAfterKill: flags.freezeAfterKill,
    seed: flags.seed ?? seed,
    follow: flags.follow?.replace(/\/+$/, ''),
    retainBlocks: flags.retainBlocks,
    daUrl: flags.da,
    daToken: flags.daToken,
    daFeeGranter: flags.daFeeGranter,
    execution: flags.execution,
    dataDirectory: flags.dataDir,
  };
}
