import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { apiSettings, workerSettings } from '../../domain/settings/settings.ts';
import { generatorFolder, NotInstalled, once, run } from '../support/client-generators/generator.ts';
import { PythonEnvironment } from '../support/client-generators/python-environment.ts';

const root = join(import.meta.dirname, '..', '..');
const CHART = join(root, 'deploy/helm');
const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const FOLDER = generatorFolder(HELM.replaceAll('/', '+'));
/** Has the schemas of each version of Kubernetes. */
const VALIDATOR = 'kubernetes-validate==1.37.0';
/** The first version that the chart is for, and the last one that the validator knows. */
const KUBERNETES = ['1.30', '1.37'];
const python = new PythonEnvironment(generatorFolder(VALIDATOR), [VALIDATOR]);

const failure = await once(FOLDER, async () => run('go', ['install', HELM], { env: { GOBIN: FOLDER } }))
  .then(async () => python.install())
  .then(
    () => undefined,
    (error: Error) => error,
  );
const describeChart = failure instanceof NotInstalled ? describe.skip : describe;
const folder = mkdtempSync(join(tmpdir(), 'everturn-chart-'));
afterAll(() => rmSync(folder, { recursive: true }));

const labels = z.record(z.string(), z.string());
const probe = z.object({ failureThreshold: z.int().optional() });
const container = z.object({
  image: z.string(),
  command: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  envFrom: z.array(z.strictObject({ configMapRef: z.object({ name: z.string() }) })).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), procMount: z.string().optional() }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const volume = z.object({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() });
const podSchema = z.object({
  metadata: z.object({ labels }),
  spec: z.object({
    hostUsers: z.boolean().optional(),
    runtimeClassName: z.string().optional(),
    securityContext: z.object({ runAsNonRoot: z.literal(true) }),
    containers: z.array(container).length(1),
    volumes: z.array(volume),
  }),
});
const workloadSchema = z.object({ spec: z.object({ template: podSchema }) });
const selectorSchema = z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) });

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Runs Helm on the chart with values. */
async function helm(values: object, ...args: readonly string[]): Promise<string> {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  return run(join(FOLDER, 'helm'), [...args, CHART, '--namespace', 'agents', '--values', file]);
}

/** Renders the chart, and returns its manifests by kind and name. */
async function render(values: object = {}): Promise<ReadonlyMap<string, Manifest>> {
  const text = await helm(values, 'template', 'prod');
  const manifests = parseAllDocuments(text).flatMap((document) => (document.toJS() ?? []) as Manifest | Manifest[]);
  return new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest]));
}

function podOf(manifests: ReadonlyMap<string, unknown>, name: string) {
  const { metadata, spec } = workloadSchema.parse(manifests.get(name)).spec.template;
  const [first] = spec.containers;
  if (first === undefined) throw new Error(`${name} has no container`);
  return { labels: metadata.labels, ...spec, container: first };
}

/** Returns the files that a pod is given in place of settings, by the name of the setting, each with its secret. */
function secretFiles({ container: { env, volumeMounts }, volumes }: ReturnType<typeof podOf>) {
  const files = env.flatMap(({ name, value }) =>
    name.endsWith('_FILE') && value.startsWith('/run/') ? [{ name, value }] : [],
  );
  return Object.fromEntries(
    files.map(({ name, value }) => {
      const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`));
      const mounted = volumes.find((each) => each.name === mount?.name)?.secret?.secretName;
      return [name.replace(/_FILE$/, ''), `${mounted}/${value.slice((mount?.mountPath.length ?? 0) + 1)}`];
    }),
  );
}

const INGRESS = { enabled: true, className: 'nginx', host: 'agents.example.com', tlsSecret: 'tls' };
/** How clusters differ. */
const VALUE_SETS = {
  'the defaults': {},
  'an ingress, and commands of agents in a user namespace': {
    ingress: INGRESS,
    imagePullSecrets: [{ name: 'registry' }],
    worker: { sandbox: 'hostUsers', seccompProfile: { type: 'Localhost', localhostProfile: 'seccomp-sandbox.json' } },
  },
  'workers by what is under way, on machines of their own': {
    worker: {
      autoscaling: { enabled: true, maxReplicas: 4 },
      sandbox: 'gvisor',
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents', operator: 'Exists', effect: 'NoSchedule' }],
    },
  },
};

describeChart(`the Helm chart${failure instanceof NotInstalled ? ` (skipped: ${failure.message})` : ''}`, () => {
  test.each(Object.entries(VALUE_SETS))(
    'passes helm lint and the schemas of Kubernetes with %s',
    async (_title, values) => {
      if (failure !== undefined) throw failure;
      expect(await helm(values, 'lint', '--strict')).toContain('0 chart(s) failed');
      const file = join(folder, 'manifests.yaml');
      writeFileSync(file, await helm(values, 'template', 'prod'));
      const count = (await render(values)).size;
      for (const version of KUBERNETES) {
        const said = await python.run('kubernetes-validate', ['--strict', '--kubernetes-version', version, file]);
        expect(said.match(/^INFO .* passed for .* against version/gm)).toHaveLength(count);
      }
    },
  );

  test('starts what is in the image, with settings that the product reads, and no secret of its own', async () => {
    const manifests = await render({ settings: { TEMPORAL_ADDRESS: 'temporal:7233', LOG_LEVEL: 'debug' } });
    expect([...manifests.keys()].toSorted()).toEqual([
      'ConfigMap/prod-settings',
      'Deployment/prod-api',
      'Deployment/prod-worker',
      'Job/prod-migration',
      'PodDisruptionBudget/prod-api',
      'PodDisruptionBudget/prod-worker',
      'Service/prod-api',
    ]);
    const known = Object.keys({ ...apiSettings.shape, ...workerSettings.shape });
    for (const name of ['Deployment/prod-api', 'Deployment/prod-worker', 'Job/prod-migration']) {
      const { container: started } = podOf(manifests, name);
      expect(existsSync(join(root, started.command.at(-1) ?? ''))).toBe(true);
      const names = started.env.map((variable) => variable.name).filter((variable) => !known.includes(variable));
      expect(names.filter((variable) => !known.includes(variable.replace(/_FILE$/, '')))).toEqual([]);
    }
    const settings = z.object({ data: labels }).parse(manifests.get('ConfigMap/prod-settings')).data;
    expect(settings).toMatchObject({ TEMPORAL_ADDRESS: 'temporal:7233', LOG_LEVEL: 'debug' });
    expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('migrates before each installation and upgrade, as the owner of the tables, whose password nothing else has', async () => {
    const settings = ['DATABASE_URL', 'SECRET_KEY', 'FILES_URL'];
    const manifests = await render({ secrets: { service: 'ours', migration: 'owner', settings } });
    expect(manifests.get('Job/prod-migration')?.metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    });
    const migration = podOf(manifests, 'Job/prod-migration');
    expect(migration.container.envFrom).toEqual([]);
    expect(migration.container.env).toHaveLength(1);
    expect(secretFiles(migration)).toEqual({ DATABASE_URL: 'owner/DATABASE_URL' });
    for (const name of ['Deployment/prod-api', 'Deployment/prod-worker'])
      expect(secretFiles(podOf(manifests, name))).toEqual(
        Object.fromEntries(settings.map((setting) => [setting, `ours/${setting}`])),
      );
  });

  test.each(['api', 'worker'])('checks the %s, and lets one of its pods be away at a time', async (name) => {
    const manifests = await render();
    const { labels: ofPod, container: started } = podOf(manifests, `Deployment/prod-${name}`);
    expect(started).toMatchObject({ startupProbe: {}, livenessProbe: {} });
    expect(started.readinessProbe !== undefined).toBe(name === 'api');
    const budget = selectorSchema.parse(manifests.get(`PodDisruptionBudget/prod-${name}`));
    expect(ofPod).toMatchObject(budget.spec.selector.matchLabels);
    const service = z.object({ spec: z.object({ selector: labels }) }).parse(manifests.get('Service/prod-api'));
    const other = podOf(manifests, `Deployment/prod-${name === 'api' ? 'worker' : 'api'}`).labels;
    expect(name === 'api' ? ofPod : other).toMatchObject(service.spec.selector);
    expect(name === 'api' ? other : ofPod).not.toMatchObject(service.spec.selector);
  });

  test('publishes the api by an ingress, and confines commands as the cluster can', async () => {
    const published = await render({ ingress: INGRESS, worker: { sandbox: 'hostUsers' } });
    expect(published.get('Ingress/prod')).toMatchObject({
      spec: {
        ingressClassName: 'nginx',
        tls: [{ hosts: ['agents.example.com'], secretName: 'tls' }],
        rules: [{ host: 'agents.example.com' }],
      },
    });
    const worker = podOf(published, 'Deployment/prod-worker');
    expect([worker.hostUsers, worker.container.securityContext.procMount]).toEqual([false, 'Unmasked']);
    const confined = await render({ worker: { sandbox: 'gvisor', replicas: 1 } });
    expect(podOf(confined, 'Deployment/prod-worker').runtimeClassName).toBe('gvisor');
    expect(confined.has('Ingress/prod')).toBe(false);
  });

  test('adds and removes workers by the turns of the installation, in the series that the page gives the adapter', async () => {
    const manifests = await render({ worker: { autoscaling: { enabled: true, maxReplicas: 4, turnsPerWorker: 20 } } });
    const { spec } = z
      .object({ spec: z.record(z.string(), z.unknown()) })
      .parse(manifests.get('Deployment/prod-worker'));
    expect(spec).not.toHaveProperty('replicas');
    const external = { metric: { name: 'everturn_open_turns' }, target: { type: 'AverageValue', averageValue: '20' } };
    expect(manifests.get('HorizontalPodAutoscaler/prod-worker')).toMatchObject({
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'prod-worker' },
        minReplicas: 2,
        maxReplicas: 4,
        metrics: [{ type: 'External', external }],
      },
    });
    const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8');
    const rule = z.object({ seriesQuery: z.string(), name: z.object({ as: z.string() }), metricsQuery: z.string() });
    const adapter = z.object({ rules: z.object({ external: z.tuple([rule]) }) });
    const [{ seriesQuery, name, metricsQuery }] = adapter.parse(parse(/^```yaml\n([^]*?)^```$/m.exec(page)?.[1] ?? ''))
      .rules.external;
    expect(name.as).toBe(external.metric.name);
    expect(metricsQuery).toContain(seriesQuery);
    expect(readFileSync(join(root, 'docs/monitoring.md'), 'utf8')).toContain(`| \`${seriesQuery}\` `);
  });
});
