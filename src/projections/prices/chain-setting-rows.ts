import type { ChainEvents } from '../../domain/events.js';
import { upsertRows } from '../../platform/rows/write-rows.js';
import { ChainSettingEntity } from '../../tables/prices.entities.js';
import type { Query } from '../projection.js';

export class ChainSettingRows {
  private readonly rows = new Map<string, ChainSettingEntity>();

  /** @param zones the known time zones, by chain */
  constructor(private readonly zones: ReadonlyMap<string, string>) {}

  /** The known time zones, by chain; chains without settings are absent. */
  static async load(query: Query, chains: readonly string[]): Promise<Map<string, string>> {
    const rows = await query<{ chain: string; zone: string }>(
      'SELECT chain, reporting_time_zone AS zone FROM chain_setting WHERE chain = ANY ($1)',
      [chains],
    );
    return new Map(rows.map(({ chain, zone }) => [chain, zone]));
  }

  put(
    chain: string,
    { reportingTimeZone, da }: ChainEvents['ChainSettingsChanged'],
    fromPosition: bigint,
  ): void {
    this.rows.set(chain, { chain, reportingTimeZone, daLayer: da['layer'] ?? null, fromPosition });
  }

  /** Chains whose days changed with the time zone, or that had no settings before. */
  get movedChains(): string[] {
    return [...this.rows.values()]
      .filter(({ chain, reportingTimeZone }) => this.zones.get(chain) !== reportingTimeZone)
      .map(({ chain }) => chain);
  }

  write(query: Query): Promise<void> {
    return upsertRows(query, ChainSettingEntity, [...this.rows.values()]);
  }
}
