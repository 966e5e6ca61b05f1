import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { type Certificate, makeCertificate } from '../../../../../test/support/certificate.ts';
import { json } from '../../../../../test/support/outside-server.ts';
import { CLUSTER_TOKEN, KubernetesServer, status } from '../../../../../test/support/services/kubernetes-server.ts';
import {
  createTestTools,
  prepareCall,
  type TestIntegration,
  type TestTools,
} from '../../../../../test/support/tool-context.ts';
import { parsePrivateHosts } from '../../../../../domain/network/addresses.ts';
import { createGuardedFetch } from '../../../../core/network/guarded-fetch.ts';
import { createGuardedHttp } from '../../../../core/network/guarded-http.ts';
import { signIn } from '../../../operations/connections/open-connections.ts';
import type { ToolArguments } from '../../../tool.ts';
import { kubernetes } from './kubernetes.ts';

const IN_SHOP = '/api/v1/namespaces/shop';
const WEB = '/apis/apps/v1/namespaces/shop/deployments/web';
const base64 = (text: string) => Buffer.from(text).toString('base64');
let server: KubernetesServer;
let own: Certificate;
let other: Certificate;
let tools: TestTools;
let integrations: readonly TestIntegration[];

function kubeconfig(changes: { server?: string; user?: object } = {}): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'shop',
    clusters: [
      {
        name: 'here',
        cluster: { server: `${changes.server ?? server.url}/`, 'certificate-authority-data': base64(own.cert) },
      },
      { name: 'away', cluster: { server: 'https://169.254.169.254' } },
    ],
    users: [{ name: 'agents', user: changes.user ?? { token: CLUSTER_TOKEN } }],
    contexts: [
      { name: 'shop', context: { cluster: 'here', user: 'agents', namespace: 'shop' } },
      { name: 'kitchen', context: { cluster: 'here', user: 'agents', namespace: 'kitchen' } },
      { name: 'away', context: { cluster: 'away', user: 'agents' } },
    ],
  });
}

beforeAll(async () => {
  [own, other] = await Promise.all([makeCertificate(), makeCertificate()]);
  server = await KubernetesServer.start(own, other.cert);
  const at = (name: string, secrets: Record<string, string>, settings = {}): TestIntegration => ({
    kind: 'kubernetes',
    name,
    apiUrl: server.url,
    fields: Object.keys(secrets),
    secretPlaces: [],
    settings,
    secrets,
  });
  const shown = { 'client-certificate-data': base64(other.cert), 'client-key-data': base64(other.key) };
  integrations = [
    at('token', { token: CLUSTER_TOKEN, ca: own.cert }, { namespace: 'shop' }),
    at('stranger', { token: 'a-token-that-nobody-knows', ca: own.cert }),
    at('ruler', { token: CLUSTER_TOKEN, ca: own.cert }, { namespace: 'shop', allow_cluster_changes: 'yes' }),
    at('untrusted', { token: CLUSTER_TOKEN }),
    at('wrong-ca', { token: CLUSTER_TOKEN, ca: other.cert }),
    at('no-ca', { token: CLUSTER_TOKEN, ca: 'nonsense' }),
    at('certificate', { client_certificate: other.cert, client_key: other.key, ca: own.cert }),
    at('config', { kubeconfig: kubeconfig() }),
    at('one-context', { kubeconfig: kubeconfig() }, { context: 'kitchen' }),
    at('config-certificate', { kubeconfig: kubeconfig({ user: shown }) }),
    at('elsewhere', { kubeconfig: kubeconfig({ server: 'https://10.0.0.1:6443' }) }),
    at('exec', { kubeconfig: kubeconfig({ user: { exec: { command: 'aws' } } }) }),
    at('bomb', { kubeconfig: 'a: &a [1]\nb: [*a, *a]' }),
  ];
  tools = await createTestTools({ privateHosts: `127.0.0.1:${server.port}`, integrations });
});
afterAll(async () => {
  await tools.close();
  server.close();
});
beforeEach(() => {
  server.seen.length = 0;
  server.objects.clear();
  server.answer = () => undefined;
});

const use = async (args: ToolArguments, context = tools.context) => {
  const output = await prepareCall(kubernetes, { integration: 'token', ...args }).run(context);
  expect(output.isForeign).toBe(true);
  return output.value;
};
const asked = () => server.seen.map(({ method, url }) => `${method} ${url}`);
const writes = () => server.seen.filter(({ method }) => method !== 'GET');

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } },
};
const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { key: base64('the secret value') } };

const REPEATED = Object.fromEntries(
  [
    'kubectl.kubernetes.io/last-applied-configuration',
    'banzaicloud.com/last-applied',
    'kapp.k14s.io/original',
    'kapp.k14s.io/original-diff',
    'objectset.rio.cattle.io/applied',
  ].map((name) => [name, JSON.stringify(SECRET)]),
);

describe('a call', () => {
  test.each([
    ['get', 'read'],
    ['list', 'read'],
    ['describe', 'read'],
    ['logs', 'read'],
    ['events', 'read'],
    ['apply', 'keyed'],
    ['scale', 'keyed'],
    ['restart', 'keyed'],
    ['delete', 'keyed'],
  ])('of %s is %s; what writes waits for a person', (action, effect) => {
    expect(kubernetes.prepare({ action })).toMatchObject({ effect, approval: 'writes' });
  });

  test.each(['Pod', 'pods', 'po', 'pod', 'PODS'])('finds the kind by the name %s', async (kind) => {
    server.objects.set(`${IN_SHOP}/pods/a`, { kind: 'Pod', metadata: { name: 'a' } });
    expect(await use({ action: 'get', kind, name: 'a' })).toMatchObject({ kind: 'Pod' });
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${CLUSTER_TOKEN}`);
    expect(asked()).toEqual(['GET /api/v1', `GET ${IN_SHOP}/pods/a`]);
  });

  test('looks in the groups that are asked for most first, or in the one that is named', async () => {
    server.objects.set(WEB, DEPLOYMENT);
    await use({ action: 'get', kind: 'deploy', name: 'web' });
    expect(asked()).toEqual(['GET /api/v1', 'GET /apis', 'GET /apis/apps/v1', `GET ${WEB}`]);
    server.seen.length = 0;
    const args = { action: 'get', kind: 'certificates.cert-manager.io', name: 'c', namespace: 'kitchen' };
    await expect(use(args)).rejects.toMatchObject({ kind: 'not_found' });
    const path = '/apis/cert-manager.io/v1/namespaces/kitchen/certificates/c';
    expect(asked()).toEqual(['GET /apis', 'GET /apis/cert-manager.io/v1', `GET ${path}`]);
  });

  test('says that a kind which nobody knows is not there, and finds others while a group is away', async () => {
    await expect(use({ action: 'list', kind: 'unicorns' })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'The cluster has no kind "unicorns"',
    });
    server.answer = ({ url }) => (url === '/apis/apps/v1' ? json({}, 404) : undefined);
    server.objects.set('/apis/batch/v1/namespaces/shop/cronjobs/n', { kind: 'CronJob', metadata: {} });
    expect(await use({ action: 'get', kind: 'cj', name: 'n' })).toMatchObject({ kind: 'CronJob' });
  });

  test.each<ToolArguments>([
    { action: 'get', kind: 'pods', name: '../../secrets/s' },
    { action: 'get', kind: '../pods', name: 'a' },
    { action: 'get', kind: 'pods', name: 'a', namespace: 'a/b' },
    { action: 'get', kind: 'pods', name: 'a', namespace: '*' },
    { action: 'get', kind: 'pods', name: 'a', context: 'shop' },
    { action: 'delete', kind: 'pods' },
    { action: 'scale', kind: 'deploy', name: 'web', replicas: -1 },
    { action: 'logs', name: '..' },
  ])('of %j reads and changes nothing', async (args) => {
    await expect(use(args)).rejects.toMatchObject({ kind: 'invalid_input' });
    expect(asked().filter((each) => !each.endsWith('/api/v1'))).toEqual([]);
  });
});

describe('what is read', () => {
  test('comes in pages of a few words for each object, as the cluster says them', async () => {
    const table = (names: readonly string[], next?: string) => ({
      kind: 'Table',
      metadata: { continue: next ?? '' },
      columnDefinitions: [
        { name: 'Name', priority: 0 },
        { name: 'Status', priority: 0 },
        { name: 'Node', priority: 1 },
      ],
      rows: names.map((name) => ({
        cells: [name, 'Running', 'n1'],
        object: { metadata: { name, namespace: 'shop' } },
      })),
    });
    server.answer = ({ url }) => {
      if (!url.includes('/pods?')) return undefined;
      return json(url.includes('continue=a%2Bb%3D') ? table(['c']) : table(['a', 'b'], 'a+b='));
    };
    const args = { action: 'list', kind: 'pods', selector: 'app=web,tier!=cache', namespace: '*' };
    expect(await use(args)).toEqual({
      items: [
        { namespace: 'shop', name: 'a', status: 'Running' },
        { namespace: 'shop', name: 'b', status: 'Running' },
      ],
      next: 'a+b=',
    });
    expect(server.seen.at(-1)).toMatchObject({
      url: '/api/v1/pods?limit=100&labelSelector=app%3Dweb%2Ctier%21%3Dcache',
      headers: { accept: expect.stringContaining('as=Table') },
    });
    expect(await use({ ...args, cursor: 'a+b=' })).toMatchObject({ items: [{ name: 'c' }], next: undefined });
  });

  test('of a server that makes no tables are the names', async () => {
    server.answer = ({ url }) =>
      url.includes('/secrets?') ? json({ kind: 'SecretList', metadata: {}, items: [SECRET] }) : undefined;
    expect(await use({ action: 'list', kind: 'secrets' })).toEqual({ items: [{ name: 's' }], next: undefined });
  });

  test.each(['get', 'describe'])('by %s shows no value of a Secret, and nothing that repeats it', async (action) => {
    const annotations = { ...REPEATED, mine: 'the secret value' };
    const metadata = { name: 's', annotations, managedFields: [{ manager: 'kubectl' }] };
    server.objects.set(`${IN_SHOP}/secrets/s`, { ...SECRET, metadata, stringData: { k: 'the secret value' } });
    server.objects.set(`${IN_SHOP}/events`, { kind: 'EventList', metadata: {}, items: [] });
    const value = await use({ action, kind: 'secret', name: 's' });
    expect(JSON.stringify(value)).not.toMatch(
      /the secret value|dGhlIHNlY3JldCB2YWx1ZQ|managedFields|last-applied|original|objectset/,
    );
    const secret = {
      kind: 'Secret',
      data: { key: '***' },
      stringData: { k: '***' },
      metadata: { annotations: { mine: '***' } },
    };
    expect(value).toMatchObject(action === 'get' ? secret : { object: secret, events: [] });
  });

  test('of other kinds has annotations, but for those in which tools repeat what they applied', async () => {
    const metadata = { name: 'a', annotations: { ...REPEATED, mine: 'x', 'kapp.k14s.io/change-group': 'web' } };
    server.objects.set(`${IN_SHOP}/configmaps/a`, { kind: 'ConfigMap', metadata, data: { a: 'b' } });
    expect(await use({ action: 'get', kind: 'cm', name: 'a' })).toEqual({
      kind: 'ConfigMap',
      metadata: { name: 'a', annotations: { mine: 'x', 'kapp.k14s.io/change-group': 'web' } },
      data: { a: 'b' },
    });
  });

  test('by describe has the events of the object, the newest first', async () => {
    server.objects.set(WEB, DEPLOYMENT);
    const event = (reason: string, lastTimestamp: string, count = 1) => ({
      metadata: { creationTimestamp: null },
      involvedObject: { kind: 'Deployment', name: 'web' },
      type: 'Normal',
      reason,
      message: 'm',
      count,
      lastTimestamp,
    });
    const again = { ...event('Again', '2026-11-01T00:00:00Z'), series: { lastObservedTime: '2026-11-02T00:00:00.5Z' } };
    const items = [event('First', '2026-11-01T00:00:00Z'), again, event('Second', '2026-11-02T00:00:00Z', 3)];
    server.objects.set(`${IN_SHOP}/events`, { kind: 'EventList', metadata: {}, items });
    const { events } = (await use({ action: 'describe', kind: 'deploy', name: 'web' })) as { events: unknown[] };
    expect(events).toEqual([
      expect.objectContaining({ reason: 'Again', at: '2026-11-02T00:00:00.5Z' }),
      expect.objectContaining({ reason: 'Second', count: 3 }),
      { at: '2026-11-01T00:00:00Z', about: 'Deployment web', type: 'Normal', reason: 'First', message: 'm' },
    ]);
    const query = 'limit=500&fieldSelector=involvedObject.name%3Dweb%2CinvolvedObject.kind%3DDeployment';
    expect(server.seen.at(-1)?.url).toBe(`${IN_SHOP}/events?${query}`);
    const at = (second: number) => new Date(Date.UTC(2026, 10, 3) + second * 1_000).toISOString();
    const many = Array.from({ length: 60 }, (_, second) => event(`at ${second}`, at(second)));
    server.objects.set(`${IN_SHOP}/events`, { kind: 'EventList', metadata: {}, items: many });
    const listed = (await use({ action: 'events' })) as { events: { reason: string }[] };
    expect(listed).toMatchObject({ older_left_out: 10 });
    expect([listed.events.length, listed.events[0]?.reason, listed.events.at(-1)?.reason]).toEqual([
      50,
      'at 59',
      'at 10',
    ]);
  });

  test.each(['config', 'config-certificate', 'certificate'])(
    'hides of the %s the secrets only',
    async (integration) => {
      const shown = ['apiVersion: v1', other.cert.slice(0, 100), base64(other.cert).slice(0, 100)];
      server.answer = () => (response) => response.end([...shown, other.key, CLUSTER_TOKEN].join('\n'));
      const said = String(await use({ action: 'logs', name: 'web-1', integration }));
      expect(said).toContain(`${shown.join('\n')}\n-----BEGIN PRIVATE KEY-----\n`);
      const isToken = integration === 'config';
      expect([said.includes(CLUSTER_TOKEN), said.includes(other.key)]).toEqual([!isToken, isToken]);
      if (isToken) return;
      const [, ...secret] = other.key.trim().split('\n').slice(0, -1);
      expect(secret.filter((line) => said.includes(line))).toEqual([]);
      server.answer = () => (response) => response.end(base64(other.key));
      const encoded = String(await use({ action: 'logs', name: 'web-1', integration }));
      expect(encoded.length).toBeLessThan(100);
    },
  );

  test('by logs are the last lines, of one container, without the token', async () => {
    server.answer = () => (response) => response.end(`a line with ${CLUSTER_TOKEN}\n`);
    expect(await use({ action: 'logs', name: 'web-1', container: 'web', tail: 5, previous: true })).toBe(
      'a line with ***\n',
    );
    const query = 'container=web&previous=true&tailLines=5&limitBytes=1048576&timestamps=true';
    expect(server.seen[0]?.url).toBe(`${IN_SHOP}/pods/web-1/log?${query}`);
  });
});

describe('apply', () => {
  test('sends the objects of several documents and lists, each as what belongs to us', async () => {
    const list = {
      apiVersion: 'v1',
      kind: 'List',
      items: [SECRET, { ...SECRET, metadata: { name: 't', namespace: 'b' } }],
    };
    const manifest = `# web\n---\n${stringify(DEPLOYMENT)}---\n${stringify(list)}`;
    const value = await use({ action: 'apply', manifest });
    expect(writes().map(({ method, url }) => `${method} ${url}`)).toEqual([
      `PATCH ${WEB}?fieldManager=everturn&force=false`,
      `PATCH ${IN_SHOP}/secrets/s?fieldManager=everturn&force=false`,
      'PATCH /api/v1/namespaces/b/secrets/t?fieldManager=everturn&force=false',
    ]);
    expect(writes()[0]?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(JSON.parse(writes()[0]?.body ?? '')).toEqual(DEPLOYMENT);
    expect(value).toMatchObject({ applied: [{ kind: 'Deployment' }, { data: { key: '***' } }, {}] });
    expect(JSON.stringify(value)).not.toMatch(/dGhlIHNlY3JldCB2YWx1ZQ|managedFields|last-applied/);
  });

  test('says which object a conflict is about, and what was applied before it', async () => {
    const message = 'Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas';
    server.answer = ({ method, url }) =>
      method === 'PATCH' && url.startsWith(WEB) ? status(409, 'Conflict', message) : undefined;
    const failure = use({ action: 'apply', manifest: `${stringify(SECRET)}---\n${stringify(DEPLOYMENT)}` });
    await expect(failure).rejects.toMatchObject({ kind: 'invalid_input', isForeign: true });
    await expect(failure).rejects.toThrow(
      /^Deployment web: Kubernetes answers with the status 409: Apply failed.* \(applied before it: Secret s\)$/,
    );
    await use({ action: 'apply', manifest: stringify(SECRET), force: true });
    expect(server.seen.at(-1)?.url).toContain('force=true');
  });

  test.each([
    [
      'a host path in a template',
      stringify({ ...DEPLOYMENT, spec: { volumes: [{ hostPath: { path: '/' } }] } }),
      'denied',
    ],
    [
      'a privileged pod in a list of lists',
      JSON.stringify({
        kind: 'List',
        items: [
          {
            kind: 'PodList',
            items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { hostPID: true } }],
          },
        ],
      }),
      'denied',
    ],
    [
      'an escape of a name',
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"host\\u004eetwork":true}}',
      'denied',
    ],
    ['a merge key', `x: &x {hostNetwork: true}\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: *x`, 'denied'],
    ['no object', 'hello', 'invalid_input'],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}', 'invalid_input'],
    ['another path', 'apiVersion: v1/../../x\nkind: Pod\nmetadata: {name: a}', 'invalid_input'],
    ['a path as a name', 'apiVersion: v1\nkind: Pod\nmetadata: {name: ../b}', 'invalid_input'],
    ['an unknown kind', 'apiVersion: v1\nkind: Unicorn\nmetadata: {name: a}', 'not_found'],
    ['broken YAML', 'a: [', 'invalid_input'],
  ])('changes nothing with %s', async (_what, manifest, kind) => {
    const first = `${stringify(SECRET)}---\n`;
    await expect(use({ action: 'apply', manifest: first + manifest })).rejects.toMatchObject({ kind });
    expect(writes()).toEqual([]);
  });

  test('of a manifest without any object is a mistake', async () => {
    await expect(use({ action: 'apply', manifest: '---\n# nothing\n' })).rejects.toThrow('contains no object');
  });

  test('of more objects than a call may have changes nothing', async () => {
    const manifest = JSON.stringify({ kind: 'List', items: Array.from({ length: 31 }, () => SECRET) });
    await expect(use({ action: 'apply', manifest })).rejects.toThrow('at most 30 objects');
    expect(writes()).toEqual([]);
  });
});

describe('what rules other objects of the cluster', () => {
  const RULES = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'all' } };
  const object = (apiVersion: string, kind: string, more = {}) => ({
    apiVersion,
    kind,
    metadata: { name: 'a', ...more },
  });
  const SECURITY = { 'pod-security.kubernetes.io/enforce': 'privileged' };

  test.each([
    RULES,
    object('rbac.authorization.k8s.io/v1', 'Role'),
    object('rbac.authorization.k8s.io/v1beta1', 'RoleBinding'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'),
    object('helm.cattle.io/v1', 'HelmChart'),
    object('helm.cattle.io/v1', 'HelmChartConfig'),
    object('admissionregistration.k8s.io/v1', 'MutatingAdmissionPolicy'),
    object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'),
    object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
    object('v1', 'Node'),
    object('certificates.k8s.io/v1', 'CertificateSigningRequest'),
    object('apiregistration.k8s.io/v1', 'APIService'),
    object('source.toolkit.fluxcd.io/v1', 'GitRepository'),
    object('authorization.openshift.io/v1', 'RoleBinding'),
    object('machineconfiguration.openshift.io/v1', 'MachineConfig'),
    object('upgrade.cattle.io/v1', 'Plan'),
    object('fleet.cattle.io/v1alpha1', 'Bundle'),
    object('kyverno.io/v1', 'ClusterPolicy'),
    ...['Workflow', 'WorkflowTemplate', 'ClusterWorkflowTemplate', 'CronWorkflow'].map((kind) =>
      object('argoproj.io/v1alpha1', kind),
    ),
    object('v1', 'Namespace', { labels: SECURITY }),
  ])('is not applied unless the integration allows it: %j', async (manifest) => {
    const failure = use({ action: 'apply', manifest: `${stringify(SECRET)}---\n${stringify(manifest)}` });
    await expect(failure).rejects.toMatchObject({ kind: 'denied' });
    await expect(failure).rejects.toThrow('allow_cluster_changes');
    expect(server.seen).toEqual([]);
  });

  test('is applied and deleted where the integration allows it, and a plain namespace everywhere', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/all';
    await use({ action: 'apply', manifest: stringify(RULES), integration: 'ruler' });
    const gone = { action: 'delete', kind: 'clusterroles', name: 'all' };
    await expect(use(gone)).rejects.toMatchObject({ kind: 'denied' });
    expect(server.objects.has(path)).toBe(true);
    expect(await use({ ...gone, integration: 'ruler' })).toEqual({ deleted: 'ClusterRole all' });
    const manifest = stringify(object('v1', 'Namespace', { labels: { team: 'shop' } }));
    expect(await use({ action: 'apply', manifest })).toMatchObject({ applied: [{ kind: 'Namespace' }] });
  });
});

describe('a change', () => {
  const FIRST = { ...DEPLOYMENT, metadata: { name: 'web', uid: 'first' } };
  const SUCCESSOR = { ...DEPLOYMENT, metadata: { name: 'web', uid: 'successor' } };
  const DELETE = { action: 'delete', kind: 'deploy', name: 'web' };
  const repeated = () => ({ ...tools.context, isRepeated: true });

  test('of the scale or a restart is the same when it is repeated', async () => {
    await use({ action: 'scale', kind: 'deploy', name: 'web', replicas: 3 });
    const restart = { action: 'restart', kind: 'deploy', name: 'web' };
    expect(await use(restart)).toEqual({ restarted: 'Deployment web' });
    await use(restart);
    const [scaled, once, again] = writes();
    expect(scaled).toMatchObject({ method: 'PATCH', url: `${WEB}/scale`, body: '{"spec":{"replicas":3}}' });
    expect(once?.body).toContain(tools.context.idempotencyKey);
    expect(again?.body).toBe(once?.body);
    await expect(use({ ...restart, kind: 'pods' })).rejects.toMatchObject({ kind: 'invalid_input' });
  });

  test('that deletes finds it done when it is repeated, and says what was never there', async () => {
    server.objects.set(WEB, FIRST);
    expect(await use(DELETE)).toEqual({ deleted: 'Deployment web' });
    expect(writes()).toMatchObject([{ method: 'DELETE', url: WEB }]);
    expect(JSON.parse(writes()[0]?.body ?? '')).toEqual({
      propagationPolicy: 'Background',
      preconditions: { uid: 'first' },
    });
    await expect(use(DELETE)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await use(DELETE, repeated())).toEqual({ deleted: 'Deployment web' });
  });

  test('that deletes leaves what a controller makes under the name while it is sent again', async () => {
    server.objects.set(WEB, FIRST);
    server.answer = ({ method }) => {
      if (method !== 'DELETE' || server.objects.get(WEB) !== FIRST) return undefined;
      server.objects.set(WEB, SUCCESSOR);
      return (response) => response.destroy();
    };
    expect(await use(DELETE)).toEqual({ deleted: 'Deployment web' });
    expect(writes()).toHaveLength(2);
    expect(server.objects.get(WEB)).toBe(SUCCESSOR);
  });

  test('that deletes again leaves what is there, unless it is about to go', async () => {
    server.objects.set(WEB, SUCCESSOR);
    await expect(use(DELETE, repeated())).rejects.toMatchObject({
      isUncertain: true,
      message: expect.stringContaining('may have been recreated'),
    });
    const metadata = { ...FIRST.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' };
    server.objects.set(WEB, { ...FIRST, metadata });
    expect(await use(DELETE, repeated())).toEqual({ deleted: 'Deployment web' });
    expect(writes()).toEqual([]);
  });

  test('that deletes reports which other conflict keeps it', async () => {
    server.objects.set(WEB, FIRST);
    server.answer = ({ method }) => (method === 'DELETE' ? status(409, 'Conflict', 'It is in use') : undefined);
    await expect(use(DELETE)).rejects.toThrow('status 409: It is in use');
  });
});

describe('what the cluster refuses', () => {
  test.each([
    [403, 'Forbidden', 'pods "a" is forbidden: User "system:serviceaccount:shop:agents" cannot get', 'denied'],
    [404, 'NotFound', 'pods "a" not found', 'not_found'],
    [422, 'Invalid', 'Pod "a" is invalid: spec.containers: Required value', 'invalid_input'],
  ])('with %i %s is told in its words', async (code, reason, message, kind) => {
    server.answer = ({ url }) => (url.includes('/pods/a') ? status(code, reason, message) : undefined);
    const failure = use({ action: 'get', kind: 'pods', name: 'a' });
    await expect(failure).rejects.toMatchObject({ kind, isForeign: true });
    await expect(failure).rejects.toThrow(`Kubernetes answers with the status ${code}: ${message}`);
  });

  test.each(['get', 'delete'])('as a web page is none of its answers, to %s', async (action) => {
    server.objects.set(`${IN_SHOP}/pods/a`, { kind: 'Pod', metadata: { uid: 'a' } });
    server.answer = ({ method, url }) =>
      url.includes('/pods/a') && method === (action === 'get' ? 'GET' : 'DELETE')
        ? (response) => response.end('<html>Sign in</html>')
        : undefined;
    const failure = use({ action, kind: 'pods', name: 'a' });
    await expect(failure).rejects.toMatchObject({ kind: 'upstream', isUncertain: action === 'delete' });
    await expect(failure).rejects.toThrow(/check the base_url/);
  });

  test('as JSON of something else is none either', async () => {
    server.answer = () => json({ hello: 'world' });
    await expect(use({ action: 'list', kind: 'pods' })).rejects.toThrow("is not that of the service's API");
  });
});

describe('an integration', () => {
  const get = async (integration: string, more: ToolArguments = {}) =>
    use({ action: 'get', kind: 'pods', name: 'a', integration, ...more });

  test.each([
    ['token', 'shop'],
    ['certificate', 'default'],
    ['config', 'shop'],
    ['one-context', 'kitchen'],
    ['config-certificate', 'shop'],
  ])('with a %s works, in its namespace', async (name, namespace) => {
    server.objects.set(`/api/v1/namespaces/${namespace}/pods/a`, { kind: 'Pod', metadata: {} });
    expect(await get(name)).toMatchObject({ kind: 'Pod' });
  });

  test('works with the context that a call names, unless one is set', async () => {
    server.objects.set('/api/v1/namespaces/kitchen/pods/a', { kind: 'Pod', metadata: {} });
    expect(await get('config', { context: 'kitchen' })).toMatchObject({ kind: 'Pod' });
    await expect(get('one-context', { context: 'shop' })).rejects.toMatchObject({ kind: 'denied' });
    await expect(get('config', { context: 'none' })).rejects.toThrow('has no context none; it has shop, kitchen, away');
  });

  test.each([
    ['stranger', 'denied', /status 401 .*Unauthorized/],
    ['untrusted', 'upstream', /certificate is invalid/],
    ['wrong-ca', 'upstream', /certificate is invalid/],
    ['no-ca', 'denied', /cannot be read: they must be PEM/],
    ['elsewhere', 'denied', /another address/],
    ['exec', 'invalid_input', /names exec/],
    ['bomb', 'invalid_input', /not YAML/],
  ])('that is %s is refused', async (name, kind, words) => {
    await expect(get(name)).rejects.toMatchObject({ kind });
    await expect(get(name)).rejects.toThrow(words);
  });

  test('sends its token nowhere else, whatever context is named', async () => {
    await expect(get('config', { context: 'away' })).rejects.toThrow('another address');
    expect(server.seen).toEqual([]);
  });

  test.each([
    ['token', null],
    ['config-certificate', null],
    ['wrong-ca', expect.stringContaining('certificate is invalid')],
    ['stranger', 'Kubernetes has refused the sign-in'],
    ['exec', expect.stringContaining('names exec')],
  ])('that is %s says %j when it is tested', async (name, error) => {
    const guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${server.port}`));
    const http = createGuardedHttp(guarded.fetch);
    const reach = { sockets: guarded, http, signal: new AbortController().signal };
    const integration = integrations.find((each) => each.name === name);
    if (integration === undefined) throw new Error('there is no such integration');
    const account = { settings: {}, ...integration, kind: 'kubernetes' as const, mask: (text: string) => text };
    expect(await signIn(account, reach)).toEqual(error);
    await guarded.close();
  });
});
