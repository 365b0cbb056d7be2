import { useTitle } from '../frame/title.js';
import ALERTS from '../data/alerts.graphql?raw';
import type { AlertsQuery } from '../data/answers.gen.js';
import { useAnswer } from '../data/use-answer.js';
import { isPast, type View } from '../data/view.js';
import { AlertDestinations } from '../parts/alert-destinations.js';
import { AlertRules } from '../parts/alert-rules.js';
import { AlertSetup } from '../parts/alert-setup.js';
import { EndedAlerts, OpenAlerts } from '../parts/alert-tables.js';
import { Skeleton } from '../parts/card.js';
import { Silences } from '../parts/silences.js';
import { Verdict, type State } from '../parts/state-badge.js';

/** Shows who is notified of what: open alerts, silences, destinations with their deliveries, ended alerts, and rules. */
export function AlertsPage({ view }: { readonly view: View }) {
  const { answer, error, again } = useAnswer<AlertsQuery>([ALERTS, '', () => ({})], {
    on: [{ kind: 'IncidentChanged' }],
  });
  const [state, words] = answer === undefined ? [undefined, 'Alerts'] : verdictOf(answer);
  useTitle(answer === undefined ? 'Alerts' : `Alerts: ${words}`);
  if (answer === undefined)
    return (
      <>
        <h1>Alerts</h1>
        {!error && <Skeleton lines={6} />}
      </>
    );
  const hasDestinations = answer.alertDestinations.length > 0;
  return (
    <>
      <Verdict state={state} words={words} />
      {isPast(view) && <p class="notice">Alerts are shown as they are now, not at the past moment.</p>}
      {!hasDestinations && <AlertSetup />}
      {answer.open.nodes.length > 0 && (
        <OpenAlerts alerts={answer.open.nodes} hasMore={answer.open.pageInfo.hasNextPage} />
      )}
      {(hasDestinations || answer.silences.length > 0) && (
        <Silences silences={answer.silences} again={again} />
      )}
      {hasDestinations && <AlertDestinations destinations={answer.alertDestinations} again={again} />}
      {(hasDestinations || answer.over.nodes.length > 0) && <EndedAlerts alerts={answer.over.nodes} />}
      {hasDestinations && <AlertRules rules={answer.alertRules} />}
    </>
  );
}

/** The worst state of the open alerts, and how many there are, in words. */
function verdictOf({ open, alertDestinations }: AlertsQuery): readonly [State | undefined, string] {
  const { nodes, pageInfo } = open;
  if (nodes.length === 0)
    return alertDestinations.length === 0
      ? [undefined, 'No alerts are set up']
      : ['HEALTHY', 'No open alerts'];
  const state = nodes.some(({ severity }) => severity === 'CRITICAL') ? 'CRITICAL' : 'WARNING';
  const count = `${nodes.length}${pageInfo.hasNextPage ? '+' : ''}`;
  const silenced = nodes.filter((alert) => alert.silenced).length;
  return [
    state,
    `${count} open ${nodes.length === 1 ? 'alert' : 'alerts'}${silenced > 0 ? `, ${silenced} silenced` : ''}`,
  ];
}
