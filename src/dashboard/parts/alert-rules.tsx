import { duration } from '../../domain/health/health-rule.js';
import { toPrintable } from '../../domain/printable-text.js';
import type { AlertsQuery } from '../data/answers.gen.js';
import { StateBadge } from './state-badge.js';
import { Table } from './table.js';

const ALL = 'all';

type Rule = AlertsQuery['alertRules'][number];

/** The rules by which people are notified, in words; firing rules come first. */
export function AlertRules({ rules }: { readonly rules: readonly Rule[] }) {
  const isScoped = rules.some((rule) => scopeOf(rule) !== ALL);
  const isRouted = rules.some((rule) => notifiedOf(rule) !== ALL);
  return (
    <Table
      stacks
      title="Rules"
      none="No rule is set."
      rows={rules.toSorted((a, b) => Number(b.openAlerts > 0) - Number(a.openAlerts > 0))}
      columns={[
        { name: 'State', cell: stateOf },
        {
          name: 'Rule',
          cell: ({ title, name, runbook }) => (
            <span>
              {runbook === null ? toPrintable(title, 200) : <a href={runbook}>{toPrintable(title, 200)}</a>}{' '}
              <small>{toPrintable(name, 60)}</small>
            </span>
          ),
        },
        { name: 'Fires when', cell: (rule) => <span class="text">{conditionOf(rule)}</span> },
        { name: 'Severity', cell: ({ severity }) => severity.toLowerCase() },
        isScoped && { name: 'Applies to', cell: (rule) => <bdi>{scopeOf(rule)}</bdi> },
        isRouted && { name: 'Notifies', cell: (rule) => <bdi>{notifiedOf(rule)}</bdi> },
      ]}
    />
  );
}

function stateOf({ openAlerts, severity, unevaluated }: Rule) {
  if (openAlerts > 0)
    return (
      <StateBadge state={severity} name={openAlerts === 1 ? 'firing' : `firing, ${openAlerts} alerts`} />
    );
  const [first] = unevaluated;
  if (first === undefined) return <span class="quiet">not firing</span>;
  return (
    <span>
      <StateBadge state="UNKNOWN" name="cannot be evaluated" />
      <small class="text">
        {toPrintable(first.chain, 60)}: {toPrintable(first.reason, 200)}
        {unevaluated.length > 1 && `; and ${unevaluated.length - 1} more`}
      </small>
    </span>
  );
}

function conditionOf({ condition, afterMs }: Rule): string {
  return `${toPrintable(condition, 300)}${afterMs > 0 ? `, for ${duration(afterMs)}` : ''}`;
}

function scopeOf({ nodes, chains }: Rule): string {
  const parts = [
    ...(nodes === null ? [] : [`nodes ${patterns(nodes)}`]),
    ...(chains === null ? [] : [`chains ${patterns(chains)}`]),
  ];
  return parts.length === 0 ? ALL : parts.join('; ');
}

function notifiedOf({ destinations }: Rule): string {
  return destinations === null ? ALL : patterns(destinations);
}

function patterns(texts: readonly string[]): string {
  return texts.map((text) => toPrintable(text, 60)).join(', ');
}
