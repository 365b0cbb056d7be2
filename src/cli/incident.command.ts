import { type Command, Option } from 'commander';
import { toPrintableJson } from '../domain/printable-text.js';
import { redactTexts } from '../domain/redaction.js';
import { millisToMicros } from '../domain/time.js';
import { SystemClock } from '../platform/clock.js';
import { UserError } from '../platform/errors.js';
import type { Database } from '../platform/sql.js';
import { requireKnownNames } from '../statistics/read/known-names.query.js';
import { IncidentsQuery } from '../api/incidents/incidents.query.js';
import {
  readPostMortem,
  type IncidentRequest,
  type PostMortem,
} from '../api/post-mortem/post-mortem-data.js';
import { toPostMortemJson } from '../api/post-mortem/post-mortem-json.js';
import { toPostMortemHtml } from '../api/post-mortem/post-mortem-html.js';
import { toPostMortemMarkdown } from '../api/post-mortem/post-mortem-markdown.js';
import { incidentsToJson, printIncidents } from './incident-table.js';
import { addJsonOption, type JsonOptions } from './json.js';
import { readRedaction } from './known-redaction.js';
import { readPast, readRange } from './moments.js';
import type { SettingOptions } from './setting-options.js';
import { addDatabaseOptions, withDatabase } from './with-database.js';

interface IncidentOptions extends SettingOptions, JsonOptions {
  readonly at?: string;
  readonly from?: string;
  readonly to?: string;
  readonly format: keyof typeof FORMATS;
  readonly redact?: true;
}

const FORMATS = {
  markdown: toPostMortemMarkdown,
  json: (postMortem: PostMortem) => `${toPrintableJson(toPostMortemJson(postMortem))}\n`,
  html: toPostMortemHtml,
} as const;

const LISTED = 50;

/** `hindsight incident`: the latest incidents, or a post-mortem of one of them. Works with or without a running service. */
export function define(command: Command): void {
  command
    .description('list the latest incidents, or print a post-mortem of one')
    .argument('[id-or-node]', 'the id of an incident, or of a node')
    .option('--at <TIME>', 'print the trouble of the node around this time')
    .option('--from <TIME>', 'print an interval of the node: its start, inclusive')
    .option('--to <TIME>', 'end of the interval, exclusive; default: now')
    .addOption(
      new Option('--format <FORMAT>', 'format of a post-mortem; json also of the list')
        .choices(Object.keys(FORMATS))
        .default('markdown'),
    )
    .option(
      '--redact',
      'replace names of nodes, chains and people, and addresses, in a post-mortem for others',
    );
  addDatabaseOptions(addJsonOption(command)).action(run);
}

async function run(named: string | undefined, options: IncidentOptions): Promise<void> {
  const nowUs = millisToMicros(new SystemClock().now());
  const request = readRequest(named, options, nowUs);
  if (options.redact && request === undefined) {
    throw new UserError(
      '--redact is for post-mortems.',
      'Give the id of an incident, or a node and a time.',
      2,
    );
  }
  const format = options.json ? 'json' : options.format;
  const printed = await withDatabase(options, async ({ dataSource }) => {
    if (request !== undefined) {
      const postMortem = await readPostMortem(dataSource, request, nowUs);
      return FORMATS[format](options.redact ? await redact(dataSource, postMortem) : postMortem);
    }
    // An unknown name would look like a healthy node.
    if (named !== undefined) await requireKnownNames(dataSource, { nodes: [named] });
    const filter = named === undefined ? {} : { nodes: [named] };
    const page = await new IncidentsQuery(dataSource).getIncidents(filter, { first: LISTED });
    return format === 'json' ? incidentsToJson(page) : printIncidents(page);
  });
  process.stdout.write(printed);
}

async function redact(dataSource: Database, postMortem: PostMortem): Promise<PostMortem> {
  const people = [...postMortem.acknowledgements, ...postMortem.notes].map(({ by }) => by);
  return redactTexts(postMortem, await readRedaction(dataSource, people));
}

/** The requested post-mortem; undefined for the list. */
function readRequest(
  named: string | undefined,
  { at, from, to }: IncidentOptions,
  nowUs: bigint,
): IncidentRequest | undefined {
  const hasTime = at !== undefined || from !== undefined || to !== undefined;
  if (!hasTime) return named?.startsWith('Incident:') ? { id: named } : undefined;
  if (named === undefined) throw new UserError('A time needs a node.', 'Give the node before the flags.', 2);
  if (at !== undefined && from === undefined && to === undefined)
    return { node: named, atUs: readPast('--at', at, nowUs) };
  if (at !== undefined || from === undefined)
    throw new UserError('A node needs one time.', 'Give --at TIME, or --from TIME [--to TIME].', 2);
  return { node: named, ...readRange({ from, to }, nowUs) };
}
