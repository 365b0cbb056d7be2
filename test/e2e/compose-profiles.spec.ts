import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { parse } from 'yaml';
import { startTestDatabase } from '../support/database.js';
import { textsOf } from '../support/page-blocks.js';
import { hasProgram, itHasProgram } from '../support/programs.js';

const run = promisify(execFile);

interface Service {
  readonly profiles?: readonly string[];
  readonly build?: string;
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

interface DataSource {
  readonly name: string;
  readonly type: string;
  readonly url: string;
  readonly user?: string;
}

interface Source {
  readonly type: string;
  readonly uid: string;
}

interface Dashboard {
  readonly templating: {
    readonly list: readonly {
      readonly type: string;
      readonly name: string;
      readonly query: unknown;
      readonly datasource?: Source;
    }[];
  };
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly datasource?: Source;
    readonly targets?: readonly {
      readonly datasource: Source;
      readonly expr?: string;
      readonly rawSql?: string;
    }[];
  }[];
}

const read = (path: string): unknown => parse(readFileSync(path, 'utf8'), { merge: true });

const { services } = read('docker-compose.yml') as { services: Readonly<Record<string, Service>> };
const PROVISIONING = 'packaging/grafana/provisioning';
const { datasources } = read(`${PROVISIONING}/datasources/hindsight.yaml`) as {
  datasources: readonly DataSource[];
};
const DASHBOARDS = ['hindsight-prometheus.json', 'hindsight-sql.json'];

/** Runs the entrypoint of a service in a shell of this computer, with the given variables alone. */
function enter(name: string, env: NodeJS.ProcessEnv): { status: number | null; stderr: string } {
  const { entrypoint = [] } = services[name] ?? {};
  const [program = '', ...args] = entrypoint.map((word) => word.replaceAll('$$', '$'));
  return spawnSync(program, args, { env: { PATH: process.env['PATH'], ...env }, encoding: 'utf8' });
}

describe('the profiles of docker-compose.yml', () => {
  itHasProgram('promtool');
  itHasProgram('psql');

  it('have Prometheus and Grafana, and Metabase, and publish only pages with a login', () => {
    const profiles = Object.entries(services).flatMap(([name, { profiles = [], ports = [] }]) =>
      profiles.map((profile) => [profile, name, ports.length]),
    );
    expect(profiles).toEqual([
      ['monitoring', 'prometheus', 0],
      ['monitoring', 'grafana', 1],
      ['bi', 'metabase-database', 0],
      ['bi', 'metabase', 1],
    ]);
    for (const name of ['grafana', 'metabase'])
      expect(services[name]?.ports?.[0]).toMatch(/^\$\{\w+:-127\.0\.0\.1:\d+\}:3000$/);
  });

  it.each([
    ['grafana', { GRAFANA_SQL_PASSWORD: 'x' }, 'GF_SECURITY_ADMIN_PASSWORD: set GRAFANA_PASSWORD'],
    ['grafana', { GF_SECURITY_ADMIN_PASSWORD: 'x' }, 'GRAFANA_SQL_PASSWORD: set it'],
    ['metabase-database', { METABASE_PASSWORD: '' }, 'METABASE_PASSWORD: set it'],
  ])('do not start %s without a password', (name, env, complaint) => {
    expect(enter(name, env)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(complaint) as string,
    });
  });

  it('start Grafana once its passwords are set', () => {
    const env = { GF_SECURITY_ADMIN_PASSWORD: 'x', GRAFANA_SQL_PASSWORD: 'y' };
    expect(enter('grafana', env)).toMatchObject({
      status: 127,
      stderr: expect.stringContaining('/run.sh') as string,
    });
  });
});

describe('the provisioned Grafana', () => {
  it('mounts the data sources and both dashboards where it reads them', () => {
    const { volumes = [] } = services['grafana'] ?? {};
    expect(volumes).toContain(`./${PROVISIONING}:/etc/grafana/provisioning:ro`);
    const { providers } = read(`${PROVISIONING}/dashboards/hindsight.yaml`) as {
      providers: { options: { path: string } }[];
    };
    const folders = providers.map(({ options }) => `./packaging/grafana:${options.path}:ro`);
    expect(volumes).toEqual(expect.arrayContaining(folders));
  });

  it('asks services of the compose file, as the role of sql-user', () => {
    expect(
      datasources.map(({ url }) => new URL(url.includes('//') ? url : `postgres://${url}`).host),
    ).toEqual(['prometheus:9090', 'postgres:5432']);
    const [lines = ''] = textsOf('docs/running.md', 'sh').filter((text) =>
      text.includes('--profile monitoring'),
    );
    expect(lines).toContain(` sql-user ${datasources[1]?.user} `);
  });

  it.each(DASHBOARDS)('has exactly one data source for every query of %s', (file) => {
    const { panels, templating } = read(`packaging/grafana/${file}`) as Dashboard;
    const [choice, ...variables] = templating.list;
    expect(choice).toMatchObject({ type: 'datasource', name: 'datasource' });
    const type = String(choice?.query);
    expect(datasources.filter((each) => each.type === type)).toHaveLength(1);
    const drawn = panels.filter((panel) => panel.type !== 'row');
    expect(drawn.length).toBeGreaterThan(10);
    for (const { title, datasource, targets = [] } of drawn) {
      expect({ title, targets: targets.length }).not.toEqual({ title, targets: 0 });
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        expect({ title, ...source }).toEqual({ title, type, uid: '${datasource}' });
      for (const { expr, rawSql } of targets) expect(expr ?? rawSql).toMatch(/\w/);
    }
    for (const { datasource } of variables) expect(datasource).toEqual({ type, uid: '${datasource}' });
  });
});

describe('the Prometheus of the compose file', () => {
  const FILE = 'packaging/prometheus/prometheus.yml';
  const config = read(FILE) as {
    rule_files: string[];
    scrape_configs: { authorization: { credentials_file: string }; dns_sd_configs: { names: string[] }[] }[];
  };
  const [scrape] = config.scrape_configs;

  it('scrapes every process of Hindsight, with the key that its entrypoint writes', () => {
    const ours = Object.entries(services).flatMap(([name, { build }]) => (build ? name : []));
    expect(['migrate', ...(scrape?.dns_sd_configs[0]?.names ?? [])]).toEqual(ours);
    expect(services['prometheus']?.entrypoint?.at(-1)).toContain(
      `printf %s "$$HINDSIGHT_API_KEY" > ${scrape?.authorization.credentials_file}\n`,
    );
  });

  if (hasProgram('promtool')) {
    it('is configured as promtool allows, rules included', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'prometheus-config-'));
      try {
        // Promtool asks for the file of the key, which only the container has.
        writeFileSync(join(folder, 'api-key'), 'a-key-of-16-chars');
        const text = readFileSync(FILE, 'utf8')
          .replace('/tmp/api-key', join(folder, 'api-key'))
          .replace('[alerts.yml]', `[${resolve('packaging/prometheus/alerts.yml')}]`);
        writeFileSync(join(folder, 'prometheus.yml'), text);
        const { stdout } = await run('promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
        expect(stdout).toMatch(/prometheus\.yml is valid[^]+SUCCESS: \d\d rules found/);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

describe('the database of Metabase', () => {
  if (hasProgram('psql')) {
    it('belongs to a role that reads nothing of the record, also when it is made again', async () => {
      const database = await startTestDatabase();
      const ours = new Client({ connectionString: database.url });
      await ours.connect();
      const asMetabase = async <T>(name: string, use: (client: Client) => Promise<T>): Promise<T> => {
        const url = new URL(database.url);
        Object.assign(url, { username: 'metabase', password: 'second', pathname: `/${name}` });
        const client = new Client({ connectionString: url.href });
        await client.connect();
        try {
          return await use(client);
        } finally {
          await client.end();
        }
      };
      try {
        for (const password of ['first', 'second']) {
          const args = [database.url, '-v', 'ON_ERROR_STOP=1', '-f', 'packaging/metabase/database.sql'];
          await run('psql', args, { env: { ...process.env, METABASE_PASSWORD: password } });
        }
        await asMetabase('metabase', (client) => client.query('CREATE TABLE question (id int)'));
        const { pathname } = new URL(database.url);
        for (const table of ['event', 'reporting.nodes'])
          await expect(
            asMetabase(pathname.slice(1), (client) => client.query(`SELECT FROM ${table}`)),
          ).rejects.toMatchObject({ code: '42501' });
      } finally {
        await ours.query('DROP DATABASE IF EXISTS metabase WITH (FORCE)');
        await ours.query('DROP ROLE IF EXISTS metabase');
        await ours.end();
        await database.stop();
      }
    });
  }
});
