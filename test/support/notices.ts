import type { Alert } from '../../src/domain/alerts/alert-ledger.js';

/** Milliseconds since 1970. */
export const SINCE = Date.UTC(2026, 0, 2, 3, 4, 5);
/** An alert of seven nodes, with text of a node that would mention people in a chat. */
export const ALERT: Alert = {
  id: 'da-failing-00ff',
  rule: 'da-failing',
  severity: 'CRITICAL',
  owner: 'alpha-1',
  chain: 'alpha-1',
  nodes: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  since: SINCE,
  reason: 'the last 5 attempts failed: <!channel> \u0007& gone',
  words: { title: 'Submissions fail', means: 'It means this.', remedy: 'Do that.' },
  link: 'https://h.example/incident/1',
  runbook: 'https://h.example/runbooks/da-failing',
};
export const RAISED = {
  key: 'da-failing-00ff-raised',
  alert: ALERT,
  status: 'RAISED',
  until: null,
  at: SINCE + 60_000,
} as const;
export const RESOLVED = {
  ...RAISED,
  key: 'da-failing-00ff-resolved',
  status: 'RESOLVED',
  until: SINCE + 3_600_000,
} as const;
export const REMINDED = { ...RAISED, key: 'da-failing-00ff-reminded-7', status: 'REMINDED' } as const;
export const ACKNOWLEDGED = {
  ...RAISED,
  key: 'da-failing-00ff-acknowledged',
  status: 'ACKNOWLEDGED',
  by: 'ana',
} as const;
