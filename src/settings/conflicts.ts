import type { Role } from '../platform/role.js';

/** A fault, named by the key of the file under which the user knows it. */
interface SettingsConflict {
  readonly name: string;
  readonly problem: string;
}

/** The compared settings. A setting with a fault of its own may be undefined. */
interface Compared {
  readonly nodes: readonly {
    readonly id: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  readonly chains: readonly { readonly id: string }[];
  readonly poll: { readonly floorMs: number; readonly ceilingMs: number };
  readonly role: Role | undefined;
  readonly databaseUrl?: string | undefined;
  readonly databaseReadUrl?: string | undefined;
}

/** Conflicts between settings that are each valid. */
export function findConflicts(settings: Compared): SettingsConflict[] {
  const { nodes, chains, poll, role = 'all', databaseUrl, databaseReadUrl } = settings;
  const faults = findRepeatedNodes(nodes);
  const ids = chains.map((chain) => chain.id);
  for (const id of new Set(ids.filter((chain, index) => ids.indexOf(chain) !== index))) {
    faults.push({ name: 'chains', problem: `name the chain "${id}" more than once` });
  }
  if (poll.floorMs > poll.ceilingMs) {
    faults.push({ name: 'poll.floor', problem: 'must not be longer than poll.ceiling' });
  }
  if (poll.floorMs < 10) faults.push({ name: 'poll.floor', problem: 'must be at least 10ms' });
  if (databaseUrl !== undefined) return faults;
  if (role !== 'all' && role !== 'archive') {
    faults.push({
      name: 'role',
      problem: 'needs a DATABASE_URL, as the embedded database serves one process',
    });
  }
  if (databaseReadUrl !== undefined) {
    faults.push({
      name: 'databaseReadUrl',
      problem: 'needs a DATABASE_URL, as the embedded database has no replica',
    });
  }
  return faults;
}

function findRepeatedNodes(nodes: Compared['nodes']): SettingsConflict[] {
  const faults: SettingsConflict[] = [];
  const ids = new Set<string>();
  const addresses = new Map<string, string>();
  for (const node of nodes) {
    // Many systems treat ids that differ only in case as one file name and one URL.
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
