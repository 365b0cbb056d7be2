import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { startDaDevnode } from '../devnode/da/da-devnode.js';
import { DA_FAULTS } from '../devnode/da/da-faults.js';
import { DA_LEVELS } from '../devnode/da/da-tokens.js';
import { startExecutionDevnode } from '../devnode/execution/execution-devnode.js';
import { EXECUTION_FAULTS } from '../devnode/execution/execution-faults.js';
import { Decimal } from '../domain/cost/decimal.js';
import { reasonOf, UserError } from '../platform/errors.js';
import { durationOption } from './duration-option.js';
import { toCount, toPort } from './numbers.js';
import { runRig } from './run-rig.js';

interface DaFlags {
  host: string;
  port: number;
  consensusPort: number;
  controlPort: number;
  chain: string;
  blockTime: number;
  gasPrice: string;
  balance: bigint;
  maxBlobBytes?: number;
  tokens: boolean;
  seed?: string;
  truth?: string;
}

interface ExecutionFlags {
  host: string;
  port: number;
  enginePort: number;
  controlPort: number;
  chainId: number;
  jwtSecretFile?: string;
  seed?: string;
  truth?: string;
}

/** Defines `devnode da`. */
export function defineDa(command: Command): void {
  withCommonOptions(command)
    .description('run a DA node with accounts, its DA network and the consensus node behind it')
    .option('--port <port>', 'port of the JSON-RPC; 0 takes a free one', toPort, 26658)
    .option('--consensus-port <port>', "port of the consensus node's REST; 0 takes a free one", toPort, 1317)
    .option('--chain <name>', 'chain id of the DA network', 'devnode-da-1')
    .addOption(durationOption('--block-time', 'time between two DA blocks', '2s'))
    .option('--gas-price <utia>', 'price of gas on the DA network', toPrice, '0.004')
    .option('--balance <utia>', "balance of the node's account at the start, in utia", toUtia, 100_000_000n)
    .option('--max-blob-bytes <count>', 'size limit of a submission', toCount)
    .option('--tokens', 'print a token of each level', false)
    .addHelpText('after', () =>
      describeControl(DA_FAULTS, [
        '{"fault":"consensus-hang","delayMs":2000,"forMs":60000}',
        '{"drain":{"leave":1500}}',
        '{"fund":{"amount":1000000}}',
      ]),
    )
    .action(runDa);
}

/** Defines `devnode execution`. */
export function defineExecution(command: Command): void {
  withCommonOptions(command)
    .description('run an execution layer, on which devnodes execute with --execution')
    .option('--port <port>', 'port of the public API; 0 takes a free one', toPort, 8545)
    .option('--engine-port <port>', 'port of the Engine API; 0 takes a free one', toPort, 8551)
    .option('--chain-id <number>', 'chain id', toCount, 1234)
    .option('--jwt-secret-file <file>', 'file with the secret of the Engine API, 32 bytes in hex')
    .addHelpText('after', () =>
      describeControl(EXECUTION_FAULTS, ['{"fault":"behind","blocks":50,"forMs":60000}', '{"rollBack":50}']),
    )
    .action(runExecution);
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--control-port <port>',
      'port that takes faults even while the others are closed; 0 takes a free one',
      toPort,
      0,
    )
    .option('--seed <text>', 'seed of keys and hashes (default: devnode)')
    .option('--truth <file>', 'write everything that really happens to this file, one JSON object per line');
}

function describeControl(faults: Readonly<Record<string, string>>, examples: readonly string[]): string {
  const lines = Object.entries(faults).map(([name, what]) => `  ${name.padEnd(16)}${what}`);
  const curl = (body: string): string =>
    `  curl -H 'content-type: application/json' -d '${body}' http://127.0.0.1:PORT/dev/fault`;
  return `
Faults, by POST /dev/fault on any of its ports (on a loopback address only):
${lines.join('\n')}

${examples.map(curl).join('\n')}
  curl http://127.0.0.1:PORT/dev/truth`;
}

async function runDa(flags: DaFlags): Promise<void> {
  const { chain: chainId, blockTime: blockTimeMs, balance: balanceUtia, truth, ...rest } = flags;
  await runRig(
    () => startDaDevnode({ ...rest, chainId, blockTimeMs, balanceUtia, truthFile: truth }),
    (node) =>
      [
        `DA node ${chainId} is ready at ${node.url} (consensus node at ${node.consensusUrl}, faults at ${node.controlUrl})`,
        `Account ${node.address}`,
        ...(flags.tokens ? DA_LEVELS.map((level) => `Token ${level} ${node.tokens[level]}`) : []),
      ].join('\n'),
  );
}

async function runExecution(flags: ExecutionFlags): Promise<void> {
  const { jwtSecretFile, truth, ...rest } = flags;
  const jwtSecret = jwtSecretFile === undefined ? undefined : readSecret(jwtSecretFile);
  await runRig(
    () => startExecutionDevnode({ ...rest, jwtSecret, truthFile: truth }),
    (node) =>
      `Execution layer is ready at ${node.url} (Engine API at ${node.engineUrl}, faults at ${node.controlUrl})`,
  );
}

function readSecret(file: string): string {
  const remedy = 'Give a file with 64 digits of hex, as geth writes jwtsecret.';
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${reasonOf(error)}.`, remedy, 2, { cause: error });
  }
  if (!/^(?:0x)?[0-9a-f]{64}$/i.test(text))
    throw new UserError(`${file} has no secret of 32 bytes.`, remedy, 2);
  return text;
}

function toUtia(text: string): bigint {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number of utia, like 1000000.');
  return BigInt(text);
}

function toPrice(text: string): string {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text) || !Decimal.parse(text))
    throw new InvalidArgumentError('It must be a price in utia per gas, like 0.004.');
  return text;
}
