import { withRemedyOfCause } from '../../src/alerts/alert-remedies.js';
import type { Alert } from '../../src/domain/alerts/alert-ledger.js';
import { ALERT_RULES, WORDS } from '../../src/domain/alerts/alert-rules.js';
import { NO_HEALTH } from '../../src/domain/health/health-fold.js';
import { TROUBLE_WORDS } from '../../src/domain/health/trouble-words.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { useDatabase } from '../support/use-database.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const ERROR = 6;

/** One time for each minute of a period before {@link NOW}, without its end. */
const minutes = (from: number, to: number): string[] =>
  Array.from({ length: from - to }, (_, index) => new Date(NOW - (from - index) * MINUTE).toISOString());

describe('the remedy of an alert', () => {
  const dataSource = useDatabase();
  const world = new StatisticsWorld(dataSource);
  const alert = (nodes: string[], remedy: string = TROUBLE_WORDS.DA.failing.remedy): Alert => ({
    id: 'da-failing-0',
    rule: 'da-failing',
    severity: 'CRITICAL',
    owner: 'berlin-1',
    chain: 'berlin-1',
    nodes,
    since: NOW - 10 * MINUTE,
    reason: '',
    words: { title: '', means: '', remedy },
  });
  const remedyFor = async (...of: Parameters<typeof alert>): Promise<string | undefined> =>
    (await withRemedyOfCause(dataSource, alert(...of), NOW)).words?.remedy;

  beforeAll(async () => {
    await world.addNodes();
    const [funds, refused] = ['insufficient funds code: 5', 'connection refused'];
    await world.addSubmissions(1, minutes(60, 12), { status: ERROR, message: refused });
    await world.addSubmissions(1, minutes(10, 2), { status: ERROR, message: funds });
    await world.addSubmissions(1, minutes(2, 0), { status: ERROR, message: refused });
  });

  it('is the remedy for the most frequent cause since the alert began, not for earlier causes', async () => {
    const remedy = /out of funds \(8 of 10 failures\)\. Fund the DA account/;
    expect(await remedyFor(['b1'])).toMatch(remedy);
    expect(await remedyFor(['b1', 'b2'])).toMatch(remedy);
    const { runbook } = await withRemedyOfCause(dataSource, alert(['b1']), NOW);
    expect(runbook).toBe('/runbooks/failure-causes#out_of_funds');
  });

  it('is about the certificate where TLS with the node fails', async () => {
    const remedy = ALERT_RULES.find(({ name }) => name === 'node-unreachable')?.remedy ?? '';
    const of = (reason: string) => withRemedyOfCause(dataSource, { ...alert(['b1'], remedy), reason }, NOW);
    expect((await of('Node unreachable: certificate has expired.')).words?.remedy).toContain('Renew the');
    expect((await of('Node unreachable: connect ECONNREFUSED.')).words?.remedy).toBe(remedy);
  });

  it('is about the token where each node refuses it, so that Hindsight sees no node', async () => {
    const fold = (statusCode: number) => ({
      ...NO_HEALTH,
      nodeLine: { from: 0, rule: 'refused', state: 'UNKNOWN', judgedTo: 0 },
      node: { ...NO_HEALTH.node, probes: { live: { outcome: 'INVALID', statusCode, detail: '', since: 0 } } },
    });
    await dataSource.query(
      "INSERT INTO health_fold (node, state) VALUES ('b1', $1), ('b2', $2), ('fresh', $3)",
      [fold(401), fold(429), NO_HEALTH].map((state) => JSON.stringify(state)),
    );
    const general = WORDS.noLook.remedy;
    expect(await remedyFor(['b1'], general)).toMatch(/set the right token under "headers"/);
    expect(await remedyFor(['b1', 'b2'], general)).toMatch(/set the right token under "headers"/);
    expect(await remedyFor(['b2'], general)).toMatch(/too many requests/);
    expect(await remedyFor(['b1', 'fresh'], general)).toBe(general);
    const { reason } = await withRemedyOfCause(dataSource, alert(['b1'], general), NOW);
    expect(reason).toBe('The node refuses Hindsight: /health/live answers 401.');
  });

  it('stays as it is where no attempt failed, or where the settings have their own text', async () => {
    expect(await remedyFor(['b2'])).toBe(TROUBLE_WORDS.DA.failing.remedy);
    expect(await remedyFor(['fresh'])).toBe(TROUBLE_WORDS.DA.failing.remedy);
    expect(await remedyFor(['b1'], 'Call Ada.')).toBe('Call Ada.');
  });
});
