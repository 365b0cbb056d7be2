import { join } from 'node:path';
import type { Command } from 'commander';
import { SystemClock } from '../platform/clock.js';
import { createLogger } from '../platform/logger.js';
import { chainValue } from '../settings/chain.js';
import { nodeValue } from '../settings/node.js';
import type { Settings } from '../settings/settings.js';
import { demoGuide } from './demo-guide.js';
import { bringInSample, DEMO_DATA_DIR } from './demo-record.js';
import { YEAR_CHAIN } from './demo-year.js';
import { DEMO_CHAINS, startDemoNodes, type DemoNodes } from './demo-nodes.js';
import { toPort } from './numbers.js';
import { painter } from '../platform/paint.js';
import { serve } from './serve.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';

const DATA_DIR_VARIABLE = 'HINDSIGHT_DATA_DIR';

interface DemoOptions extends SettingOptions {
  readonly nodePort?: number;
}

/** `hindsight demo`: three nodes of our own, the service that monitors them, and a synthetic year. */
export function define(command: Command): void {
  command.option(
    '--node-port <port>',
    'port of the first of the three nodes; the other nodes and the status queries use ports up to 21 above it. 0 takes free ports (default: 17331, or free ports)',
    toPort,
  );
  command.option(
    '--data-dir <DIR>',
    `folder of the demo's record, separate from your nodes' record (${DATA_DIR_VARIABLE}; default: ${DEMO_DATA_DIR})`,
  );
  addSettingOptions(command, ['host', 'port', 'databaseUrl', 'logLevel']).action(run);
}

async function run({ nodePort, ...options }: DemoOptions): Promise<void> {
  // A screen full of log lines would hide the demo's text.
  const logLevel = process.env['HINDSIGHT_LOG_LEVEL'] || 'warn';
  const settings = readDemoSettings({ logLevel, ...options });
  let nodes: DemoNodes | undefined;
  try {
    await serve({
      settings,
      logger: createLogger(settings.logLevel),
      sampleChain: YEAR_CHAIN,
      // From here on the data directory is ours, so that two demos cannot write to the same chains.
      prepare: async (_, databaseUrl) => {
        const now = new SystemClock().now();
        await bringInSample(settings, databaseUrl, now);
        nodes = await startDemoNodes(join(settings.dataDir, 'devnodes'), now, nodePort);
        const { daNode } = nodes;
        // The nodes of the demo replace the nodes of the settings.
        return {
          ...settings,
          nodes: nodes.list.map(({ id, node }) =>
            nodeValue.parse({
              id,
              rpc: node.url,
              status: node.statusUrl,
              ...(id === 'alpha' && { daNode }),
            }),
          ),
          // Celestia's default minimum gas price, so that the report has a price.
          chains: DEMO_CHAINS.map((id) =>
            chainValue.parse({ id, da: { layer: 'celestia', gasPrice: '0.004' } }),
          ),
        };
      },
      onReady: (url) => {
        process.stdout.write(demoGuide({ serviceUrl: url, nodes: nodes?.list ?? [], paint: painter() }));
        process.stdout.write(`Hindsight is ready at ${url}\n`);
      },
    });
  } finally {
    await nodes?.close();
  }
}

/** A settings file is about real nodes: the demo uses neither its folder nor its database. */
function readDemoSettings(options: SettingOptions): Settings {
  const dataDir = options.dataDir ?? (process.env[DATA_DIR_VARIABLE] || DEMO_DATA_DIR);
  const settings = readSettings({ ...options, dataDir });
  const databaseUrl =
    options.databaseUrl ?? (process.env['DATABASE_URL'] || process.env['DATABASE_URL_FILE'] || undefined);
  return databaseUrl === undefined
    ? { ...settings, databaseUrl: undefined, databaseReadUrl: undefined }
    : settings;
}
