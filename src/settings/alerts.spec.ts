import { ALERT_RULES } from '../domain/alerts/alert-rules.js';
import { loadSettings } from './settings.js';

const load = (text: string) =>
  loadSettings({ flags: {}, env: {}, file: { name: 'hindsight.yaml', text } }).alerts.destinations;

describe('alerts in the settings', () => {
  it('are none when left out', () => {
    expect(load('port: 1')).toEqual([]);
    expect(load('alerts: {}')).toEqual([]);
  });

  it('have destinations of each kind', () => {
    const yaml = `
alerts:
  destinations:
    - { id: ops, webhook: https://ops.example/x, secret: a-secret-of-16-chars }
    - { id: chat, slack: https://chat.example/y }
    - { id: am, alertmanager: http://am:9093 }
    - { id: pager, pagerduty: 0123456789abcdef0123456789ABCDEF }
    - { id: eu, pagerduty: 0123456789abcdef0123456789ABCDEF, url: https://events.eu.pagerduty.com/v2/enqueue }
    - { id: phone, telegram: -1001234567890, token: "123456:AAbbCCddEEffGGhhIIjjKK" }
    - { id: room, telegram: "@ops_room", token: "123456:AAbbCCddEEffGGhhIIjjKK", url: http://bots.internal:8081/ }
    - { id: teams, teams: https://prod-1.westeurope.logic.azure.com/workflows/x }
    - { id: mail, email: ops@example.org, smtp: "smtps://u:p%40ss@mail.example.org", from: hindsight@example.org }
`;
    expect(load(yaml)).toEqual([
      { id: 'ops', kind: 'webhook', url: 'https://ops.example/x', secret: 'a-secret-of-16-chars' },
      { id: 'chat', kind: 'slack', url: 'https://chat.example/y' },
      { id: 'am', kind: 'alertmanager', url: 'http://am:9093' },
      {
        id: 'pager',
        kind: 'pagerduty',
        url: 'https://events.pagerduty.com/v2/enqueue',
        routingKey: '0123456789abcdef0123456789ABCDEF',
      },
      {
        id: 'eu',
        kind: 'pagerduty',
        url: 'https://events.eu.pagerduty.com/v2/enqueue',
        routingKey: '0123456789abcdef0123456789ABCDEF',
      },
      {
        id: 'phone',
        kind: 'telegram',
        url: 'https://api.telegram.org/bot123456:AAbbCCddEEffGGhhIIjjKK/sendMessage',
        chat: '-1001234567890',
      },
      {
        id: 'room',
        kind: 'telegram',
        url: 'http://bots.internal:8081/bot123456:AAbbCCddEEffGGhhIIjjKK/sendMessage',
        chat: '@ops_room',
      },
      { id: 'teams', kind: 'teams', url: 'https://prod-1.westeurope.logic.azure.com/workflows/x' },
      {
        id: 'mail',
        kind: 'email',
        url: 'smtps://u:p%40ss@mail.example.org',
        from: 'hindsight@example.org',
        to: 'ops@example.org',
      },
    ]);
  });

  it('have a heartbeat, whose address is not printed if it is wrong', () => {
    const read = (heartbeat: string) =>
      loadSettings({
        flags: {},
        env: {},
        file: { name: 'hindsight.yaml', text: `alerts: { heartbeat: "${heartbeat}" }` },
      }).alerts;
    expect(read('https://watch.example/my-secret').heartbeat).toBe('https://watch.example/my-secret');
    expect(() => read('my-secret')).toThrow(/alerts\.heartbeat must be a URL with http:\/\/ or https:\/\/\./);
    expect(() => read('my-secret')).not.toThrow(/my-secret/);
  });

  it('report all their errors at once, without a secret', () => {
    const yaml = `
alerts:
  destination: []
  destinations:
    - { id: a b, webhook: ftp://my-secret }
    - { id: c }
    - { id: d, slack: https://d.example, webhook: https://d.example, secret: short }
    - { id: e, slack: https://e.example, secret: a-secret-of-16-chars }
    - { id: f, email: ops@example.org }
    - { id: g, email: "a@b, c@d", smtp: smtp://my-secret%@h, from: x }
    - { id: h, slack: https://h.example, from: a@example.org }
    - { id: i, pagerduty: my-secret-key }
    - { id: j, telegram: ops, token: my-secret }
    - { id: k, telegram: 1 }
    - { id: l, webhook: https://l.example, secret: whsec_my-secret-0123456789 }
    - { id: m, email: a@example.org, smtp: "smtp:/", from: a@example.org }
`;
    const complain = (): unknown => load(yaml);
    expect(complain).toThrow(/alerts\.destination is unknown; did you mean "destinations"/);
    expect(complain).toThrow(/destinations\[1\]\.id must be 1 to 64 letters/);
    expect(complain).toThrow(/destinations\[1\]\.webhook must be a URL/);
    expect(complain).toThrow(/destinations\[2\] must have one of webhook, slack, alertmanager, pagerduty/);
    expect(complain).toThrow(/destinations\[3\]\.secret must have 16 to 200/);
    expect(complain).toThrow(/destinations\[4\] has secret, which only webhook can have/);
    expect(complain).toThrow(/destinations\[6\]\.email must be one mail address/);
    expect(complain).toThrow(/destinations\[6\]\.smtp must have its user and password percent-encoded/);
    expect(complain).toThrow(/destinations\[12\]\.smtp must name a server/);
    expect(complain).toThrow(/destinations\[6\]\.from must be one mail address/);
    expect(complain).toThrow(/destinations\[5\] must have smtp and from in addition to email/);
    expect(complain).toThrow(/destinations\[7\] has from, which only email can have/);
    expect(complain).toThrow(/destinations\[8\]\.pagerduty must be the integration key/);
    expect(complain).toThrow(/destinations\[9\]\.telegram must be the id of a chat/);
    expect(complain).toThrow(/destinations\[9\]\.token must be the token of a bot/);
    expect(complain).toThrow(/destinations\[10\] must have token in addition to telegram/);
    expect(complain).toThrow(/destinations\[11\]\.secret must be base64 after whsec_/);
    expect(complain).not.toThrow(/my-secret|a-secret/);
    const twice =
      'alerts: { destinations: [{ id: a, slack: https://a.example }, { id: a, slack: https://b.example }] }';
    expect(() => load(twice)).toThrow(/alerts\.destinations use an id twice/);
  });

  const read = (yaml: string) =>
    loadSettings({ flags: {}, env: {}, file: { name: 'hindsight.yaml', text: `alerts:\n${yaml}` } }).alerts;

  it('have our rules if they name none', () => {
    expect(read('  destinations: []').rules).toEqual(ALERT_RULES);
  });

  it('change one of our rules by its name, and leave it out', () => {
    const { rules } = read(`
  rules:
    - { name: da-failing, for: 5m, severity: WARNING, title: Ours }
    - { name: node-stuck, off: true }
    - { name: many-failures, failures: { above: 10%, over: 5m } }
`);
    const [ours] = ALERT_RULES;
    expect(rules[0]).toEqual({ ...ours, forMs: 300_000, severity: 'WARNING', title: 'Ours' });
    expect(rules.map(({ name }) => name)).toEqual(
      ALERT_RULES.map(({ name }) => name).filter((name) => name !== 'node-stuck'),
    );
    expect(rules.find(({ name }) => name === 'many-failures')).toMatchObject({
      condition: { kind: 'failures', above: 0.1, overMs: 300_000, attempts: 10 },
      unless: ['da-failing', 'da-silent'],
    });
  });

  it('have rules for everything that one may want to know', () => {
    const { rules } = read(`
  destinations: [{ id: ops, webhook: https://ops.example }]
  rules:
    - { name: a, health: { of: DA, states: [WARNING] }, chains: "prod-*", nodes: [a*, b?], group: node, resolved: false }
    - { name: b, failures: { above: 0.4 }, destinations: [ops], unless: [a] }
    - { name: c, cost: { budget: 100, per: month, forecast: true } }
    - { name: d, cost: { budget: "50.5", unit: EUR, per: day } }
    - { name: e, hole: { within: 1h } }
    - { name: f, coverage: { below: 99.5% } }
    - { name: g, noLook: 5m, severity: CRITICAL }
    - { name: h, pending: { above: 50 } }
    - { name: i, claim: differs }
    - { name: j, hindsight: degraded, for: 1h }
    - { name: k, disk: { free: 50GB } }
    - { name: l, cost: { budget: 9, per: year, fiscalYearStart: 4, forecast: true } }
`);
    const own = rules.slice(ALERT_RULES.length);
    expect(own.map(({ condition }) => condition)).toEqual([
      { kind: 'health', component: 'DA', states: ['WARNING'] },
      { kind: 'failures', above: 0.4, overMs: 600_000, attempts: 10 },
      { kind: 'cost', budget: '100', unit: 'TIA', per: 'MONTH', forecast: true },
      { kind: 'cost', budget: '50.5', unit: 'EUR', per: 'DAY', forecast: false },
      { kind: 'hole', withinMs: 3_600_000 },
      { kind: 'coverage', below: 0.995, overMs: 3_600_000 },
      { kind: 'noLook', ms: 300_000 },
      { kind: 'pending', above: 50 },
      { kind: 'claim' },
      { kind: 'hindsight', is: 'DEGRADED' },
      { kind: 'disk', freeBytes: 50e9, days: 7 },
      { kind: 'cost', budget: '9', unit: 'TIA', per: 'YEAR', yearStart: 4, forecast: true },
    ]);
    expect(own[0]).toMatchObject({
      severity: 'WARNING',
      forMs: 60_000,
      scope: { nodes: ['a*', 'b?'], chains: ['prod-*'] },
      groupBy: 'NODE',
      tellsEnd: false,
    });
    expect(own[1]).toMatchObject({ forMs: 0, destinations: ['ops'], unless: ['a'] });
    expect(own.map(({ tellsEnd = true }) => tellsEnd).indexOf(false, 1)).toBe(4);
    expect(own[6]?.severity).toBe('CRITICAL');
    expect(own[9]?.forMs).toBe(3_600_000);
    expect(own.every(({ title, means, remedy }) => title && means && remedy)).toBe(true);
  });

  it('have times of maintenance, once or each week', () => {
    const { maintenance } = read(`
  maintenance:
    - { from: 2026-03-01T22:00:00Z, to: 2026-03-02, chains: [prod-*] }
    - { weekly: Sun 02:30, for: 2h, rules: da-* }
`);
    expect(maintenance).toEqual([
      {
        scope: { chains: ['prod-*'] },
        when: { from: Date.UTC(2026, 2, 1, 22), until: Date.UTC(2026, 2, 2) },
      },
      { scope: { rules: ['da-*'] }, when: { weeklyAt: (6 * 24 + 2.5) * 3_600_000, forMs: 7_200_000 } },
    ]);
  });

  it('report all errors in rules and maintenance at once', () => {
    const complain = (): unknown =>
      read(`
  destinations: [{ id: ops, webhook: ftp://my-secret }, { id: am, alertmanager: "http://am", remind: 1s }]
  rules:
    - { name: a }
    - { name: b, claim: differs, noLook: 5m }
    - { name: c, failures: { above: 140%, over: soon } }
    - { name: d, claim: differs, destinations: [nobody] }
    - { name: d, noLook: 5m, for: 1m }
    - { name: e, claim: differs, unless: [nothing] }
    - { name: f, cost: { budget: 1, per: day, forecast: true } }
    - { name: g, health: { rules: [failed] } }
    - { name: h, conditon: 1, chains: [] }
    - { name: i, disk: {}, nodes: "a*", chains: [b] }
    - { name: not-recording, chains: [b] }
    - { name: j, hindsight: degraded, nodes: [a] }
    - { name: k, cost: { budget: 1, per: day }, nodes: [a] }
    - { name: l, health: { of: DA, rules: [failing, head-still] } }
    - { name: m, health: { of: NODE, rules: [frozen] } }
    - { name: n, health: { rules: [healthy] } }
    - { name: o, health: { rules: [failing, frozen], states: [WARNING] } }
    - { name: p, failures: { above: 100%, over: 0s } }
    - { name: q, coverage: { below: 0, over: 59s } }
    - { name: r, noLook: 0s }
    - { name: s, hole: { within: 1s } }
    - { name: t, claim: differs, unless: [t] }
    - { name: u, claim: differs, unless: [v] }
    - { name: v, claim: differs, unless: [w, da-failing] }
    - { name: w, claim: differs, unless: [u] }
    - { name: da-failing, unless: [node-stuck] }
    - { name: node-stuck, unless: [da-silent] }
    - { name: x, cost: { budget: 1, per: month, fiscalYearStart: 4 } }
    - { name: y, cost: { budget: 1, per: year, fiscalYearStart: 13 } }
  maintenance:
    - { from: 2026-03-02, to: 2026-03-01 }
    - { weekly: Sonntag, for: 2h }
    - { from: 2026-03-02, for: 2h }
    - { weekly: Sun 02:00, for: 0s }
    - { weekly: Sun 02:00, for: 1h, rules: [da-*, da-failling] }
`);
    for (const fault of [
      /destinations\[1\]\.webhook must be a URL/,
      /destinations\[2\]\.remind must be at least 5m/,
      /rules\[1\] is not a built-in rule, and must have one of health, failures/,
      /rules\[2\] has noLook and claim: give one condition/,
      /rules\[3\]\.failures\.above must be a percentage like 40%/,
      /rules\[3\]\.failures\.over must be a duration/,
      /rules\[4\]\.destinations names an unknown destination/,
      /rules\[5\] has for, but noLook has its own time/,
      /rules\[6\]\.unless names an unknown rule/,
      /rules\[7\]\.cost has a forecast, which exists only for a month, quarter or year in TIA/,
      /rules\[28\]\.cost has fiscalYearStart, which only a quarter or year can have/,
      /rules\[29\]\.cost\.fiscalYearStart must be at most 12/,
      /rules\[8\]\.health\.rules\[1\] must be one of/,
      /rules\[9\]\.conditon is unknown/,
      /rules\[9\]\.chains must name one/,
      /rules\[10\] has nodes, but disk does not depend on them: it would never match/,
      /rules\[10\] has chains, but disk does not depend on them/,
      /rules\[11\] has chains, but hindsight does not depend on them/,
      /rules\[12\] has nodes, but hindsight does not depend on them/,
      /rules\[13\] has nodes, but cost does not depend on them/,
      /rules\[14\]\.health\.rules names a rule of another component than of/,
      /rules\[15\]\.health\.rules names a rule of another component than of/,
      /rules\[16\]\.health\.rules\[1\] must be one of/,
      /rules\[17\]\.health\.states has no state of the rules that it names: it would never match/,
      /rules\[18\]\.failures\.above must be below 100%/,
      /rules\[18\]\.failures\.over must be at least 1m/,
      /rules\[19\]\.coverage\.below must be above 0%/,
      /rules\[19\]\.coverage\.over must be at least 1m/,
      /rules\[20\]\.noLook must be at least 1m/,
      /rules\[21\]\.hole\.within must be at least 1m/,
      /rules\[22\]\.unless leads back to the rule itself/,
      /rules\[23\]\.unless leads back/,
      /rules\[24\]\.unless leads back/,
      /rules\[25\]\.unless leads back/,
      /maintenance\[4\]\.for must be more than 0/,
      /maintenance\[5\]\.rules matches no rule/,
      /alerts\.rules use a name twice/,
      /maintenance\[1\] must end after it begins/,
      /maintenance\[2\]\.weekly must be like Sun 02:00/,
      /maintenance\[3\] must have from and to, or weekly and for/,
    ])
      expect(complain).toThrow(fault);
    expect(complain).not.toThrow(/my-secret|rules\[2[67]\]\.unless/);
  });

  it('have a public address without a secret in it', () => {
    const url = (publicUrl: string) =>
      loadSettings({ flags: { publicUrl }, env: {}, file: undefined }).publicUrl;
    expect(() => url('https://ops.example/hindsight/')).toThrow(/--public-url must have no path: the pages/);
    expect(url('https://da.example:8443/')).toBe('https://da.example:8443/');
    expect(() => url('https://u:my-secret@da.example')).toThrow(/--public-url must have no user/);
    expect(() => url('https://da.example?key=my-secret')).not.toThrow(/my-secret/);
  });
});
