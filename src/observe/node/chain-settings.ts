import type { DataSource } from 'typeorm';
import type { ChainEvents } from '../../domain/events.js';
import { EventStore } from '../../event-log/event-store.js';
import type { Clock } from '../../platform/clock.js';
import { StreamSession } from '../stream-session.js';

/** What is set for one chain. */
export interface ChainSettings {
  readonly id: string;
  readonly reportingTimeZone: string;
  readonly da: Readonly<Record<string, string>>;
  readonly thresholds: Readonly<Record<string, number>>;
}

/** What the stream `<chain>/chain` remembers at its end. */
interface ChainStreamState {
  readonly settings?: ChainEvents['ChainSettingsChanged'];
  /** Lineages opened so far, as the blocks observers wrote them. */
  readonly lineages?: readonly unknown[];
}

/** Records `ChainSettingsChanged` for each chain whose settings differ from what the log knows. */
export async function writeDownChainSettings(
  dataSource: DataSource,
  clock: Clock,
  chains: readonly ChainSettings[],
): Promise<void> {
  const store = new EventStore(dataSource);
  for (const { id, reportingTimeZone, da, thresholds } of chains) {
    const body = { reportingTimeZone, thresholds, da };
    const session = new StreamSession<ChainStreamState>(store, `${id}/chain`);
    for (;;) {
      const { state } = await session.load();
      if (JSON.stringify(state?.settings) === JSON.stringify(body)) break;
      const event = { type: 'ChainSettingsChanged', observedAt: clock.now(), body } as const;
      if (await session.append([event], { ...state, settings: body })) break;
    }
  }
}
