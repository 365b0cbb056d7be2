import { Table, text } from '../columns.js';

@Table(
  'statistic_state',
  'What the statistics remember of the read models they are computed from: which tables (a rebuild makes new ones).',
)
export class StatisticStateEntity {
  @text(
    'tables: the read models they are computed from. version: of the rules by which. zones: of the time zone data by which.',
    { key: true },
  )
  name: string;
  @text(
    'Of tables their oids; of version a number; of zones the release that days were made by, such as 2026b.',
  )
  value: string;
}
