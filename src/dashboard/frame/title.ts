import { useEffect } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';

const LONGEST_TITLE = 200;
/** The worst present state of the fleet, as it is drawn in tabs: a colour, and a sign before the title. */
const TAB_STATES = {
  CRITICAL: { colour: '#e5484d', sign: '✕ ' },
  WARNING: { colour: '#ffc53d', sign: '! ' },
  NONE: { colour: '#6e6ade', sign: '' },
} as const;
export type TabState = keyof typeof TAB_STATES;

const tab: { title: string; state: TabState } = { title: '', state: 'NONE' };

function draw(): void {
  const { colour, sign } = TAB_STATES[tab.state];
  document.title = `${sign}${tab.title === '' ? '' : `${toPrintable(tab.title, LONGEST_TITLE)} · `}Hindsight`;
  const ring = `<circle cx='8' cy='8' r='6' fill='none' stroke='${colour}' stroke-width='2.5'/>`;
  const core = `<circle cx='8' cy='8' r='${tab.state === 'NONE' ? 2 : 5}' fill='${colour}'/>`;
  const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${ring}${core}</svg>`;
  document
    .querySelector('link[rel=icon]')
    ?.setAttribute('href', `data:image/svg+xml,${encodeURIComponent(icon)}`);
}

/** Shows the title of a page in its tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    tab.title = title;
    draw();
  }, [title]);
}

/** Shows the worst present state of the fleet in the tab. */
export function useTabState(state: TabState): void {
  useEffect(() => {
    tab.state = state;
    draw();
  }, [state]);
}
