import { Table, json, text } from '../columns.js';

@Table('health_threshold', 'Thresholds that the settings change for a chain.')
export class HealthThresholdEntity {
  @text('Chain id.', { key: true }) chain: string;
  @json('By name, as in HealthThresholds of src/domain/health/health-thresholds.ts.') thresholds: Readonly<
    Record<string, number>
  >;
}
