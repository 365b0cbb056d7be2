import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { parse, parseAllDocuments } from 'yaml';
import { checkTypes } from '../support/kubernetes-objects.js';
import { hasProgram } from '../support/programs.js';

const CHART = 'packaging/helm/hindsight';
const RULES = readFileSync('packaging/prometheus/alerts.yml', 'utf8');

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Values {
  readonly image: { readonly repository: string };
  readonly existingSecret: string;
  readonly roles: Readonly<Record<string, { readonly replicas: number }>>;
  readonly resources: object;
  readonly heapMegabytes: number;
}

const documentsOf = (text: string): Manifest[] =>
  parseAllDocuments(text).flatMap((each) => (each.contents === null ? [] : (each.toJS() as Manifest)));

const textOf = (name: string): string => readFileSync(join(CHART, name), 'utf8');
const values = parse(textOf('values.yaml')) as Values;
const chart = parse(textOf('Chart.yaml')) as { version: string; appVersion: string };
const plain = documentsOf(readFileSync('packaging/kubernetes/hindsight.yaml', 'utf8'));

/** A manifest without the fields that only the chart has. */
function withoutAdditions(manifest: Manifest): Manifest {
  const text = JSON.stringify(manifest, (key, value: unknown) =>
    ['app.kubernetes.io/instance', 'annotations', 'imagePullPolicy'].includes(key) ? undefined : value,
  );
  return JSON.parse(text) as Manifest;
}

/** The manifest of a role as Helm renders it with the chart's own values, without Helm. Only this template's expressions are known. */
function renderDeployment(role: string): Manifest {
  const words: readonly [RegExp, string][] = [
    [/^ *\{\{- (?:range|with|end|toYaml \.) ?.*\}\}\n/gm, ''],
    [/\{\{- include "hindsight\.labels" \$ \| nindent \d+ \}\}/g, 'app.kubernetes.io/name: hindsight'],
    [/\{\{- toYaml \(mergeOverwrite .+ \| nindent 12 \}\}/g, JSON.stringify(values.resources)],
    [/\{\{ toYaml \$\.Values\.settings \| sha256sum \}\}/g, 'sum'],
    [/\{\{ include "hindsight\.name" \$ \}\}/g, 'hindsight'],
    [/\{\{ \$\.Values\.image\.repository \}\}/g, values.image.repository],
    [/\{\{ \$\.Values\.image\.tag \| default \$\.Chart\.AppVersion \}\}/g, chart.appVersion],
    [/\{\{ \$\.Values\.image\.pullPolicy \}\}/g, 'IfNotPresent'],
    [/\{\{ \$\.Values\.existingSecret \}\}/g, values.existingSecret],
    [/\{\{ \$\.Values\.heapMegabytes \}\}/g, String(values.heapMegabytes)],
    [/\{\{ \$own\.replicas \}\}/g, String(values.roles[role]?.replicas)],
    [/\{\{ \$role \}\}/g, role],
  ];
  const text = words.reduce(
    (rest, [from, to]) => rest.replaceAll(from, to),
    textOf('templates/deployments.yaml'),
  );
  expect(text).not.toContain('{{');
  return documentsOf(text)[0]!;
}

/** What Helm renders for a release. */
function renderAll(release: string, ...settings: readonly string[]): Manifest[] {
  const args = ['template', release, CHART, ...settings.flatMap((each) => ['--set', each])];
  const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return documentsOf(stdout);
}

const byName = (manifests: readonly Manifest[]) =>
  new Map(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, withoutAdditions(each)]));

describe('the Helm chart', () => {
  it('is of the version of the program', () => {
    const { version } = parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  it('has the alert rules of packaging/prometheus', () => {
    expect(textOf('alerts.yml')).toBe(RULES);
  });

  it('runs each role as the plain manifests do', () => {
    const deployments = plain.filter(({ kind }) => kind === 'Deployment');
    expect(Object.keys(values.roles)).toHaveLength(deployments.length);
    const rendered = Object.keys(values.roles).map((role) => withoutAdditions(renderDeployment(role)));
    expect(rendered).toEqual(deployments.map(withoutAdditions));
  });

  it('uses every value of values.yaml', () => {
    const templates = readdirSync(join(CHART, 'templates')).map((name) => textOf(`templates/${name}`));
    for (const name of Object.keys(values)) expect(templates.join('\n')).toContain(`.Values.${name}`);
  });

  // Neither npm nor Debian has Helm; GitHub's machines do.
  (hasProgram('helm') ? describe : describe.skip)('rendered by Helm', () => {
    it('equals the plain manifests', () => {
      const [rendered, wanted] = [byName(renderAll('hindsight')), byName(plain)];
      const settings = 'ConfigMap hindsight';
      const settingsOf = (each?: Manifest): unknown =>
        parse((each as unknown as { data: Record<string, string> }).data['hindsight.yaml'] ?? '');
      expect(settingsOf(rendered.get(settings))).toEqual(settingsOf(wanted.get(settings)));
      for (const each of [rendered, wanted]) each.delete(settings);
      expect(rendered).toEqual(wanted);
    });

    it('matches the types of the Kubernetes API with everything on, under another name', () => {
      const all = renderAll(
        'prod',
        'ingress.enabled=true',
        'ingress.className=nginx',
        'serviceMonitor.enabled=true',
        'prometheusRule.enabled=true',
        'roles.api.replicas=3',
        'roles.api.resources.limits.memory=2Gi',
        'pod.nodeSelector.disk=ssd',
      );
      const own = all.filter(({ kind }) => !['ServiceMonitor', 'PrometheusRule'].includes(kind));
      expect(checkTypes(own)).toEqual([]);
      for (const { metadata } of all) expect(metadata.name).toMatch(/^prod-hindsight/);
      const api = all.find(({ metadata }) => metadata.name === 'prod-hindsight-api') as unknown as Deployment;
      expect(api.spec).toMatchObject({
        replicas: 3,
        template: {
          spec: {
            nodeSelector: { disk: 'ssd' },
            containers: [{ resources: { requests: { cpu: '100m' }, limits: { memory: '2Gi' } } }],
          },
        },
      });
      expect(all.find(({ kind }) => kind === 'PrometheusRule')?.spec).toEqual(parse(RULES));
      expect(all.find(({ kind }) => kind === 'ServiceMonitor')?.spec).toMatchObject({
        endpoints: [{ authorization: { credentials: { name: 'hindsight', key: 'HINDSIGHT_API_KEY' } } }],
      });
    });
  });
});
