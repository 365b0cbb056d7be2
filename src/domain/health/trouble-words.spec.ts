import { DA_RULES } from './health-da.js';
import { NODE_RULES } from './health-node.js';
import { commandOf, remedyOf, runbookOf, troubleWords, type FoundCauses } from './trouble-words.js';
import { findCause, type FailureDiagnosis } from '../submissions/failure-cause.js';

describe('the words for trouble', () => {
  it.each([
    ['DA', DA_RULES],
    ['NODE', NODE_RULES],
  ] as const)('exist for each rule of %s that reports trouble, and no other', (component, rules) => {
    for (const { name, state } of rules) {
      const isTrouble = state === 'WARNING' || state === 'CRITICAL';
      expect([name, troubleWords(component, name) !== undefined]).toEqual([name, isTrouble]);
    }
  });

  // Sections 7.2 and 7.3 of the specification of the node's interface: the causes that it names, by what the node shows.
  it.each([
    ['DA endpoint unreachable', 'connection refused', ['answers', 'authentication token', 'fully synced']],
    ['out of funds', 'codespace sdk, Code 19', ['Fund the DA account', 'node.da.gas_price']],
  ])('have the remedy of the specification for a logged failure: %s', (_, message, remedies) => {
    const remedy = findCause('ERROR', `DA layer submission failed with error ${message}`)?.remedy ?? '';
    expect(remedies.filter((each) => !remedy.includes(each))).toEqual([]);
  });

  it.each([
    ['no peers connected or not syncing', 'head-still', ['peers', 'wrong address', 'port that is blocked']],
    ['catching up with slowly increasing height', 'catching-up', ['grows slowly', 'peers']],
    ['state root mismatch or execution errors', 'head-still', ['state root', 'execution layer']],
    [
      'the node exiting at once',
      'unreachable',
      ['port in use', 'syntax of its configuration', 'data directory'],
    ],
  ])('have the causes of the specification for a symptom: %s', (_, rule, causes) => {
    const remedy = troubleWords('NODE', rule)?.remedy ?? '';
    expect(causes.filter((each) => !remedy.includes(each))).toEqual([]);
  });

  const causeOf = (message: string): FailureDiagnosis => findCause('ERROR', message) as FailureDiagnosis;
  const funds = { cause: causeOf('insufficient funds'), count: 189n, lastPosition: 208n };
  const refused = { cause: causeOf('connection refused'), count: 19n, lastPosition: 207n };
  const over = (...causes: FoundCauses['causes']): FoundCauses => ({ causes, isOpen: false });
  const open = (...causes: FoundCauses['causes']): FoundCauses => ({ causes, isOpen: true });

  it('name the remedy for the cause of most failures, its count, and its runbook', () => {
    for (const rule of ['failing', 'failures', 'silent']) {
      expect(remedyOf('DA', rule, over(funds, refused))).toMatch(
        /^The DA account is out of funds \(189 of 208 failures\)\. Fund the DA account\./,
      );
      expect(runbookOf('DA', rule, over(funds, refused))).toBe('/runbooks/failure-causes#out_of_funds');
    }
    expect(remedyOf('DA', 'failing', over(refused))).toContain('(all failures)');
  });

  it('name the latest cause while attempts fail, and never a stray one', () => {
    const remedy = (found: FoundCauses) => remedyOf('DA', 'failing', found);
    const [now, stray] = [
      { ...refused, lastPosition: 209n },
      { ...refused, count: 2n, lastPosition: 209n },
    ];
    expect(remedy(open(funds, now))).toMatch(/^The DA endpoint cannot be reached \(19 of 208 failures\)/);
    expect(remedy(over(funds, now))).toMatch(/^The DA account is out of funds \(189 of 208 /);
    expect(remedy(open(funds, stray))).toMatch(/^The DA account is out of funds \(189 of 191 /);
    expect(remedy(open({ ...funds, count: 1n }))).toMatch(/^The DA account is out of funds \(all failures\)/);
  });

  it('leave other rules alone, and rules without a known cause', () => {
    expect(remedyOf('DA', 'frozen', over(funds))).toBe(troubleWords('DA', 'frozen')?.remedy);
    expect(runbookOf('DA', 'frozen', over(funds))).toBe('/runbooks/finality-frozen');
    expect(remedyOf('DA', 'failing', over())).toBe(troubleWords('DA', 'failing')?.remedy);
    expect(runbookOf('DA', 'failing', over())).toBe('/runbooks/da-failing');
    expect(remedyOf('NODE', 'no-rule', over())).toBeUndefined();
    expect(runbookOf('NODE', 'no-rule', over())).toBeUndefined();
  });

  it('have a command for each trouble, which no id or address can extend', () => {
    const values = { INCIDENT_ID: 'Incident:alpha:NODE:1', NODE_URL: 'http://127.0.0.1:7331/' };
    expect(commandOf('NODE', 'unreachable', values)).toBe('curl -i http://127.0.0.1:7331/health/live');
    expect(commandOf('NODE', 'not-ready', values)).toBe('curl -i http://127.0.0.1:7331/health/ready');
    expect(commandOf('COVERAGE', 'unwatched', values)).toBe('hindsight status');
    const plain = 'hindsight incident Incident:alpha:NODE:1';
    expect(commandOf('NODE', 'unreachable', { ...values, NODE_URL: undefined })).toBe(plain);
    expect(commandOf('DA', 'failing', values)).toBe(plain);
    expect(commandOf('NODE', 'no-rule', values)).toBe(plain);
    const hostile = "http://a'; rm -rf $HOME #`x`\u001b[201~\n";
    expect(commandOf('NODE', 'unreachable', { ...values, NODE_URL: hostile })).toBe(
      `curl -i 'http://a'\\''; rm -rf $HOME #\`x\`?[201~ '/health/live`,
    );
    expect(commandOf('DA', 'failing', { ...values, INCIDENT_ID: '$& NODE_URL' })).toBe(
      "hindsight incident '$& NODE_URL'",
    );
  });

  it.each([
    ['certificate has expired', 'Renew the certificate'],
    ['self-signed certificate in certificate chain', 'caFile'],
    ['unable to get local issuer certificate', 'caFile'],
    ["Hostname/IP does not match certificate's altnames: Host: a. is not in the cert", 'Use a host name'],
    ['tlsv13 alert certificate required:SSL alert number 116', 'certFile'],
    ['SSL routines:ssl3_get_record:wrong version number', 'http:// instead of https://'],
  ])('blame no firewall for a fault of TLS: %s', (fault, remedy) => {
    const found = { ...over(), reason: `Node unreachable for 5 min: ${fault}.` };
    expect(remedyOf('NODE', 'unreachable', found)).toContain(remedy);
    expect(remedyOf('DA_NODE', 'da-node-unreachable', found)).toContain(remedy);
    expect(remedyOf('NODE', 'not-live', found)).toBe(troubleWords('NODE', 'not-live')?.remedy);
    expect(remedyOf('NODE', 'unreachable', { ...found, reason: 'connect ECONNREFUSED' })).toBe(
      troubleWords('NODE', 'unreachable')?.remedy,
    );
  });
});
