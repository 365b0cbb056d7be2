import { presentStateOf, type JudgedIncident } from '../data/verdict.js';
import { StateBadge } from './state-badge.js';

/** The present state of an incident, with its worst state if that differs; for an incident that is over, the worst. */
export function IncidentState({ incident }: { readonly incident: JudgedIncident }) {
  const { severity, to } = incident;
  if (to !== null) return <StateBadge state={severity} title="its worst state" />;
  const state = presentStateOf(incident);
  return (
    <>
      <StateBadge state={state ?? 'UNKNOWN'} name={state === undefined ? 'recovering' : undefined} />
      {state !== severity && <small> at worst {severity.toLowerCase()}</small>}
    </>
  );
}
