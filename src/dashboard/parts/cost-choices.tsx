import { ChevronLeft, ChevronRight } from 'lucide';
import { toPrintable } from '../../domain/printable-text.js';
import { PERIODS, type CostChoice, type Period, type PeriodSize } from '../data/period.js';
import type { View } from '../data/view.js';
import { inWords } from '../data/words.js';
import { Icon } from './icon.js';

/** The choices of the cost page: chain, period, the period to compare with, and the grouping. */
export function CostChoices(given: {
  readonly view: View;
  readonly chain: string;
  readonly zone: string;
  readonly chains: readonly string[];
  readonly choice: CostChoice;
}) {
  const { view, chain, zone, chains, choice } = given;
  const { shown, other, by } = choice;
  return (
    <div class="tools">
      {chains.length > 1 && (
        <label>
          Chain
          <select value={chain} onChange={(event) => view.set({ chain: event.currentTarget.value })}>
            {chains.map((id) => (
              <option key={id} value={id}>
                {toPrintable(id, 40)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div role="group" aria-label="Period" class="steps">
        {(Object.keys(PERIODS) as PeriodSize[]).map((size) => (
          <button
            key={size}
            type="button"
            aria-pressed={shown.size === size}
            onClick={() => view.set({ period: size, with: '' })}
          >
            {inWords(size)}
          </button>
        ))}
      </div>
      <Steps view={view} name="at" period={shown} words="Shown" />
      <span class="choices">
        <span class="quiet">vs</span>
        <Steps view={view} name="with" period={other} words="Compared" />
      </span>
      <label>
        Grouped by
        <select value={by} onChange={(event) => view.set({ by: event.currentTarget.value })}>
          <option value="KIND">kind</option>
          <option value="NAMESPACE">namespace</option>
        </select>
      </label>
      <span class="quiet">Days in {zone}</span>
    </div>
  );
}

/** A period, with buttons for the period before it and the one after it. */
function Steps(given: {
  readonly view: View;
  readonly name: 'at' | 'with';
  readonly period: Period;
  readonly words: string;
}) {
  const { view, name, period, words } = given;
  const go = (ms: number): void => view.set({ [name]: new Date(ms).toISOString() });
  return (
    <div class="steps" role="group" aria-label={words}>
      <button type="button" aria-label={`${words}: earlier`} onClick={() => go(period.fromMs - 1)}>
        <Icon of={ChevronLeft} />
      </button>
      <span class="step">{period.name}</span>
      <button type="button" aria-label={`${words}: later`} onClick={() => go(period.toMs)}>
        <Icon of={ChevronRight} />
      </button>
    </div>
  );
}
