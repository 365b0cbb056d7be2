import { isObject, member } from '../node-api/wire-values.js';
import type { HttpResult } from '../platform/http-messages.js';
import { asSpecified, missing, notSeen, otherwise, type Check, type CheckFinding } from './check.js';
import { memberAt, objectOf } from './node-answers.js';
import { describeAnswer } from './words.js';

/** Sections 2.6, 3.2, 4.2 and 4.3: the probes and the status query. */
export const PROBE_CHECKS: readonly Check[] = [
  {
    section: '4.2',
    row: 'GET /health/live',
    use: 'recorded: NODE health',
    judge: ({ live }) => judgeProbe(live),
  },
  {
    section: '4.2',
    row: 'GET /health/ready',
    use: 'recorded: NODE health',
    judge: ({ ready }) => judgeProbe(ready),
  },
  {
    section: '4.3',
    row: 'GET /status',
    use: 'recorded: NODE health',
    judge: ({ status }) => {
      if (!status) return notSeen('no status endpoint was given');
      return (objectOf(status) ? asSpecified : missing)(describeAnswer(status));
    },
  },
  {
    section: '2.6',
    row: 'sync_info.catching_up',
    use: 'recorded: NODE health; also within a JSON-RPC envelope',
    judge: ({ status }) => judgeCatchingUp(status),
  },
];

/** The specification leaves bodies and statuses of the probes open, so every answer counts. */
function judgeProbe(probe: HttpResult): CheckFinding {
  if (probe.kind === 'failure' || probe.status === 404) return missing(describeAnswer(probe));
  return asSpecified(describeAnswer(probe));
}

function judgeCatchingUp(status: HttpResult | null): CheckFinding {
  const object = objectOf(status);
  if (!object) return notSeen('no status record');
  const direct = memberAt(object, 'syncInfo.catchingUp');
  if (typeof direct === 'boolean') return asSpecified(String(direct));
  const result = member(object, 'result');
  const wrapped = isObject(result) ? memberAt(result, 'syncInfo.catchingUp') : undefined;
  return typeof wrapped === 'boolean' ? otherwise(`${wrapped}, within result`) : missing('not in the record');
}
