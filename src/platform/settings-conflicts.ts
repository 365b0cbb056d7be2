import type { SettingFault } from './settings-faults.js';
import type { WatchedNode } from './settings-lists.js';
import type { Role } from './settings-table.js';

/** What is compared. A setting that is not fine by itself may be undefined. */
interface Compared {
  readonly nodes: readonly WatchedNode[];
  readonly chains: readonly { readonly id: string }[];
  readonly poll: { readonly floorMs: number; readonly ceilingMs: number };
  readonly role: Role | undefined;
  readonly databaseUrl: string | undefined;
  readonly databaseReadUrl: string | undefined;
}

/** What is wrong between settings that are each fine. */
export function findConflicts(settings: Compared): SettingFault[] {
  const faults = [...findRepeatedNodes(settings.nodes)];
  const chains = settings.chains.map((chain) => chain.id);
  for (const id of new Set(chains.filter((chain, index) => chains.indexOf(chain) !== index))) {
    faults.push({ name: 'chains', problem: `name the chain "${id}" more than once` });
  }
  if (settings.poll.floorMs > settings.poll.ceilingMs) {
    faults.push({ name: 'poll.floor', problem: 'must not be longer than poll.ceiling' });
  }
  if (settings.poll.floorMs < 10) faults.push({ name: 'poll.floor', problem: 'must be at least 10ms' });
  if (settings.role !== 'all' && settings.role !== undefined && settings.databaseUrl === undefined) {
    faults.push({
      name: 'role',
      problem: 'needs a DATABASE_URL, as the embedded database serves one process',
    });
  }
  if (settings.databaseReadUrl !== undefined && settings.databaseUrl === undefined) {
    faults.push({
      name: 'databaseReadUrl',
      problem: 'needs a DATABASE_URL, as the embedded database has no replica',
    });
  }
  return faults;
}

/** A process that observes needs something to observe. */
export function findMissingNodes(settings: Pick<Compared, 'nodes' | 'role'>): SettingFault[] {
  const observes = settings.role === 'all' || settings.role === 'observer';
  if (!observes || settings.nodes.length > 0) return [];
  return [{ name: 'nodes', problem: 'name none: give --node URL, or list them in hindsight.yaml' }];
}

function findRepeatedNodes(nodes: readonly WatchedNode[]): SettingFault[] {
  const faults: SettingFault[] = [];
  const ids = new Set<string>();
  const addresses = new Map<string, string>();
  for (const node of nodes) {
    // Ids that differ only in case would be one file name and one URL to many systems.
    if (ids.has(node.id.toLowerCase()))
      faults.push({ name: 'nodes', problem: `use the id "${node.id}" twice` });
    const address = JSON.stringify([node.url.replace('//localhost', '//127.0.0.1'), node.headers]);
    const other = addresses.get(address);
    if (other !== undefined) {
      faults.push({ name: 'nodes', problem: `name the same node twice, as "${other}" and "${node.id}"` });
    }
    ids.add(node.id.toLowerCase());
    addresses.set(address, node.id);
  }
  return faults;
}
