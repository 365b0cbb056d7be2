import { readFileSync } from 'node:fs';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Container, Service } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/settings/setting-list.js';
import { loadSettings } from '../../src/settings/settings.js';
import { startTestDatabase } from '../support/database.js';
import { startDevnode } from '../../src/devnode/devnode.js';
import { checkTypes } from '../support/kubernetes-objects.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

type Manifest = ConfigMap | Service | PodDisruptionBudget | Deployment;

const FILE = 'packaging/kubernetes/hindsight.yaml';
const manifests = parseAllDocuments(readFileSync(FILE, 'utf8')).map((each) => each.toJS() as Manifest);
const ofKind = <T extends Manifest>(kind: T['kind']): T[] =>
  manifests.filter((each): each is T => each.kind === kind);

const deployments = ofKind<Deployment>('Deployment');
const podOf = ({ spec }: Deployment) => spec!.template;
const containerOf = (deployment: Deployment): Container => podOf(deployment).spec!.containers[0]!;
const environmentOf = (deployment: Deployment) =>
  Object.fromEntries((containerOf(deployment).env ?? []).map(({ name, value }) => [name, value ?? '']));

const KEY = 'a-key-of-16-chars';
const PATIENCE_MS = 120_000;

describe('the Kubernetes manifests', () => {
  it('match the types of the API, field by field', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'Service',
      'PodDisruptionBudget',
      'Deployment',
      'Deployment',
      'Deployment',
    ]);
    expect(checkTypes(manifests)).toEqual([]);
    // The check does find an unknown field and a value of another type.
    const odd = structuredClone(deployments[0]!);
    Object.assign(containerOf(odd).livenessProbe!.httpGet!, { pth: '/' });
    expect(checkTypes([odd])).toEqual([expect.stringMatching(/pth.+ does not exist/)]);
    const other = { ...structuredClone(deployments[0]!), spec: { ...deployments[0]!.spec, replicas: '2' } };
    expect(checkTypes([other])).toEqual([expect.stringContaining("'string' is not assignable")]);
  });

  it('run each role, with two replicas', () => {
    const roles = deployments.map((each) => [environmentOf(each)['HINDSIGHT_ROLE'], each.spec?.replicas]);
    expect(roles).toEqual([
      ['api', 2],
      ['observer', 2],
      ['worker', 2],
    ]);
  });

  it('name only existing objects', () => {
    const [settings] = ofKind<ConfigMap>('ConfigMap');
    for (const deployment of deployments) {
      const { spec, metadata } = podOf(deployment);
      expect(metadata?.labels).toMatchObject(deployment.spec!.selector.matchLabels!);
      expect(deployment.metadata?.name).toBe(`hindsight-${environmentOf(deployment)['HINDSIGHT_ROLE']}`);
      const { volumeMounts = [], ports = [] } = containerOf(deployment);
      expect(volumeMounts.map(({ name }) => name)).toEqual(spec?.volumes?.map(({ name }) => name));
      expect(spec?.volumes?.[0]?.configMap?.name).toBe(settings?.metadata?.name);
      expect(ports).toEqual([{ name: 'http', containerPort: 4400 }]);
    }
    const labels = deployments.map((each) => podOf(each).metadata?.labels);
    const [service] = ofKind<Service>('Service');
    const [budget] = ofKind<PodDisruptionBudget>('PodDisruptionBudget');
    expect(service?.spec?.selector).toEqual(labels[0]);
    expect(budget?.spec?.selector?.matchLabels).toEqual(labels[1]);
  });

  it('set only known variables, and valid settings', () => {
    const [settings] = ofKind<ConfigMap>('ConfigMap');
    const known = [...SETTINGS.map(({ variable }) => variable), 'HINDSIGHT_CONFIG', 'NODE_OPTIONS'];
    for (const deployment of deployments) {
      const environment = environmentOf(deployment);
      expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
      const text = settings?.data?.['hindsight.yaml'] ?? '';
      const env = { ...environment, HINDSIGHT_API_KEY: KEY, DATABASE_URL: 'postgres://db/x' };
      const loaded = loadSettings({
        flags: {},
        env,
        file: { name: 'hindsight.yaml', text },
        needsNodes: true,
      });
      expect(loaded).toMatchObject({ role: environment['HINDSIGHT_ROLE'], port: 4400, nodes: [{}] });
    }
  });

  it('remove unneeded privileges from every container', () => {
    for (const deployment of deployments) {
      const { spec } = podOf(deployment);
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      const { securityContext, resources } = containerOf(deployment);
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources?.limits).toEqual({ memory: '1Gi' });
    }
  });

  it.each(deployments.map((each): [string, Deployment] => [environmentOf(each)['HINDSIGHT_ROLE']!, each]))(
    "probe paths that a process of the role %s answers, without a key and by its pod's address",
    async (_, deployment) => {
      const home = new ServiceHome();
      const database = await startTestDatabase();
      const node = await startDevnode({ chainId: 'kube-1' });
      try {
        const { HINDSIGHT_CONFIG, ...env } = environmentOf(deployment);
        const args = [...(containerOf(deployment).args ?? []), '--port', '0', '--node', `alpha=${node.url}`];
        const service = home.launch(args, {
          databaseUrl: database.url,
          env: { ...env, HINDSIGHT_API_KEY: KEY },
        });
        await service.ready;
        const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
        for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
          await waitFor(`200 of ${probe?.httpGet?.path}`, async () => {
            const { status } = await fetch(
              service.address.replace('0.0.0.0', '127.0.0.2') + probe!.httpGet!.path,
            );
            return status === 200 || undefined;
          });
        }
        expect(HINDSIGHT_CONFIG).toBe('/etc/hindsight/hindsight.yaml');
        expect(await service.kill('SIGTERM')).toBe(0);
      } finally {
        await node.stop();
        await home.clear();
        await database.stop();
      }
    },
    PATIENCE_MS,
  );
});
