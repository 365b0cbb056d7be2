import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { AlertRowFragment, AlertsQuery } from '../data/answers.gen.js';
import { linkTo } from '../data/view.js';
import { moment, sentence } from '../data/words.js';
import { Ago } from './ago.js';
import { StateBadge } from './state-badge.js';
import { Table, type Column } from './table.js';

/** Longer reasons are on the page of the incident. */
const LONGEST_REASON = 300;

type OpenAlert = AlertsQuery['open']['nodes'][number];

const COLUMNS: readonly Column<AlertRowFragment>[] = [
  { name: 'Severity', cell: ({ severity }) => <StateBadge state={severity} /> },
  { name: 'Problem', cell: (alert) => <Problem alert={alert} /> },
  { name: 'Affected', cell: affectedOf },
];

/** Open alerts, those raised last first, each with a link to its incident, and who silenced it. */
export function OpenAlerts(given: { readonly alerts: readonly OpenAlert[]; readonly hasMore: boolean }) {
  const { alerts, hasMore } = given;
  return (
    <Table
      stacks
      title="Open alerts"
      none="No open alerts."
      rows={alerts}
      columns={[
        ...COLUMNS,
        { name: 'Since', cell: ({ since }) => <Ago at={since} /> },
        { name: 'Silenced', cell: (alert) => <Silenced alert={alert} /> },
        {
          name: 'Reason',
          cell: ({ reason }) => <bdi class="text">{sentence(reason, LONGEST_REASON)}</bdi>,
        },
      ]}
    >
      {hasMore && <p class="quiet">There are more open alerts; GraphQL has all of them as `alerts`.</p>}
    </Table>
  );
}

/** Alerts that ended, those raised last first. */
export function EndedAlerts({ alerts }: { readonly alerts: AlertsQuery['over']['nodes'] }) {
  return (
    <Table
      stacks
      title="Ended alerts"
      none="No alert has ended yet."
      rows={alerts}
      columns={[
        ...COLUMNS,
        { name: 'Began', cell: ({ since }) => <Ago at={since} /> },
        {
          name: 'Lasted',
          cell: ({ since, until }) =>
            until === null ? 'unknown' : duration(Date.parse(until) - Date.parse(since)),
        },
        {
          name: 'End',
          cell: ({ noLongerMonitored }) =>
            noLongerMonitored.length > 0 ? 'no longer monitored' : 'resolved',
        },
      ]}
    />
  );
}

function Problem({ alert }: { readonly alert: AlertRowFragment }) {
  const { incident, nodes, chain } = alert;
  const [node] = nodes;
  const href =
    incident !== null
      ? linkTo(['incident', incident.id])
      : node !== undefined
        ? linkTo(['node', node])
        : chain !== null
          ? linkTo(['chain', chain])
          : undefined;
  const title = toPrintable(alert.title, 200);
  return (
    <span>
      {href === undefined ? title : <a href={href}>{title}</a>} <small>{toPrintable(alert.rule, 60)}</small>
    </span>
  );
}

function affectedOf({ nodes, chain }: AlertRowFragment) {
  const words = nodes.length > 0 ? nodes.map((id) => toPrintable(id, 60)).join(', ') : undefined;
  return (
    <bdi>
      {words ?? toPrintable(chain ?? 'Hindsight', 60)}
      {words !== undefined && chain !== null && ` (${toPrintable(chain, 60)})`}
    </bdi>
  );
}

function Silenced({ alert }: { readonly alert: OpenAlert }) {
  const { silenced, silences } = alert;
  const [silence] = silences;
  if (silence === undefined) return <>{silenced ? 'by maintenance' : 'no'}</>;
  return (
    <span>
      {!silenced && 'in part, '}by <bdi>{toPrintable(silence.by, 60)}</bdi>{' '}
      <small>until {moment(silence.until)}</small>
    </span>
  );
}
