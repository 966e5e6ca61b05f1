import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from '../certificate.ts';
import { json, type Reply, type SeenRequest } from '../outside-server.ts';

/** The token of the service account that the server knows. */
export const CLUSTER_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.a-service-account-of-the-tests.sig';

type Fields = Readonly<Record<string, unknown>>;

const resource = (name: string, kind: string, namespaced: boolean, shortNames: readonly string[] = []) => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced,
  kind,
  shortNames,
});
const RESOURCES: Readonly<Record<string, readonly Fields[]>> = {
  '/api/v1': [
    resource('pods/log', 'Pod', true),
    resource('pods', 'Pod', true, ['po']),
    resource('secrets', 'Secret', true),
    resource('configmaps', 'ConfigMap', true, ['cm']),
    resource('namespaces', 'Namespace', false, ['ns']),
    resource('persistentvolumes', 'PersistentVolume', false, ['pv']),
  ],
  '/apis/apps/v1': [
    resource('deployments', 'Deployment', true, ['deploy']),
    resource('deployments/scale', 'Scale', true),
    resource('daemonsets', 'DaemonSet', true, ['ds']),
  ],
  '/apis/batch/v1': [resource('cronjobs', 'CronJob', true, ['cj'])],
  '/apis/rbac.authorization.k8s.io/v1': [resource('clusterroles', 'ClusterRole', false)],
  '/apis/cert-manager.io/v1': [resource('certificates', 'Certificate', true, ['cert'])],
};

/** Makes the answer in which an API server says why it has not done something. */
export function status(code: number, reason: string, message: string): Reply {
  return json({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }, code);
}

/**
 * An API server of Kubernetes over TLS that knows the core and some other groups. It keeps objects by their paths, and
 * every request whole.
 */
export class KubernetesServer {
  readonly seen: SeenRequest[] = [];
  /** The objects by their paths. */
  readonly objects = new Map<string, Fields>();
  /** Answers a request first; undefined where the server itself is to. */
  answer: (request: SeenRequest) => Reply | undefined = () => undefined;
  readonly #server: Server;

  private constructor(certificate: Certificate, clients: string | undefined) {
    const certificates = clients === undefined ? {} : { ca: clients, requestCert: true, rejectUnauthorized: false };
    this.#server = createServer({ ...certificate, ...certificates }, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => this.#take(request, response, body));
    });
  }

  /** Starts one that shows a certificate; who shows one of `clients` needs no token. */
  static async start(certificate: Certificate, clients?: string): Promise<KubernetesServer> {
    const server = new KubernetesServer(certificate, clients);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take({ method = '', url = '', headers, socket }: IncomingMessage, response: ServerResponse, body: string): void {
    const request = { method, url, headers, body };
    this.seen.push(request);
    const isKnown = headers.authorization === `Bearer ${CLUSTER_TOKEN}` || (socket as TLSSocket).authorized;
    const own = () => (isKnown ? this.#reply(request) : status(401, 'Unauthorized', 'Unauthorized'));
    (this.answer(request) ?? own())(response, request);
  }

  #reply({ method, url, body }: SeenRequest): Reply {
    const { pathname: path } = new URL(url, this.url);
    if (path === '/api') return json({ kind: 'APIVersions', versions: ['v1'] });
    if (path === '/apis') return json({ kind: 'APIGroupList', groups: groups() });
    const resources = RESOURCES[path];
    if (resources !== undefined) return json({ kind: 'APIResourceList', resources });
    if (method === 'PATCH') return this.#patch(path, body);
    const found = this.objects.get(path);
    if (found === undefined) return status(404, 'NotFound', `"${path.split('/').at(-1)}" not found`);
    return method === 'DELETE' ? this.#delete(path, body) : json(found);
  }

  #delete(path: string, body: string): Reply {
    const { preconditions } = JSON.parse(body) as { readonly preconditions?: { readonly uid?: string } };
    const { uid } = (this.objects.get(path)?.['metadata'] ?? {}) as { readonly uid?: string };
    if (preconditions?.uid !== undefined && preconditions.uid !== uid)
      return status(409, 'Conflict', 'Precondition failed: UID in precondition');
    this.objects.delete(path);
    return json({ kind: 'Status', status: 'Success' });
  }

  #patch(path: string, body: string): Reply {
    const object = JSON.parse(body) as Fields;
    const managed = { managedFields: [{ manager: 'everturn' }], annotations: { [LAST_APPLIED]: body } };
    const metadata = { uid: randomUUID(), ...(object['metadata'] as object | undefined), ...managed };
    const stored = { kind: 'Scale', ...object, metadata };
    this.objects.set(path, stored);
    return json(stored);
  }
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function groups(): readonly Fields[] {
  return Object.keys(RESOURCES)
    .filter((path) => path.startsWith('/apis/'))
    .toReversed()
    .map((path) => {
      const groupVersion = path.slice('/apis/'.length);
      return { name: groupVersion.split('/')[0], preferredVersion: { groupVersion } };
    });
}
