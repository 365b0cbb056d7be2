import type { ProbeName } from '../../domain/events.js';
import type { Micros } from '../../domain/time.js';
import { Table, float8, int4, int8, text, timestamptz } from '../columns.js';

@Table('probe_minute', 'How the probes of a node went, per minute.')
export class ProbeMinuteEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('reachable, live, ready or status.', { key: true }) probe: ProbeName;
  @timestamptz("The minute (UTC) in which the summary begins, observer's clock.", { key: true })
  minuteAt: Micros;
  @int4('Probes that went well.') ok: number;
  @int4('Probes that did not.') failed: number;
  @int4('Answers whose latency is summarised.') latencyCount: number;
  @float8.orNull('Shortest latency in milliseconds; null without answers, as the following.')
  minMs: number | null;
  @float8.orNull('Mean latency.') meanMs: number | null;
  @float8.orNull('Median latency; of several summaries in one minute the mean weighted by answers.')
  p50Ms: number | null;
  @float8.orNull('99th percentile; of several summaries in one minute the highest.') p99Ms: number | null;
  @float8.orNull('Longest latency.') maxMs: number | null;
  @int8('The first event that told of it.') fromPosition: bigint;
  @int8('The last event that told of it.') lastPosition: bigint;
}
