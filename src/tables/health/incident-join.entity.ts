import type { HealthComponent } from '../../domain/health/health-rule.js';
import type { Micros } from '../../domain/time.js';
import { Table, int8, text, timestamptz } from '../columns.js';

@Table(
  'incident_join',
  'Trouble of a node that belongs to an incident that began with another node of its chain, in all versions that were known of it.',
)
export class IncidentJoinEntity {
  @text('Id of the node.', { key: true }) node: string;
  @text('DA, NODE or COVERAGE.', { key: true }) component: HealthComponent;
  @timestamptz('Its first sign: an interval of health_interval begins so.', { key: true }) fromAt: Micros;
  @text('Id of the node that the incident began with.') rootNode: string;
  @timestamptz('The first sign of the incident, of the same component.') rootFromAt: Micros;
  @int8('The event that told of its first sign.', { key: true }) fromPosition: bigint;
  @int8.orNull('The event that took it back; null for one that stands.') toPosition: bigint | null;
}
