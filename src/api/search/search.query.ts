import { Inject, Injectable } from '@nestjs/common';
import { incidentInWords } from '../../domain/health/trouble.js';
import { formatTime } from '../../domain/time.js';
import { toPrintable } from '../../domain/printable-text.js';
import { blocksKnownAt, indexed } from '../../projections/record/readers/known-rows.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { BlocksQuery } from '../blocks/blocks.query.js';
import type { Incident } from '../incidents/incident.type.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { filterBlocks } from '../blocks/block-filter.js';
import { anywhere, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { findPast, untilAsOf, type Past, type TravelArgs } from '../graphql/time-travel.js';
import type { Submission } from '../submissions/submission.type.js';
import { SubmissionsQuery } from '../submissions/submissions.query.js';
import { readSearchTerms, type SearchTerms } from './search-terms.js';
import type { SearchHit } from './search.type.js';
import { SubmissionSearch } from './submission-search.query.js';

const LONGEST_MESSAGE = 120;
/** Limit for a search by text, to leave room for other kinds of hits. */
const MOST_INCIDENTS = 5;

/** A block of a chain, whichever nodes showed it. */
interface FoundBlock {
  readonly chainId: string;
  readonly height: bigint;
}

/** The past to search: as requested, and as found in the log. */
interface Then {
  readonly travel: TravelArgs;
  readonly past: Past;
}

/** Finds rows by any text, height or hash that a person has. Every search uses an index, or is bounded. */
@Injectable()
export class SearchQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly submissions: SubmissionsQuery,
    private readonly blocks: BlocksQuery,
    private readonly inSubmissions: SubmissionSearch,
    private readonly incidents: IncidentsQuery,
  ) {}

  /** Hits in a past, without duplicates, closest first: names, then ids and hashes, heights, incidents, parts of messages. */
  async search(text: string, first: number, travel: TravelArgs = {}): Promise<SearchHit[]> {
    const terms = readSearchTerms(text);
    const hits = new Map<string, SearchHit>();
    if (terms.text === '') return [];
    const then: Then = { travel, past: await findPast(this.reads, travel) };
    const ways = [
      () => this.findNamed(terms, first, then),
      () => this.findSubmission(terms, then),
      () => this.findBlob(terms, then),
      () => this.findBlocks(terms, first, then),
      () => this.findAtDaHeight(terms, first, then),
      () => this.findIncidents(terms, first, then),
      () => this.findMessages(terms, first, then),
    ];
    for (const find of ways) {
      if (hits.size >= first) break;
      for (const hit of await find())
        hits.set(`${hit.kind} ${hit.id}`, hits.get(`${hit.kind} ${hit.id}`) ?? hit);
    }
    return [...hits.values()].slice(0, first);
  }

  /** Nodes and chains by a part of their id; exact matches first. */
  private async findNamed({ text }: SearchTerms, first: number, { past }: Then): Promise<SearchHit[]> {
    const parameters = new SqlParameters([anywhere(text), text, first]);
    const known = whereAll(['true', ...parameters.compare('from_position', '<=', past.knownAt)]);
    const rows = await this.reads.query<{ kind: 'NODE' | 'CHAIN'; id: string; chain: string | null }[]>(
      `SELECT * FROM (
         SELECT 'NODE' AS kind, id, chain_id AS chain FROM node ${known} AND id ILIKE $1
         UNION ALL
         SELECT 'CHAIN', chain_id, NULL FROM (SELECT chain_id FROM lineage ${known} UNION SELECT chain_id FROM node ${known}) known
          WHERE chain_id ILIKE $1) named
        ORDER BY lower(id) <> lower($2::text), length(id), kind, id COLLATE "C" LIMIT $3`,
      parameters.values,
    );
    return rows.map(({ kind, id, chain }) => ({
      kind,
      id,
      title: kind === 'CHAIN' ? `Chain ${id}` : `Node ${id}${chain === null ? '' : ` of ${chain}`}`,
      url: pageOf(kind === 'CHAIN' ? 'chain' : 'node', id),
    }));
  }

  private async findSubmission({ submission }: SearchTerms, { travel }: Then): Promise<SearchHit[]> {
    const found = submission && (await this.submissions.findSubmission(submission, travel));
    return found ? [toHit(found)] : [];
  }

  private async findBlob({ blob }: SearchTerms, { travel }: Then): Promise<SearchHit[]> {
    return blob ? (await this.inSubmissions.findByBlob(blob, travel)).map(toHit) : [];
  }

  /** A hash that no block has is tried as the commitment of a blob, which scans much of the log. */
  private async findBlocks(
    { hash, height }: SearchTerms,
    first: number,
    { travel, past }: Then,
  ): Promise<SearchHit[]> {
    if (height !== undefined) {
      const { nodes } = await this.blocks.getBlocks(
        { heightFrom: height, heightTo: height },
        'HEIGHT_DESC',
        { first },
        travel,
      );
      return nodes.map(toBlockHit);
    }
    if (hash === undefined) return [];
    const parameters = new SqlParameters([Buffer.from(hash, 'hex'), first]);
    const rows = await this.reads.query<FoundBlock[]>(
      `SELECT DISTINCT l.chain_id AS "chainId", b.height FROM ${blocksKnownAt(past.knownAt)} JOIN lineage l USING (lineage_key)
        ${whereAll(['substr(b.hash, 1, 8) = substr($1::bytea, 1, 8)', 'b.hash = $1::bytea', ...filterBlocks(untilAsOf({}, past), parameters)])} LIMIT $2`,
      parameters.values,
    );
    if (rows.length > 0) return rows.map(toBlockHit);
    return (await this.inSubmissions.findByCommitment(hash, past)).map(toHit);
  }

  private async findAtDaHeight(
    { height }: SearchTerms,
    first: number,
    { travel, past }: Then,
  ): Promise<SearchHit[]> {
    if (height === undefined) return [];
    const { nodes } = await this.submissions.getSubmissions(
      { daHeightFrom: height, daHeightTo: height },
      'OBSERVED_DESC',
      { first },
      travel,
    );
    const parameters = new SqlParameters([height, first]);
    const there = filterBlocks(untilAsOf({}, past), parameters).map((condition) => ` AND ${condition}`);
    const part = (column: 'b.header_da_height' | 'b.data_da_height', condition: string): string =>
      `(SELECT b.height FROM ${blocksKnownAt(past.knownAt)}
         WHERE b.lineage_key = l.lineage_key AND ${column} = $1 AND ${indexed(column, past.knownAt)} = $1 ${condition}${there.join('')} LIMIT $2)`;
    const blocks = await this.reads.query<FoundBlock[]>(
      `SELECT DISTINCT l.chain_id AS "chainId", b.height FROM lineage l CROSS JOIN LATERAL (
         ${part('b.header_da_height', '')} UNION ${part('b.data_da_height', 'AND b.tx_count > 0')}) b
        ORDER BY b.height, "chainId" LIMIT $2`,
      parameters.values,
    );
    return [...nodes.map(toHit), ...blocks.map(toBlockHit)];
  }

  /** Searches by id, else by node or reason. */
  private async findIncidents(
    { text, part }: SearchTerms,
    first: number,
    { travel, past }: Then,
  ): Promise<SearchHit[]> {
    const named = await this.incidents.findIncident(text, travel);
    if (named) return [toIncidentHit(named)];
    if (part === undefined) return [];
    const found = await this.incidents.searchIncidents(part, Math.min(first, MOST_INCIDENTS), past);
    return found.map(toIncidentHit);
  }

  private async findMessages({ part }: SearchTerms, first: number, { past }: Then): Promise<SearchHit[]> {
    return part === undefined ? [] : (await this.inSubmissions.findByMessage(part, first, past)).map(toHit);
  }
}

function toHit({ id, nodeId, chain, kind, status, daHeight, message, time }: Submission): SearchHit {
  const what = [
    `${status} of ${nodeId ?? chain ?? 'an unknown chain'}`,
    kind,
    ...(daHeight === null ? [] : [`DA height ${daHeight}`]),
    formatTime(time, 0),
    ...(message === null ? [] : [toPrintable(message, LONGEST_MESSAGE)]),
  ];
  return { kind: 'SUBMISSION', id, title: what.join(' · '), url: pageOf('submission', id) };
}

function toBlockHit({ chainId, height }: FoundBlock): SearchHit {
  return {
    kind: 'BLOCK',
    id: `${chainId}/${height}`,
    title: `Block ${height} of ${chainId}`,
    url: pageOf('block', chainId, String(height)),
  };
}

function toIncidentHit(incident: Incident): SearchHit {
  const { id, severity, from, reason } = incident;
  const title = [
    `${severity}: ${incidentInWords(incident)}`,
    formatTime(from, 0),
    toPrintable(reason, LONGEST_MESSAGE),
  ];
  return { kind: 'INCIDENT', id, title: title.join(' · '), url: pageOf('incident', id) };
}

/** Path of the dashboard's page. */
function pageOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
