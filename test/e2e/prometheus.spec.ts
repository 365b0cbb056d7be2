import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { FIGURES } from '../../src/api/metrics/metric-table.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { findFreePort } from '../support/free-port.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { samplesOf, valueOf, type PrometheusSample } from '../support/prometheus-text.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);

const KEY = 'a-key-of-16-chars';
const PATIENCE_MS = 180_000;
const RULES = resolve('packaging/prometheus/alerts.yml');

/** Metrics of this process, in addition to the figures of the database. */
const OWN = [
  'hindsight_block_time_seconds_bucket',
  'hindsight_build_info',
  'hindsight_http_request_duration_seconds_bucket',
  'hindsight_inclusion_seconds_bucket',
  'hindsight_leader',
  'hindsight_observed_submissions_total',
  'hindsight_poll_duration_seconds_bucket',
  'hindsight_polls_total',
  'hindsight_pool_connections',
  'hindsight_queue_jobs',
];

/** Gauges that keep the names they had as counters, because scripts rely on them. */
const CALLED_TOTAL = ['hindsight_losses_total', 'hindsight_submissions_total'];

/** Metrics that appear once ten minutes of data exist. */
const LATER = ['hindsight_disk_growth_bytes', 'hindsight_disk_days_left'];

/** Metrics of systems that the settings of this service do not name: see da-node.spec.ts and execution-layer.spec.ts. */
const NOT_NAMED = /^hindsight_(?:da_node|account|execution)_/;

interface Panel {
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = parse(readFileSync(RULES, 'utf8')) as {
  groups: { rules: { alert: string; expr: string }[] }[];
};
const dashboard = JSON.parse(readFileSync('packaging/grafana/hindsight-prometheus.json', 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
};

const alertExpressions = rules.groups.flatMap(({ rules: list }) => list.map(({ expr }) => expr));
/** Expressions as Grafana sends them, with its variables replaced. */
const panelExpressions = dashboard.panels
  .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  .map((expr) =>
    expr.replaceAll(/\$__(?:rate_interval|range)/g, '1m').replaceAll(/\$(?:node|chain|job)/g, '.*'),
  );
const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);

describe('Prometheus', () => {
  itHasProgram('prometheus');
  itHasProgram('promtool');
});

describe('/metrics of a service', () => {
  const home = new ServiceHome();
  let node: Devnode;
  let service: ServiceProcess;
  let text: string;
  let samples: PrometheusSample[];

  const scrape = async (): Promise<string> => {
    const response = await fetch(`${service.address}/metrics`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };

  beforeAll(async () => {
    node = await startDevnode({ chainId: 'prom-1', blockTimeMs: 200, daBlockTimeMs: 500 });
    const config = join(home.dataDir, 'hindsight.yaml');
    writeFileSync(config, 'chains:\n  - id: prom-1\n    da: { gasPrice: 0.004 }\n    public: [finality]\n');
    const args = [
      'start',
      '--node',
      `dev=${node.url}`,
      '--node',
      'dead=http://127.0.0.1:1',
      '--port',
      '0',
      '--config',
      config,
    ];
    service = home.launch(args, { env: { HINDSIGHT_API_KEY: KEY } });
    await service.ready;
    const wanted = [
      ...Object.keys(FIGURES).filter((name) => !LATER.includes(name) && !NOT_NAMED.test(name)),
      ...OWN,
    ];
    let missing = wanted;
    await waitFor(
      'every metric',
      async () => {
        text = await scrape();
        samples = samplesOf(text);
        const names = new Set(samples.map(({ name }) => name));
        missing = wanted.filter((name) => !names.has(name));
        return missing.length === 0 || undefined;
      },
      PATIENCE_MS,
    ).catch((error: unknown) => {
      throw new Error(`never told: ${missing.join(', ')}`, { cause: error });
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
  }, PATIENCE_MS);

  it('serves what the settings show to strangers without a key', async () => {
    const read = async (chain: string) => {
      const response = await fetch(`${service.address}/public/${chain}`);
      return { status: response.status, text: await response.text() };
    };
    expect((await read('prom-2')).status).toBe(404);
    const { status, text: page } = await read('prom-1');
    expect(status).toBe(200);
    expect(page).toMatch(/<h2>Finality<\/h2>.*<dt>p50<\/dt><dd>[\d.]+ s<\/dd>/s);
    expect(page).not.toContain('Uptime');
  });

  it('has every metric, for a node that answers and for a node that does not', () => {
    const of = (name: string, labels: Record<string, string>) => valueOf(samples, name, labels);
    expect(of('hindsight_leader', {})).toBe(1);
    expect(of('hindsight_node_reachable', { node: 'dev', chain: 'prom-1' })).toBe(1);
    expect(of('hindsight_node_reachable', { node: 'dead' })).toBe(0);
    expect(of('hindsight_node_head_height', { node: 'dead' })).toBeUndefined();
    expect(of('hindsight_polls_total', { subject: 'submissions', outcome: 'ok' })).toBeGreaterThan(0);
    expect(of('hindsight_polls_total', { subject: 'submissions', outcome: 'refused' })).toBeGreaterThan(0);
    expect(of('hindsight_polls_total', { subject: 'probes', outcome: 'refused' })).toBeGreaterThan(0);
    expect(
      of('hindsight_observed_submissions_total', { node: 'dev', chain: 'prom-1', status: 'SUCCESS' }),
    ).toBeGreaterThan(0);
    expect(of('hindsight_observed_submissions_total', { node: 'dead', status: 'SUCCESS' })).toBe(0);
    expect(of('hindsight_poll_duration_seconds_count', { subject: 'blocks' })).toBeGreaterThan(0);
    expect(of('hindsight_block_time_seconds_count', { node: 'dev' })).toBeGreaterThan(0);
    expect(of('hindsight_inclusion_seconds_count', { node: 'dev' })).toBeGreaterThan(0);
    expect(of('hindsight_projection_lag_events', { projection: 'record' })).toBeGreaterThanOrEqual(0);
    expect(of('hindsight_pool_connections', { state: 'idle' })).toBeGreaterThan(0);
  });

  it('has every metric that the rules and the dashboard use', () => {
    const told = new Set([...samples.map(({ name }) => name), ...Object.keys(FIGURES)]);
    const named = [...alertExpressions, ...panelExpressions, ...variables].flatMap((expr) =>
      [...expr.matchAll(/\b(?:hindsight|process|nodejs)_\w+/g)].map(([name]) => name),
    );
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !told.has(name))).toEqual([]);
  });

  if (hasProgram('promtool')) {
    it('passes promtool, and so do the rules', async () => {
      const checking = run('promtool', ['check', 'metrics']);
      checking.child.stdin?.end(text);
      const { stdout, stderr } = await checking.catch((error: { stdout: string; stderr: string }) => error);
      const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
      expect(complaints.toSorted()).toEqual(
        CALLED_TOTAL.map((name) => `${name} non-counter metrics should not have "_total" suffix`),
      );
      expect((await run('promtool', ['check', 'rules', RULES])).stdout).toContain('SUCCESS');
    });
  }

  if (hasProgram('prometheus')) {
    it(
      'is scraped by a real Prometheus, which accepts the rules and every query of the dashboard',
      async () => {
        const prometheus = await RealPrometheus.start(service.address);
        try {
          await prometheus.isUp();
          for (const expr of panelExpressions) {
            expect({ expr, ...(await prometheus.ask('query', { query: expr })) }).toMatchObject({
              status: 'success',
            });
          }
          for (const definition of variables) {
            const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? [];
            const match = selector.replaceAll(/\$\w+/g, '.*');
            const { data } = await prometheus.ask(`label/${label}/values`, { 'match[]': match });
            expect({ definition, values: (data as string[]).length }).not.toEqual({ definition, values: 0 });
          }
          const { data } = (await prometheus.ask('rules')) as {
            data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
          };
          const found = data.groups.flatMap(({ rules: list }) => list);
          expect(found).toHaveLength(alertExpressions.length);
          expect(found.filter(({ health }) => health === 'err')).toEqual([]);
        } finally {
          await prometheus.stop();
        }
      },
      PATIENCE_MS,
    );
  }
});

/** A Prometheus for one spec, which scrapes only one service. */
class RealPrometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  static async start(target: string): Promise<RealPrometheus> {
    const folder = mkdtempSync(join(process.env['HINDSIGHT_TEST_FOLDER'] ?? tmpdir(), 'prometheus-'));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [
        {
          job_name: 'hindsight',
          authorization: { credentials: KEY },
          static_configs: [{ targets: [new URL(target).host] }],
        },
      ],
    };
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const port = await findFreePort();
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn('prometheus', args, { stdio: 'ignore' });
    // The file with its process id lets a later run stop a Prometheus that a killed run left behind.
    writeFileSync(join(folder, 'pid'), String(child.pid));
    return new RealPrometheus(child, folder, `http://127.0.0.1:${port}`);
  }

  async ask(what: string, parameters: Record<string, string> = {}): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}/api/v1/${what}?${new URLSearchParams(parameters).toString()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  /** Resolves once the service is scraped and every rule is evaluated. */
  async isUp(): Promise<void> {
    await waitFor('a scrape without error', async () => {
      const { data } = (await this.ask('targets')) as {
        data: { activeTargets: { health: string; lastError: string }[] };
      };
      const [target] = data.activeTargets;
      if (target?.lastError) throw new Error(target.lastError);
      return target?.health === 'up' || undefined;
    });
    await waitFor('the rules', async () => {
      const { data } = (await this.ask('rules')) as { data: { groups: { rules: { health: string }[] }[] } };
      const all = data.groups.flatMap(({ rules: list }) => list);
      return (all.length > 0 && all.every(({ health }) => health !== 'unknown')) || undefined;
    });
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
