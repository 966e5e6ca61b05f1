import { z } from 'zod';
import type { Cluster, ServiceAnswer } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { actionsWith, defineServiceTool, pathOf, type ServiceCall } from '../../services/service-tool.ts';
import { readAnswer } from '../../services/read-answer.ts';
import { shownText } from '../../shown-text.ts';
import {
  applyLabel,
  findResource,
  pathTo,
  requireClusterChanges,
  type Resource,
  resourceOf,
} from './cluster-changes.ts';
import { listEvents, listObjects, shownObject } from './list-objects.ts';
import { type Manifest, nameOf, readManifests } from './manifests.ts';

/** The name under which the fields that it applies belong to it. */
const MANAGER = 'everturn';
const DEFAULT_LINES = 200;
const MAX_LOG = 1024 * 1024;
const ALL = '*';
/** The kinds whose pods are recreated when their template changes. */
const RESTARTED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
const name = z.string().regex(/^[A-Za-z\d][\w.:-]{0,252}$/, 'must be the name of an object');

const parameters = z.strictObject({
  kind: z
    .string()
    .regex(/^[A-Za-z][\w.-]{0,252}$/)
    .optional()
    .describe('Such as `Deployment`, `pods`, `svc` or, with its group, `certificates.cert-manager.io`.'),
  name: name.optional().describe('Of the object; in logs, of the pod.'),
  namespace: z
    .string()
    .regex(/^(?:\*|[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)$/, 'must be the name of a namespace, or *')
    .optional()
    .describe('That of the integration when left out; `*` lists all.'),
  selector: z.string().min(1).max(1_000).optional().describe('In list: labels, such as `app=web,tier!=cache`.'),
  manifest: z
    .string()
    .min(1)
    .max(200_000)
    .optional()
    .describe('In apply: YAML or JSON of whole objects, also several documents. Only fields that are named change.'),
  force: z.boolean().optional().describe('In apply: takes over fields that others manage, after a conflict.'),
  replicas: z.int().min(0).max(1_000).optional().describe('In scale.'),
  container: name.optional().describe('In logs: one of several.'),
  tail: z.int().min(1).max(5_000).optional().describe(`In logs: the last lines, ${DEFAULT_LINES} when left out.`),
  previous: z.boolean().optional().describe('In logs: those before the last restart.'),
  context: z.string().min(1).max(500).optional().describe('A context of the kubeconfig, where there are several.'),
  cursor: z.string().max(8_000).optional().describe('The `next` of a former page.'),
});

type Arguments = z.output<typeof parameters>;
const { keyed, read } = actionsWith<Arguments>();
/** The common fields of objects of the API; a web page that answers with a success has none. */
const objectSchema = z.looseObject({ kind: z.string(), metadata: z.looseObject({}) });
const identitySchema = z.object({
  metadata: z.object({ uid: z.string(), deletionTimestamp: z.string().nullish() }),
});

const ACTIONS = {
  get: read(['kind', 'name'], async (args, call) => {
    const { cluster, path } = await targetOf(args, call);
    return shown(await cluster.request({ path, effect: 'read' }));
  }),
  list: read(['kind'], async ({ selector, cursor, ...args }, call) => {
    const cluster = clusterOf(args, call);
    const path = pathTo(await findResource(cluster, args.kind), namespaceOf(args, cluster));
    return listObjects(cluster, path, { selector, cursor });
  }),
  describe: read(['kind', 'name'], async (args, call) => {
    const { cluster, path, resource, namespace } = await targetOf(args, call);
    const object = shown(await cluster.request({ path, effect: 'read' }));
    // Events about what is in no namespace are in the default one.
    const about = { kind: resource.kind, name: args.name };
    const { events } = await listEvents(cluster, { namespace: resource.isNamespaced ? namespace : 'default', about });
    return { object, events };
  }),
  logs: read(['name'], async ({ container, tail = DEFAULT_LINES, previous, ...args }, call) => {
    const cluster = clusterOf(args, call);
    const path = pathOf`/api/v1/namespaces/${oneNamespace(args, cluster)}/pods/${args.name}/log`;
    const query = { container, previous, tailLines: tail, limitBytes: MAX_LOG, timestamps: true };
    const { text } = await cluster.request({ path, query, headers: { Accept: '*/*' }, effect: 'read' });
    return shownText({ bytes: Buffer.from(text), name: `pod-${args.name}`, isForeign: true }, call.context);
  }),
  events: read([], async ({ kind, name: about, cursor, ...args }, call) => {
    const cluster = clusterOf(args, call);
    const resource = kind === undefined ? undefined : await findResource(cluster, kind);
    const namespace = namespaceOf(args, cluster);
    return listEvents(cluster, { namespace, about: { kind: resource?.kind, name: about }, cursor });
  }),
  apply: keyed(
    ['manifest'],
    {
      label: ({ manifest = '', namespace }) =>
        `${applyLabel(manifest)}${namespace === undefined ? '' : `; in ${namespace}`}`,
    },
    async (args, call) => {
      const cluster = clusterOf(args, call);
      const manifests = await readManifests(args.manifest, call.context);
      for (const each of manifests) requireClusterChanges(call.service, each);
      // All is looked up before anything is sent: a mistake in the last object leaves the first one as it was.
      const paths: string[] = [];
      for (const each of manifests) paths.push(await pathOfManifest(each, args, cluster));
      return applyAll(manifests, paths, { cluster, force: args.force === true });
    },
  ),
  scale: keyed(['kind', 'name', 'replicas'], async (args, call) => {
    const { cluster, path } = await targetOf(args, call);
    const json = { spec: { replicas: args.replicas } };
    return shown(await patch(cluster, `${path}/scale`, { json, type: 'application/merge-patch+json' }));
  }),
  restart: keyed(['kind', 'name'], async (args, call) => {
    const { cluster, path, resource } = await targetOf(args, call);
    if (!RESTARTED.has(resource.kind))
      throw new ToolFailure('invalid_input', `Only a ${[...RESTARTED].join(', a ')} is restarted`);
    // The same call again changes nothing, so nothing is restarted twice.
    const annotations = { 'everturn/restarted-by': call.context.idempotencyKey };
    const json = { spec: { template: { metadata: { annotations } } } };
    await patch(cluster, path, { json, type: 'application/merge-patch+json' });
    return { restarted: `${resource.kind} ${args.name}` };
  }),
  delete: keyed(['kind', 'name'], async (args, call) => {
    const { cluster, path, resource } = await targetOf(args, call);
    requireClusterChanges(call.service, resource);
    const { isRepeated } = call.context;
    const uid = await uidToDelete(cluster, path, isRepeated);
    if (uid !== undefined) await deleteObject(cluster, path, uid);
    return { deleted: `${resource.kind} ${args.name}` };
  }),
};

/** Works with the objects of a Kubernetes cluster. */
export const kubernetes = defineServiceTool({
  key: 'kubernetes',
  name: 'Kubernetes',
  description:
    'Gets, lists and describes objects of a Kubernetes cluster, reads logs of pods and events, and applies manifests, scales, restarts and deletes. Inspect objects before you change anything. Values of Secrets are hidden.',
  category: 'cloud',
  kinds: ['kubernetes'],
  parameters,
  actions: ACTIONS,
});

function clusterOf({ context }: Pick<Arguments, 'context'>, call: ServiceCall): Cluster {
  const { connections, isRepeated } = call.context;
  return connections.openCluster(call.service, { context, isRepeated });
}

/** Returns the namespace of a call; undefined for all of them. */
function namespaceOf({ namespace }: Pick<Arguments, 'namespace'>, cluster: Cluster): string | undefined {
  return namespace === ALL ? undefined : (namespace ?? cluster.namespace);
}

function oneNamespace(args: Pick<Arguments, 'namespace'>, cluster: Cluster): string {
  const namespace = namespaceOf(args, cluster);
  if (namespace === undefined) throw new ToolFailure('invalid_input', 'An object is in one namespace: name it');
  return namespace;
}

async function targetOf(args: Arguments & { readonly kind: string; readonly name: string }, call: ServiceCall) {
  const cluster = clusterOf(args, call);
  const resource = await findResource(cluster, args.kind);
  const namespace = oneNamespace(args, cluster);
  const path = `${pathTo(resource, namespace)}${pathOf`/${args.name}`}`;
  return { cluster, resource, namespace, path };
}

async function pathOfManifest(manifest: Manifest, args: Arguments, cluster: Cluster): Promise<string> {
  const resource: Resource = await resourceOf(cluster, manifest);
  const { name: called, namespace } = manifest.metadata;
  if (namespace !== undefined && args.namespace !== undefined && namespace !== args.namespace)
    throw new ToolFailure('invalid_input', `${nameOf(manifest)} names another namespace than the call`);
  return `${pathTo(resource, namespace ?? oneNamespace(args, cluster))}${pathOf`/${called}`}`;
}

interface Applying {
  readonly cluster: Cluster;
  readonly force: boolean;
}

async function applyAll(
  manifests: readonly Manifest[],
  paths: readonly string[],
  { cluster, force }: Applying,
): Promise<unknown> {
  const applied: unknown[] = [];
  for (const [index, json] of manifests.entries()) {
    const query = { fieldManager: MANAGER, force };
    const type = 'application/apply-patch+yaml';
    try {
      applied.push(shown(await patch(cluster, paths[index] ?? '', { json, type, query })));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      throw atObject(error, json, manifests.slice(0, index));
    }
  }
  return { applied };
}

function atObject(error: ToolFailure, manifest: Manifest, before: readonly Manifest[]): ToolFailure {
  const done = before.length === 0 ? '' : ` (applied before it: ${before.map(nameOf).join(', ')})`;
  const { kind, isUncertain, isForeign, waitMs } = error;
  const message = `${nameOf(manifest)}: ${error.message}${done}`;
  return new ToolFailure(kind, message, { cause: error, isUncertain, isForeign, waitMs });
}

interface Patch {
  readonly json: unknown;
  readonly type: string;
  readonly query?: Readonly<Record<string, string | boolean>>;
}

async function patch(cluster: Cluster, path: string, { json, type, query }: Patch): Promise<ServiceAnswer> {
  const headers = { 'Content-Type': type };
  const body = JSON.stringify(json);
  return cluster.request({ method: 'PATCH', path, query, headers, body, effect: 'keyed' });
}

/**
 * Returns which object is to be deleted; undefined when an earlier attempt has deleted it. An object that is there
 * after such an attempt may be its replacement by a controller, which nobody wants deleted.
 */
async function uidToDelete(cluster: Cluster, path: string, isRepeated: boolean): Promise<string | undefined> {
  const found = await identityOf(cluster, path, isRepeated ? [404] : []);
  if (!isRepeated) return found?.uid;
  if (found === undefined || typeof found.deletionTimestamp === 'string') return undefined;
  throw new ToolFailure(
    'upstream',
    'The call was interrupted and repeated: an object with this name exists, but it may have been recreated after the first was deleted. Check it before you delete it',
    { isUncertain: true },
  );
}

async function identityOf(cluster: Cluster, path: string, accepts: readonly number[]) {
  const answer = await cluster.request({ path, accepts, effect: 'read' });
  return answer.status === 404 ? undefined : readAnswer(answer, identitySchema).metadata;
}

/** Deletes an object, and none that is made under its name while the request is sent again. */
async function deleteObject(cluster: Cluster, path: string, uid: string): Promise<void> {
  const json = { propagationPolicy: 'Background', preconditions: { uid } };
  try {
    const answer = await cluster.request({ method: 'DELETE', path, json, effect: 'keyed', goneIsDone: true });
    readAnswer(answer, z.looseObject({ kind: z.string() }));
  } catch (error) {
    // A conflict also when another object is there by now.
    const isRefused = error instanceof ToolFailure && error.kind === 'invalid_input';
    if (!isRefused || (await identityOf(cluster, path, [404]))?.uid === uid) throw error;
  }
}

function shown(answer: ServiceAnswer): unknown {
  return shownObject(readAnswer(answer, objectSchema));
}
