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
    - { id: mail, email: ops@example.org, smtp: "smtps://u:p%40ss@mail.example.org", from: hindsight@example.org }
`;
    expect(load(yaml)).toEqual([
      { id: 'ops', kind: 'webhook', url: 'https://ops.example/x', secret: 'a-secret-of-16-chars' },
      { id: 'chat', kind: 'slack', url: 'https://chat.example/y' },
      { id: 'am', kind: 'alertmanager', url: 'http://am:9093' },
      {
        id: 'mail',
        kind: 'email',
        url: 'smtps://u:p%40ss@mail.example.org',
        from: 'hindsight@example.org',
        to: 'ops@example.org',
      },
    ]);
  });

  it('have a heartbeat, whose address is not told where it is wrong', () => {
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

  it('are told all that is wrong with them at once, without a secret', () => {
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
`;
    const complain = (): unknown => load(yaml);
    expect(complain).toThrow(/alerts\.destination is unknown; did you mean "destinations"/);
    expect(complain).toThrow(/destinations\[1\]\.id must be 1 to 64 letters/);
    expect(complain).toThrow(/destinations\[1\]\.webhook must be a URL/);
    expect(complain).toThrow(/destinations\[2\] must have one of webhook, slack, alertmanager/);
    expect(complain).toThrow(/destinations\[3\]\.secret must have 16 to 200/);
    expect(complain).toThrow(/destinations\[4\] has a secret, which only a webhook takes/);
    expect(complain).toThrow(/destinations\[6\]\.email must be one mail address/);
    expect(complain).toThrow(/destinations\[6\]\.smtp must name a server/);
    expect(complain).toThrow(/destinations\[6\]\.from must be one mail address/);
    expect(complain).toThrow(/destinations\[5\] must have smtp and from beside email/);
    expect(complain).toThrow(/destinations\[7\] has smtp or from, which only email takes/);
    expect(complain).not.toThrow(/my-secret|a-secret/);
    const twice =
      'alerts: { destinations: [{ id: a, slack: https://a.example }, { id: a, slack: https://b.example }] }';
    expect(() => load(twice)).toThrow(/alerts\.destinations use an id twice/);
  });
});
