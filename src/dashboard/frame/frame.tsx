import type { ComponentChildren } from 'preact';
import type { ServiceQuery } from '../data/answers.gen.js';
import { SERVICE_QUESTION } from '../data/questions.js';
import { useAnswer } from '../data/use-answer.js';
import { presentStateOf } from '../data/verdict.js';
import type { View } from '../data/view.js';
import { LiveMark } from './live-mark.js';
import { Navigation } from './navigation.js';
import { Search } from './search.js';
import { Behind, ServiceFooter } from './service-state.js';
import { PastBar, TimeControl, type PastParameters } from './time-control.js';
import { useTabState, type TabState } from './title.js';
import { Troubles } from './troubles.js';

/** Draws the parts that all pages share: navigation, search, the control of times, troubles, and Hindsight's own state. */
export function Frame(given: {
  readonly view: View;
  readonly past?: PastParameters;
  /** The range shown when the address names none, in words; left out if the page has no range. */
  readonly usualRange?: string | undefined;
  readonly children: ComponentChildren;
}) {
  const { view, past, usualRange, children } = given;
  const { answer, error, answeredMs } = useAnswer<ServiceQuery>(SERVICE_QUESTION, {
    on: [{ kind: 'IncidentChanged' }],
  });
  const { nodes = [], pageInfo } = answer?.openIncidents ?? {};
  useTabState(worstOf(nodes));
  const open = nodes.length === 0 ? '' : `${nodes.length}${pageInfo?.hasNextPage ? '+' : ''}`;
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <Navigation path={view.path} openIncidents={open} />
      <div class="page">
        <header class="top">
          <Search view={view} />
          <LiveMark view={view} answeredMs={answeredMs} isLost={error?.trouble === 'away'} />
          <TimeControl view={view} past={past} usualRange={usualRange} chains={answer?.chains ?? []} />
        </header>
        <PastBar view={view} past={past} />
        <main id="content" tabIndex={-1}>
          <Troubles />
          {answer && !error && <Behind service={answer.service} />}
          {children}
        </main>
        <ServiceFooter answer={answer} isLost={error !== undefined} />
      </div>
    </div>
  );
}

/** The worst present state of open incidents. */
function worstOf(open: ServiceQuery['openIncidents']['nodes']): TabState {
  const states = open.map(presentStateOf);
  return (['CRITICAL', 'WARNING'] as const).find((state) => states.includes(state)) ?? 'NONE';
}
