import type { ChainEvents } from '../../domain/events.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';

/** What the settings say of a chain, as last recorded. */
interface ChainSetting {
  readonly chain: string;
  readonly zone: string;
  readonly layer: string | null;
  readonly position: bigint;
}

const COLUMNS = [
  column('chain', 'text', (row: ChainSetting) => row.chain),
  column('reporting_time_zone', 'text', (row: ChainSetting) => row.zone),
  column('da_layer', 'text', (row: ChainSetting) => row.layer),
  column('from_position', 'int8', (row: ChainSetting) => row.position),
];

/** The rows of `chain_setting` that a batch of events makes. */
export class ChainSettingRows {
  private readonly rows = new Map<string, ChainSetting>();

  /** @param zones those that are known, by chain */
  constructor(private readonly zones: ReadonlyMap<string, string>) {}

  /** The known time zones of the chains. */
  static async load(query: Query, chains: readonly string[]): Promise<Map<string, string>> {
    const rows = await query<{ chain: string; zone: string }>(
      'SELECT chain, reporting_time_zone AS zone FROM chain_setting WHERE chain = ANY ($1)',
      [chains],
    );
    return new Map(rows.map(({ chain, zone }) => [chain, zone]));
  }

  put(chain: string, body: ChainEvents['ChainSettingsChanged'], position: bigint): void {
    const { reportingTimeZone: zone, da } = body;
    this.rows.set(chain, { chain, zone, layer: da['layer'] ?? null, position });
  }

  /** Chains whose days are others now, or that had no settings before. */
  get movedChains(): string[] {
    return [...this.rows.values()]
      .filter(({ chain, zone }) => this.zones.get(chain) !== zone)
      .map(({ chain }) => chain);
  }

  async write(query: Query): Promise<void> {
    if (this.rows.size === 0) return;
    const { names, sql, parameters } = unnestRows(COLUMNS, [...this.rows.values()]);
    await query(
      `INSERT INTO chain_setting (${names}) SELECT ${names} FROM ${sql}
       ON CONFLICT (chain) DO UPDATE SET reporting_time_zone = excluded.reporting_time_zone,
              da_layer = excluded.da_layer, from_position = excluded.from_position`,
      parameters,
    );
  }
}
