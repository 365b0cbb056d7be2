import type { Command } from 'commander';
import { nodeIdsOf } from '../domain/health/trouble.js';
import { millisToMicros, nanosToMicros, type Micros } from '../domain/time.js';
import type { Database } from '../platform/sql.js';
import { IncidentsQuery } from '../api/incidents/incidents.query.js';
import type { EvidenceScope } from './evidence-bundle.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import { readRange } from './moments.js';
import { withProgress } from './progress.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface EvidenceOptions extends SettingOptions {
  readonly incident?: string;
  readonly from?: string;
  readonly to?: string;
  readonly out: string;
  readonly redact?: true;
}

/** For an incident, this much time before and after it is written, too: observations are recorded a moment later. */
const MARGIN_US: Micros = 600_000_000n;

export function define(command: Command): void {
  command
    .argument('[node]', 'the id of the node')
    .option(
      '--incident <ID>',
      'write the nodes and the time of this incident, with ten minutes before and after it',
    )
    .option('--from <TIME>', 'recorded from this time on')
    .option('--to <TIME>', 'recorded before this time; default: now')
    .requiredOption('--out <DIR>', 'the folder to create')
    .option(
      '--redact',
      'replace addresses and names of people; events that had any can be verified by their place in the chain of hashes only',
    );
  addDatabaseOptions(command).action(run);
}

async function run(node: string | undefined, options: EvidenceOptions): Promise<void> {
  const { writeEvidence } = await import('./evidence-bundle.js');
  const nowUs = millisToMicros(new SystemClock().now());
  const find = readRequest(node, options, nowUs);
  const { events, manifest } = await withDatabase(options, async ({ dataSource, signal }) =>
    withProgress('evidence', 'events', async (progress) =>
      writeEvidence(
        dataSource,
        { ...(await find(dataSource)), isRedacted: options.redact ?? false },
        options.out,
        signal,
        (events, total) => progress.count(events, total),
      ),
    ),
  );
  process.stdout.write(
    `${events} events are in ${options.out}; node ${options.out}/verify.mjs verifies them.\nSHA-256 of its manifest.json: ${manifest}\n`,
  );
}

/** Determines the content of the bundle. @throws UserError unless either a node with a time or an incident is given */
function readRequest(
  node: string | undefined,
  { incident, from, to }: EvidenceOptions,
  nowUs: Micros,
): (dataSource: Database) => Promise<EvidenceScope> {
  if (incident !== undefined && node === undefined && from === undefined && to === undefined)
    return (dataSource) => findIncident(dataSource, incident, nowUs);
  if (incident !== undefined || node === undefined || from === undefined)
    throw new UserError(
      'Name an incident, or a node and a time.',
      'Give --incident ID, or NODE --from TIME [--to TIME].',
      2,
    );
  const range = readRange({ from, to }, nowUs);
  return () => Promise.resolve({ nodes: [node], ...range });
}

async function findIncident(dataSource: Database, id: string, nowUs: Micros): Promise<EvidenceScope> {
  const incident = await new IncidentsQuery(dataSource).findIncident(id, {});
  if (!incident)
    throw new UserError(
      `There is no incident ${JSON.stringify(id)}.`,
      '`hindsight incident` lists the latest.',
      2,
    );
  const { from, to } = incident;
  const toUs = to === null ? nowUs : nanosToMicros(to) + MARGIN_US;
  return {
    nodes: nodeIdsOf(incident),
    fromUs: nanosToMicros(from) - MARGIN_US,
    toUs,
  };
}
