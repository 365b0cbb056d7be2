import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../../src/devnode/devnode.js';
import { HttpSink } from '../http-sink.js';
import { ServiceHome } from '../service-process.js';
import type { OutageNode } from './scenarios.js';

const LOOK_MS = 2_000;

/** An incident as GraphQL returns it. */
interface SeenIncident {
  readonly id: string;
  readonly subject: string;
  readonly severity: string;
  readonly from: string;
  readonly to: string | null;
  readonly rule: string;
  readonly reason: string;
  readonly means: string;
  readonly remedy: string;
  readonly nodes: readonly { readonly nodeId: string }[];
}

/** All incidents at a moment, in Unix milliseconds. */
export interface Look {
  readonly at: number;
  readonly incidents: readonly SeenIncident[];
}

/** A webhook message and its time of arrival. */
interface Message {
  readonly at: number;
  readonly status: string;
  readonly rule: string;
  readonly nodes: readonly string[];
  readonly since: string;
  readonly until: string | null;
  readonly title: string;
  readonly text: string;
}

/** A line of a truth log. */
interface TrueThing {
  readonly at: string;
  readonly what: string;
  readonly fault?: string;
}

/** Observed incidents, messages, and the truth. */
export interface LivedOutages {
  readonly looks: readonly Look[];
  readonly messages: readonly Message[];
  readonly truths: Readonly<Record<string, readonly TrueThing[]>>;
}

const INCIDENTS =
  '{ incidents { nodes { id subject severity from to rule reason means remedy nodes { nodeId } } } }';

/** Lets one service monitor all nodes for a time, in real time and in separate processes. */
export async function liveThroughOutages(
  nodes: readonly OutageNode[],
  lengthMs: number,
): Promise<LivedOutages> {
  const home = new ServiceHome();
  const sink = await HttpSink.start();
  const devnodes = new Map<string, Devnode>();
  const playing = new AbortController();
  try {
    for (const node of nodes) devnodes.set(node.id, await begin(node, home, devnodes));
    const config = configure(home, sink, devnodes);
    const service = home.launch(['start', '--config', config, '--port', '0']);
    await service.ready;
    // Faults begin only once the service monitors the nodes.
    const stories = nodes.map(({ id, faults }) => play(devnodes.get(id)?.url ?? '', faults, playing.signal));
    const lived = await watch(() => service.graphql(INCIDENTS), { sink, home, nodes, lengthMs });
    await Promise.all(stories);
    return lived;
  } finally {
    playing.abort();
    await Promise.all([...devnodes.values()].map((each) => each.stop()));
    await sink.stop();
    await home.clear();
  }
}

interface Watched {
  readonly sink: HttpSink;
  readonly home: ServiceHome;
  readonly nodes: readonly OutageNode[];
  readonly lengthMs: number;
}

async function watch(
  ask: () => Promise<{ incidents: { nodes: SeenIncident[] } }>,
  { sink, home, nodes, lengthMs }: Watched,
): Promise<LivedOutages> {
  const looks: Look[] = [];
  const messages: Message[] = [];
  for (const endMs = Date.now() + lengthMs; Date.now() < endMs; await sleep(LOOK_MS)) {
    const { incidents } = await ask();
    const at = Date.now();
    looks.push({ at, incidents: incidents.nodes });
    for (const { body } of sink.taken.splice(0)) messages.push({ ...(JSON.parse(body) as Message), at });
  }
  return {
    looks,
    messages,
    truths: Object.fromEntries(nodes.map(({ id }) => [id, readTruth(truthFileOf(home, id))])),
  };
}

function begin(
  { id, chain, follow, options, faults }: OutageNode,
  home: ServiceHome,
  devnodes: ReadonlyMap<string, Devnode>,
): Promise<Devnode> {
  return startDevnode({
    chainId: chain,
    scenario: { steps: faults.filter(({ atMs }) => atMs === 0) },
    truthFile: truthFileOf(home, id),
    ...(follow !== undefined && { follow: devnodes.get(follow)?.url ?? '' }),
    ...options,
  });
}

/** Begins each fault at its time, counted from now. */
async function play(url: string, faults: OutageNode['faults'], signal: AbortSignal): Promise<void> {
  const due = faults
    .filter(({ atMs }) => atMs > 0)
    .flatMap(({ fault, atMs, forMs, everyMs = 0, times = 1 }) =>
      Array.from({ length: times }, (_, time) => ({ fault, forMs, atMs: atMs + time * everyMs })),
    );
  const startMs = performance.now();
  for (const { fault, forMs, atMs } of due) {
    await sleep(Math.max(0, startMs + atMs - performance.now()), undefined, { signal });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ fault, forMs });
    const { ok } = await fetch(`${url}/dev/fault`, { method: 'POST', headers, body });
    if (!ok) throw new Error(`the fault ${fault} was refused`);
  }
}

/** @returns the path of the settings file, with all nodes and a webhook */
function configure(home: ServiceHome, sink: HttpSink, devnodes: ReadonlyMap<string, Devnode>): string {
  const file = join(home.dataDir, 'hindsight.yaml');
  const nodes = [...devnodes].map(([id, { url }]) => ({ id, url }));
  const alerts = { destinations: [{ id: 'ops', webhook: `${sink.url}/hook` }] };
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ nodes, alerts }));
  return file;
}

function truthFileOf(home: ServiceHome, id: string): string {
  return join(home.dataDir, `${id}.ndjson`);
}

function readTruth(file: string): TrueThing[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as TrueThing);
}
