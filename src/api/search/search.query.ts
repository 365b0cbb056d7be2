import { Inject, Injectable } from '@nestjs/common';
import { incidentInWords } from '../../domain/health/trouble.js';
import { formatTime } from '../../domain/time.js';
import { toPrintable } from '../../domain/printable-text.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { BlocksQuery } from '../blocks/blocks.query.js';
import type { Incident } from '../incidents/incident.type.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import { anywhere } from '../graphql/sql-text.js';
import type { Submission } from '../submissions/submission.type.js';
import { SubmissionsQuery } from '../submissions/submissions.query.js';
import { readSearchTerms, type SearchTerms } from './search-terms.js';
import type { SearchHit } from './search.type.js';
import { SubmissionSearch } from './submission-search.query.js';

const LONGEST_MESSAGE = 120;
/** Of a text alone: there are other things that it stands in. */
const MOST_INCIDENTS = 5;

/** Where a block is: nodes show the same one. */
interface ChainBlock {
  readonly chainId: string;
  readonly height: bigint;
}

/** Finds things by whatever a person has of them. Each way uses an index, or is bounded. */
@Injectable()
export class SearchQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: Database,
    private readonly submissions: SubmissionsQuery,
    private readonly blocks: BlocksQuery,
    private readonly inSubmissions: SubmissionSearch,
    private readonly incidents: IncidentsQuery,
  ) {}

  /** What is found, each thing once, the nearest first: names, then ids and hashes, heights, incidents, parts of messages. */
  async search(text: string, first: number): Promise<SearchHit[]> {
    const terms = readSearchTerms(text);
    const hits = new Map<string, SearchHit>();
    if (terms.text === '') return [];
    const ways = [
      () => this.findNamed(terms, first),
      () => this.findSubmission(terms),
      () => this.findBlob(terms),
      () => this.findBlocks(terms, first),
      () => this.findAtDaHeight(terms, first),
      () => this.findIncidents(terms, first),
      () => this.findMessages(terms, first),
    ];
    for (const find of ways) {
      if (hits.size >= first) break;
      for (const hit of await find())
        hits.set(`${hit.kind} ${hit.id}`, hits.get(`${hit.kind} ${hit.id}`) ?? hit);
    }
    return [...hits.values()].slice(0, first);
  }

  /** Nodes and chains by a part of their id, whole ones first. */
  private async findNamed({ text }: SearchTerms, first: number): Promise<SearchHit[]> {
    const rows = await this.dataSource.query<{ kind: 'NODE' | 'CHAIN'; id: string; chain: string | null }[]>(
      `SELECT * FROM (
         SELECT 'NODE' AS kind, id, chain_id AS chain FROM node WHERE id ILIKE $1
         UNION ALL
         SELECT 'CHAIN', chain_id, NULL FROM (SELECT chain_id FROM lineage UNION SELECT chain_id FROM node) known
          WHERE chain_id ILIKE $1) named
        ORDER BY lower(id) <> lower($2::text), length(id), kind, id COLLATE "C" LIMIT $3`,
      [anywhere(text), text, first],
    );
    return rows.map(({ kind, id, chain }) => ({
      kind,
      id,
      title: kind === 'CHAIN' ? `Chain ${id}` : `Node ${id}${chain === null ? '' : ` of ${chain}`}`,
      url: pageOf(kind === 'CHAIN' ? 'chain' : 'node', id),
    }));
  }

  private async findSubmission({ submission }: SearchTerms): Promise<SearchHit[]> {
    const found = submission && (await this.submissions.findSubmission(submission));
    return found ? [toHit(found)] : [];
  }

  private async findBlob({ blob }: SearchTerms): Promise<SearchHit[]> {
    return blob ? (await this.inSubmissions.findByBlob(blob)).map(toHit) : [];
  }

  /** A hash that no block has is taken for a blob's commitment, for which much is looked through. */
  private async findBlocks({ hash, height }: SearchTerms, first: number): Promise<SearchHit[]> {
    if (height !== undefined) {
      const { nodes } = await this.blocks.getBlocks({ heightFrom: height, heightTo: height }, 'HEIGHT_DESC', {
        first,
      });
      return nodes.map(toBlockHit);
    }
    if (hash === undefined) return [];
    const rows = await this.dataSource.query<ChainBlock[]>(
      `SELECT DISTINCT l.chain_id AS "chainId", b.height FROM block b JOIN lineage l USING (lineage_key)
        WHERE substr(b.hash, 1, 8) = substr($1::bytea, 1, 8) AND b.hash = $1::bytea LIMIT $2`,
      [Buffer.from(hash, 'hex'), first],
    );
    if (rows.length > 0) return rows.map(toBlockHit);
    return (await this.inSubmissions.findByCommitment(hash)).map(toHit);
  }

  private async findAtDaHeight({ height }: SearchTerms, first: number): Promise<SearchHit[]> {
    if (height === undefined) return [];
    const { nodes } = await this.submissions.getSubmissions(
      { daHeightFrom: height, daHeightTo: height },
      'OBSERVED_DESC',
      { first },
    );
    const part = (column: string, condition: string): string =>
      `(SELECT b.height FROM block b WHERE b.lineage_key = l.lineage_key AND b.${column} = $1 ${condition} LIMIT $2)`;
    const blocks = await this.dataSource.query<ChainBlock[]>(
      `SELECT DISTINCT l.chain_id AS "chainId", b.height FROM lineage l CROSS JOIN LATERAL (
         ${part('header_da_height', '')} UNION ${part('data_da_height', 'AND b.tx_count > 0')}) b
        ORDER BY b.height, "chainId" LIMIT $2`,
      [height, first],
    );
    return [...nodes.map(toHit), ...blocks.map(toBlockHit)];
  }

  /** By the id, else by the node or the reason. */
  private async findIncidents({ text, part }: SearchTerms, first: number): Promise<SearchHit[]> {
    const named = await this.incidents.findIncident(text, {});
    if (named) return [toIncidentHit(named)];
    if (part === undefined) return [];
    const found = await this.incidents.searchIncidents(part, Math.min(first, MOST_INCIDENTS));
    return found.map(toIncidentHit);
  }

  private async findMessages({ part }: SearchTerms, first: number): Promise<SearchHit[]> {
    return part === undefined ? [] : (await this.inSubmissions.findByMessage(part, first)).map(toHit);
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

function toBlockHit({ chainId, height }: ChainBlock): SearchHit {
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

/** The path of a thing's page of the dashboard. */
function pageOf(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
