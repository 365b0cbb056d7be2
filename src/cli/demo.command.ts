import { join } from 'node:path';
import type { Command } from 'commander';
import { createLogger } from '../platform/logger.js';
import { nodeArgument, type WatchedChain, type WatchedNode } from '../platform/settings-lists.js';
import { demoGuide } from './demo-guide.js';
import { DEMO_CHAINS, startDemoNodes, type DemoNode, type DemoNodes } from './demo-nodes.js';
import { painter } from './paint.js';
import { serve } from './serve.js';
import { addSettingOptions, readSettings, type SettingOptions } from './setting-options.js';

/** `hindsight demo`: three nodes of our own and the service that watches them, in one process. */
export function define(command: Command): void {
  addSettingOptions(command, ['host', 'port', 'dataDir', 'databaseUrl', 'logLevel']).action(run);
}

async function run(options: SettingOptions): Promise<void> {
  // A screen full of log lines would hide what the demo has to say.
  const logLevel = process.env['HINDSIGHT_LOG_LEVEL'] || 'warn';
  const settings = readSettings({ logLevel, ...options });
  let nodes: DemoNodes | undefined;
  try {
    await serve({
      settings,
      logger: createLogger(settings.logLevel),
      // Only then is the data directory ours, so that two demos cannot write to the same chains.
      prepare: async () => {
        nodes = await startDemoNodes(join(settings.dataDir, 'devnodes'));
        // The nodes of the demo take the place of any that the settings name.
        return { ...settings, nodes: nodes.list.map(toWatchedNode), chains: DEMO_CHAINS.map(toWatchedChain) };
      },
      onReady: (url) => {
        process.stdout.write(demoGuide(url, nodes?.list ?? [], painter()));
        process.stdout.write(`Hindsight is ready at ${url}\n`);
      },
    });
  } finally {
    await nodes?.close();
  }
}

function toWatchedNode({ id, node }: DemoNode): WatchedNode {
  return { ...nodeArgument.parse(`${id}=${node.url}`), statusUrl: node.statusUrl };
}

/** Celestia's default least gas price, so that the report has something to reckon with. */
function toWatchedChain(id: string): WatchedChain {
  return { id, reportingTimeZone: 'UTC', da: { layer: 'celestia', gasPrice: '0.004' }, thresholds: {} };
}
