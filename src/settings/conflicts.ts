import type { Role } from '../platform/role.js';

/** A fault of the setting with a path in the file. */
interface SettingsConflict {
  readonly path: readonly PropertyKey[];
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
  readonly reports: readonly { readonly mail: string }[];
  /** Undefined: not known, because of a fault. */
  readonly destinations?: readonly { readonly id: string; readonly kind: string }[] | undefined;
  readonly databaseUrl?: string | undefined;
  readonly databaseReadUrl?: string | undefined;
}

/** Conflicts between settings that are each valid. */
export function findConflicts(settings: Compared): SettingsConflict[] {
  const { nodes, chains, poll, role = 'all', reports, destinations, databaseUrl, databaseReadUrl } = settings;
  const faults = findRepeatedNodes(nodes);
  const ids = chains.map((chain) => chain.id);
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) === index) continue;
    faults.push({ path: ['chains', index, 'id'], problem: `repeats the id "${id}": join both entries` });
  }
  if (poll.floorMs > poll.ceilingMs) {
    faults.push({ path: ['poll', 'floor'], problem: 'must not be longer than poll.ceiling' });
  }
  if (poll.floorMs < 10) faults.push({ path: ['poll', 'floor'], problem: 'must be at least 10ms' });
  for (const [index, { mail }] of reports.entries()) {
    if (destinations?.some(({ id, kind }) => id === mail && kind === 'email') ?? true) continue;
    const problem = 'must be the id of a destination with email under alerts.destinations';
    faults.push({ path: ['reports', index, 'mail'], problem });
  }
  if (databaseUrl !== undefined) return faults;
  if (role !== 'all' && role !== 'archive') {
    faults.push({
      path: ['role'],
      problem: 'needs a DATABASE_URL, as the embedded database serves one process',
    });
  }
  if (databaseReadUrl !== undefined) {
    faults.push({
      path: ['databaseReadUrl'],
      problem: 'needs a DATABASE_URL, as the embedded database has no replica',
    });
  }
  return faults;
}

function findRepeatedNodes(nodes: Compared['nodes']): SettingsConflict[] {
  const faults: SettingsConflict[] = [];
  const ids = new Set<string>();
  const addresses = new Map<string, string>();
  for (const [index, node] of nodes.entries()) {
    // Many systems treat ids that differ only in case as one file name and one URL.
    if (ids.has(node.id.toLowerCase())) {
      const problem = `repeats the id "${node.id}": give each node an id of its own`;
      faults.push({ path: ['nodes', index, 'id'], problem });
    }
    const address = JSON.stringify([node.url.replace('//localhost', '//127.0.0.1'), node.headers]);
    const other = addresses.get(address);
    if (other !== undefined) {
      const problem = `repeats the address of "${other}": remove one of the two nodes`;
      faults.push({ path: ['nodes', index, 'rpc'], problem });
    }
    ids.add(node.id.toLowerCase());
    addresses.set(address, node.id);
  }
  return faults;
}
