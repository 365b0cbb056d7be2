import { duration } from '../domain/health/health-rule.js';
import { nanosToMillis } from '../domain/time.js';
import { ConsensusApi } from '../node-api/consensus-api.js';
import type { Clock } from '../platform/clock.js';
import type { HttpClient } from '../platform/http.js';
import { redactText } from '../platform/redact.js';
import { readSystem } from '../settings/node.js';
import type { CheckReport } from './check-report.js';

/** Polls the REST of a consensus node once. */
export async function checkConsensus(
  http: HttpClient,
  clock: Clock,
  url: string,
  signal: AbortSignal,
): Promise<CheckReport> {
  const head = await new ConsensusApi(http, readSystem(url)).head(signal);
  if (!head.ok) {
    const problem = redactText(head.detail);
    return {
      facts: [['Consensus node', problem]],
      recordable: [],
      lacking: [`the head of the DA chain, because ${problem}: enable its API (\`[api]\` in app.toml)`],
    };
  }
  const { chain, height, timeNs } = head.value;
  const ageMs = Math.max(0, clock.now() - nanosToMillis(timeNs));
  return {
    facts: [
      ['Consensus node', 'answers'],
      ['DA chain', chain],
      ['Head', `${height}, ${duration(ageMs)} old`],
    ],
    recordable: [
      'whether the DA chain is halted, or goes on without the DA node',
      'balances of accounts, each at a known DA height',
    ],
    lacking: [],
  };
}
