import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { apiSettings, workerSettings } from '../../domain/settings/index.ts';
import { generatorFolder, NotInstalled, once, run } from '../support/client-generators/generator.ts';

const root = join(import.meta.dirname, '..', '..');
const CHART = join(root, 'deploy/helm');
const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1';
const FOLDER = generatorFolder(HELM.replaceAll('/', '+'));

const failure = await once(FOLDER, async () => run('go', ['install', HELM], { env: { GOBIN: FOLDER } })).then(
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
  env: z
    .array(z.object({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() }))
    .default([]),
  envFrom: z.array(z.record(z.string(), z.object({ name: z.string() }))).default([]),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), procMount: z.string().optional() }),
});
const podSchema = z.object({
  metadata: z.object({ labels }),
  spec: z.object({
    hostUsers: z.boolean().optional(),
    runtimeClassName: z.string().optional(),
    securityContext: z.object({ runAsNonRoot: z.literal(true) }),
    containers: z.array(container).length(1),
  }),
});
const workloadSchema = z.object({ spec: z.object({ template: podSchema }) });
const selectorSchema = z.object({ spec: z.object({ selector: z.object({ matchLabels: labels }) }) });

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Renders the chart, and returns its manifests by kind and name. */
async function render(values: object = {}): Promise<ReadonlyMap<string, Manifest>> {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  const text = await run(join(FOLDER, 'helm'), ['template', 'prod', CHART, '--namespace', 'agents', '--values', file]);
  const manifests = parseAllDocuments(text).flatMap((document) => (document.toJS() ?? []) as Manifest | Manifest[]);
  return new Map(manifests.map((manifest) => [`${manifest.kind}/${manifest.metadata.name}`, manifest]));
}

function podOf(manifests: ReadonlyMap<string, unknown>, name: string) {
  const { metadata, spec } = workloadSchema.parse(manifests.get(name)).spec.template;
  const [first] = spec.containers;
  if (first === undefined) throw new Error(`${name} has no container`);
  return { labels: metadata.labels, ...spec, container: first };
}

describeChart(`the Helm chart${failure instanceof NotInstalled ? ` (skipped: ${failure.message})` : ''}`, () => {
  test('passes helm lint', async () => {
    if (failure !== undefined) throw failure;
    expect(await run(join(FOLDER, 'helm'), ['lint', '--strict', CHART])).toContain('0 chart(s) failed');
  });

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
      expect(started.env.map((variable) => variable.name).filter((variable) => !known.includes(variable))).toEqual([]);
    }
    const settings = z.object({ data: labels }).parse(manifests.get('ConfigMap/prod-settings')).data;
    expect(settings).toMatchObject({ TEMPORAL_ADDRESS: 'temporal:7233', LOG_LEVEL: 'debug' });
    expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('migrates before each installation and upgrade, as the owner of the tables, whose password nothing else has', async () => {
    const manifests = await render({ secrets: { service: 'ours', migration: 'owner' } });
    expect(manifests.get('Job/prod-migration')?.metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade',
    });
    const { container: migration } = podOf(manifests, 'Job/prod-migration');
    expect(migration.envFrom).toEqual([]);
    expect(migration.env).toEqual([
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'owner', key: 'DATABASE_URL' } } },
    ]);
    for (const name of ['Deployment/prod-api', 'Deployment/prod-worker'])
      expect(podOf(manifests, name).container.envFrom.at(-1)).toEqual({ secretRef: { name: 'ours' } });
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
    const ingress = { enabled: true, className: 'nginx', host: 'agents.example.com', tlsSecret: 'tls' };
    const published = await render({ ingress, worker: { sandbox: 'hostUsers' } });
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
});
