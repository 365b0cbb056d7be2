import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RULES_WITHOUT_LIST } from '../../domain/health/health-da.js';
import type { HealthState } from '../../domain/health/health-rule.js';
import { problemOf } from '../../domain/health/trouble-titles.js';
import type { PublicPart } from '../../domain/public-parts.js';
import { microsToNanos, millisToMicros, millisToNanos, type Millis } from '../../domain/time.js';
import { ReportReader } from '../../statistics/read/report.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { HistoryQuery } from '../health/history.query.js';
import { IncidentsQuery } from '../incidents/incidents.query.js';
import type { Incident } from '../incidents/incident.type.js';
import { NodesQuery } from '../nodes/nodes.query.js';
import { UptimeQuery } from '../uptime/uptime.query.js';
import {
  uuidOf,
  worstState,
  WorstDays,
  type FinalityTimes,
  type PublicDay,
  type PublicIncident,
  type PublicSummary,
} from './public-summary.js';

/** All requests within this time get the same answer. */
const FRESH_MS: Millis = 30_000;
const DAY_MS: Millis = 86_400_000;
const DAYS = 90;
const MOST_INCIDENTS = 50;
/** Nodes whose days are read by one query. */
const NODES_AT_ONCE = 100;

/**
 * Components that clients of a chain notice. Others concern only its operator: systems behind a node with their accounts, and
 * Hindsight's own coverage.
 */
const SHOWN_COMPONENTS = ['DA', 'NODE'] as const;

/** The monitored nodes of a chain, and whether their DA submissions are judged. */
interface ShownNodes {
  readonly states: readonly HealthState[];
  readonly ids: Readonly<Record<(typeof SHOWN_COMPONENTS)[number], readonly string[]>>;
}

/** Reads what the owners of chains show to strangers, at most once per {@link FRESH_MS}, however many clients ask. */
@Injectable()
export class PublicSummaryQuery {
  private readonly summaries: LRUCache<string, PublicSummary>;

  constructor(
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock' | 'publicChains'>,
    private readonly nodes: NodesQuery,
    private readonly history: HistoryQuery,
    private readonly uptime: UptimeQuery,
    private readonly incidents: IncidentsQuery,
    private readonly reports: ReportReader,
  ) {
    this.summaries = new LRUCache<string, PublicSummary>({
      max: Math.max(1, options.publicChains?.size ?? 0),
      ttl: FRESH_MS,
      perf: { now: () => options.clock.monotonic() },
      fetchMethod: (chain) => this.read(chain),
    });
  }

  /** Undefined for every chain whose owner shows nothing. */
  async findSummary(chain: string): Promise<PublicSummary | undefined> {
    return this.options.publicChains?.has(chain) ? this.summaries.fetch(chain) : undefined;
  }

  private async read(chain: string): Promise<PublicSummary> {
    const parts = this.options.publicChains?.get(chain);
    const shows = (part: PublicPart): boolean => parts?.has(part) === true;
    const now = this.options.clock.now();
    const nodes = await this.findNodes(chain);
    return {
      chain,
      at: millisToNanos(now),
      state: shows('state') ? worstState(nodes.states) : undefined,
      days: shows('uptime') ? await this.getDays(nodes, now) : undefined,
      incidents: shows('incidents') ? await this.getIncidents(chain, now) : undefined,
      finality: shows('finality') ? await this.findFinality(chain, nodes, now) : undefined,
    };
  }

  /** Nodes that were removed from the settings do not count, nor does the DA of nodes that submit nothing. */
  private async findNodes(chain: string): Promise<ShownNodes> {
    const all = await this.nodes.getNodes();
    const ids = all.filter((node) => node.chain === chain && !node.retired).map(({ id }) => id);
    const lines = await this.history.getPresentLines(ids, SHOWN_COMPONENTS);
    const judged = ids.filter((id) => !RULES_WITHOUT_LIST.has(lines.get('DA')?.get(id)?.rule ?? ''));
    const shown = { DA: judged, NODE: ids };
    const states = SHOWN_COMPONENTS.flatMap((component) =>
      shown[component].map((id) => lines.get(component)?.get(id)?.state ?? 'UNKNOWN'),
    );
    return { states, ids: shown };
  }

  private async getDays({ ids }: ShownNodes, now: Millis): Promise<PublicDay[]> {
    const days = new WorstDays();
    const fromMs = Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
    for (const component of SHOWN_COMPONENTS) {
      for (let start = 0; start < ids[component].length; start += NODES_AT_ONCE) {
        const rows = await this.uptime.getUptime({
          nodes: ids[component].slice(start, start + NODES_AT_ONCE),
          component,
          bucket: 'DAY',
          fromUs: millisToMicros(fromMs),
          toUs: millisToMicros(now),
          timeZone: 'UTC',
          chain: null,
          nowUs: millisToMicros(now),
        });
        days.add(rows);
      }
    }
    return days.list();
  }

  private async getIncidents(chain: string, now: Millis): Promise<PublicIncident[]> {
    const from = millisToNanos(now - DAYS * DAY_MS);
    const found: PublicIncident[] = [];
    for (const component of SHOWN_COMPONENTS) {
      const filter = { chains: [chain], component, from };
      const page = await this.incidents.getIncidents(filter, { first: MOST_INCIDENTS });
      found.push(...page.nodes.map(toPublicIncident));
    }
    return found.sort((a, b) => (a.from < b.from ? 1 : -1)).slice(0, MOST_INCIDENTS);
  }

  /** The times of the last 24 hours; on the first day of a year, of that day. Null: no block is known to be included. */
  private async findFinality(chain: string, { ids }: ShownNodes, now: Millis): Promise<FinalityTimes | null> {
    // Statistics know no chain that no node has named yet.
    if (ids.NODE.length === 0) return null;
    const fromUs = millisToMicros(now - DAY_MS);
    const toUs = millisToMicros(now);
    // Distributions are merged within a bucket, so the period must be in a single one.
    const request = { filter: { chains: [chain] }, bucket: 'YEAR', groupBy: [], timeZone: 'UTC' } as const;
    const rows = await this.reports.read({ ...request, fromUs, toUs, nowUs: toUs }, ['inclusionLagMs']);
    const row = [...rows].at(-1);
    if (!row?.inclusionLagMs) return null;
    const { p50, p90, p99 } = row.inclusionLagMs;
    const since = microsToNanos(row.timeUs > fromUs ? row.timeUs : fromUs);
    return { since, p50, p90, p99, counted: row.counted };
  }
}

function toPublicIncident(incident: Incident): PublicIncident {
  const { id, component, rule, position, from, to } = incident;
  // The id names a node; with the position, nobody can find out by trying which one.
  const uuid = uuidOf(`${id} ${position}`);
  return { uuid, title: problemOf({ component, rule }), from, to };
}
