import { parse as parseYaml } from 'yaml';
import { accessByKubeconfig, type ClusterAccess, readKubeconfig } from '../../../../domain/integrations/kubeconfig.ts';
import { integrationKind } from '../../../../domain/integrations/kinds/index.ts';
import { maskedSecrets } from '../../../core/secret-mask.ts';
import { CallSecrets } from '../../../integrations/open-credentials.ts';
import type { Service, ServiceAnswer, ServiceRequest } from '../../context.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { sendToService } from '../services.ts';
import type { Account, Reach } from './connections.ts';

type ClusterAccount = Account & Pick<Service, 'noteUse'>;

/** Opens the cluster of an integration by a context of its kubeconfig, where it has one. Nothing is sent yet. */
export function openCluster(
  account: ClusterAccount,
  { context, isRepeated }: ClusterOptions,
  { http, signal }: Reach,
): Cluster {
  const { token, ca, cert, key, namespace } = accessOf(account, context);
  const target = {
    account: { ...account, openSecrets: async () => account.secrets },
    callSecrets: new CallSecrets(account.secrets, {
      // They are stored in the integration unchanged: nobody else can renew them.
      renew: async () => account.secrets,
      masked: (secrets) => maskedSecrets(integrationKind(account.kind), secrets),
    }),
    isRepeated,
    http,
    signal,
    trust: { ca, cert, key },
  };
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return {
    namespace: account.settings['namespace'] ?? namespace ?? 'default',
    request: async (request) =>
      sendToService(target, { ...request, headers: { ...request.headers, ...authorization } }),
  };
}

/** Shows that the credentials of an integration work: only who is known to the cluster may list its API versions. */
export async function signInToKubernetes(account: Account, reach: Reach): Promise<void> {
  const options = { context: undefined, isRepeated: false };
  const cluster = openCluster({ ...account, noteUse: async () => {} }, options, reach);
  const answer = await cluster.request({ path: '/api', effect: 'read' });
  const json = answer.json();
  if (typeof json !== 'object' || json === null || !('kind' in json) || json.kind !== 'APIVersions')
    throw new ToolFailure('upstream', 'The answer is not that of a Kubernetes API server: check the base_url');
}

function accessOf({ name, apiUrl, settings, secrets }: Account, wanted: string | undefined): ClusterAccess {
  const { kubeconfig, token, ca, client_certificate: cert, client_key: key } = secrets;
  if (kubeconfig === undefined) {
    if (wanted !== undefined)
      throw new ToolFailure('invalid_input', `The integration ${name} has no kubeconfig: leave context out`);
    return { server: apiUrl, namespace: undefined, token, ca, cert, key };
  }
  const { context: only } = settings;
  if (only !== undefined && wanted !== undefined && wanted !== only)
    throw new ToolFailure('denied', `The integration ${name} is used with the context ${only} only`);
  const read = accessByKubeconfig(parsed(kubeconfig, name), wanted ?? only);
  if ('issue' in read) throw new ToolFailure('invalid_input', `${read.issue} (integration ${name})`);
  // The address is that which was checked, and that people see: the file leads nowhere else.
  if (addressOf(read.access.server) !== addressOf(apiUrl))
    throw new ToolFailure(
      'denied',
      `The context is of a cluster at another address than ${apiUrl}: each cluster has an integration of its own`,
    );
  return read.access;
}

function addressOf(server: string): string | undefined {
  const url = URL.parse(server);
  return url === null ? undefined : `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

function parsed(kubeconfig: string, name: string): unknown {
  const file = readKubeconfig(kubeconfig, parseYaml);
  if (file !== undefined) return file;
  throw new ToolFailure('invalid_input', `The kubeconfig of the integration ${name} is not YAML`);
}

/** How a cluster is opened. */
export interface ClusterOptions {
  /** The context of the kubeconfig; undefined where the integration says it, or has none. */
  readonly context: string | undefined;
  /** Whether an earlier attempt at the call may have sent the same requests. */
  readonly isRepeated: boolean;
}

/** A Kubernetes cluster, as one context of an integration reaches it. */
export interface Cluster {
  /** The namespace of calls that name none. */
  readonly namespace: string;
  /** Sends a request. Throws `ToolFailure` with the words of the cluster, without secrets. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
}
