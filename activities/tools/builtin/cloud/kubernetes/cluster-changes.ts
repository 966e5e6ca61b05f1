import { z } from 'zod';
import { parse as parseYaml } from 'yaml';
import type { Cluster } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { pathOf } from '../../services/service-tool.ts';
import { type ActionService, readAnswer } from '../../services/read-answer.ts';
import { documentsIn, type Manifest, membersOf } from './manifests.ts';
import { toShowable } from '../../../../../domain/core/text.ts';

/** Groups all of whose kinds control others, or create pods from embedded texts with an operator's rights. */
const RULING_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io',
  'apiregistration.k8s.io',
  'authorization.openshift.io',
  'certificates.k8s.io',
  'fleet.cattle.io',
  'helm.cattle.io',
  'helm.toolkit.fluxcd.io',
  'k3s.cattle.io',
  'kustomize.toolkit.fluxcd.io',
  'kyverno.io',
  'machineconfiguration.openshift.io',
  'rbac.authorization.k8s.io',
  'security.openshift.io',
  'source.toolkit.fluxcd.io',
  'upgrade.cattle.io',
]);
/** Such kinds of groups that have others too; those of the core have no group. */
const RULING_KINDS: ReadonlySet<string> = new Set([
  '/Node',
  'argoproj.io/Application',
  'argoproj.io/ApplicationSet',
  'argoproj.io/AppProject',
  'argoproj.io/ClusterWorkflowTemplate',
  'argoproj.io/CronWorkflow',
  'argoproj.io/Workflow',
  'argoproj.io/WorkflowTemplate',
  'policy/PodSecurityPolicy',
]);
/** The labels of a namespace that say what its pods may have. */
const POD_SECURITY = 'pod-security.kubernetes.io/';

/** Refuses an object that rules others of the cluster, unless the integration allows it. */
export function requireClusterChanges(
  { name, settings }: Pick<ActionService, 'name' | 'settings'>,
  object: Pick<Manifest, 'apiVersion' | 'kind'> & { readonly metadata?: Manifest['metadata'] },
): void {
  if (settings['allow_cluster_changes'] === 'yes' || !rulesOthers(object)) return;
  throw new ToolFailure(
    'denied',
    `A ${object.kind} of this kind rules other objects of the cluster, and the integration ${name} does not allow that: somebody can set allow_cluster_changes to yes`,
  );
}

function rulesOthers({ apiVersion, kind, metadata }: Parameters<typeof requireClusterChanges>[1]): boolean {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  if (RULING_GROUPS.has(group) || RULING_KINDS.has(`${group}/${kind}`)) return true;
  return kind === 'Namespace' && Object.keys(metadata?.['labels'] ?? {}).some((each) => each.startsWith(POD_SECURITY));
}

/** Longer manifests are not read where calls are planned, and the label says so. */
const MAX_READ = 20_000;
/**
 * The most of what makes the parser slow, while all else waits: line ends, what opens an entry, brackets, quotes and
 * all other marks with a meaning. An object of JSON has hardly more for its length.
 */
const MAX_MARKS = 3_000;
const MARK = /[-:](?=\s)|[[\]{},"'&*!|>%@`?#\\\r\n\t]/g;
const PARSING = { maxAliasCount: 0, uniqueKeys: false, prettyErrors: false, logLevel: 'error' } as const;
const MAX_PART = 200;
const MAX_DEPTH = 50;
/** Members that contain the name of a Secret: in variables, volumes and lists of those for images. */
const NAMES_SECRET = /^(?:secret|imagepullsecrets|.*secret(?:key)?ref)$/;

interface Uses {
  readonly objects: Set<string>;
  readonly accounts: Set<string>;
  readonly secrets: Set<string>;
}

/**
 * Returns what a person has to know to approve a manifest: kinds and names of its objects, and the service accounts and
 * Secrets that their pods are given. Says so where it cannot be read.
 */
export function applyLabel(manifest: string): string {
  const uses = usesOf(manifest);
  if (uses === undefined) return 'apply a manifest that cannot be summed up; read all of it';
  const { objects, accounts, secrets } = uses;
  return [
    `apply ${objects.size === 0 ? 'a manifest' : listed(objects)}`,
    ...(accounts.size === 0 ? [] : [`with the rights of the service account ${listed(accounts)}`]),
    ...(secrets.size === 0 ? [] : [`given the Secrets ${listed(secrets)}`]),
  ].join('; ');
}

function usesOf(manifest: string): Uses | undefined {
  if (manifest.length > MAX_READ || (manifest.match(MARK)?.length ?? 0) > MAX_MARKS) return undefined;
  const uses = { objects: new Set<string>(), accounts: new Set<string>(), secrets: new Set<string>() };
  try {
    // Anchors are not followed: a few of them would become a lot.
    for (const each of documentsIn(manifest)) note(parseYaml(each, PARSING), 0, uses);
  } catch {
    return undefined;
  }
  return uses;
}

function note(value: unknown, depth: number, uses: Uses): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new Error('nested too deep');
  noteObject(value, uses);
  for (const [name, member] of Object.entries(value)) {
    const lower = name.toLowerCase();
    if (lower === 'serviceaccountname' || lower === 'serviceaccount') add(uses.accounts, member);
    if (lower === 'secretname') add(uses.secrets, member);
    if (NAMES_SECRET.test(lower))
      for (const each of [member].flat()) for (const called of membersOf(each, 'name')) add(uses.secrets, called);
    note(member, depth + 1, uses);
  }
}

function noteObject(value: object, { objects }: Uses): void {
  const { apiVersion, kind, metadata } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return;
  const namespace = 'namespace' in metadata ? ` in ${String(metadata.namespace)}` : '';
  objects.add(`${kind} ${String(metadata.name)}${namespace}`);
}

function add(names: Set<string>, name: unknown): void {
  if (typeof name === 'string' && name !== '') names.add(name);
}

function listed(names: ReadonlySet<string>): string {
  const all = toShowable([...names].join(', '));
  return all.length <= MAX_PART ? all : `${all.slice(0, MAX_PART)} ... (${names.size} in all)`;
}

/** A kind of objects, as the API of a cluster knows it. */
export interface Resource {
  readonly kind: string;
  /** Its plural, as in paths. */
  readonly plural: string;
  /** Such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
}

/** The groups that are asked for a kind; a cluster with more is asked with the group in the name. */
const MAX_GROUPS = 60;
/** Those in which most of what is named is found, so that few are asked. */
const FIRST = ['apps', 'batch', 'networking.k8s.io', 'autoscaling', 'rbac.authorization.k8s.io', 'policy'];

const groupsSchema = z.object({
  groups: z.array(z.object({ name: z.string(), preferredVersion: z.object({ groupVersion: z.string() }) })),
});
const resourcesSchema = z.object({
  resources: z.array(
    z.object({
      name: z.string(),
      singularName: z.string().default(''),
      namespaced: z.boolean(),
      kind: z.string(),
      shortNames: z.array(z.string()).nullish(),
    }),
  ),
});
type ApiResource = z.output<typeof resourcesSchema>['resources'][number];

/**
 * Finds a kind by any of its names: `Deployment`, `deployments`, `deploy` or, with its group, `deployments.apps`.
 * Throws `ToolFailure` when the cluster has none of that name.
 */
export async function findResource(cluster: Cluster, name: string): Promise<Resource> {
  const dot = name.indexOf('.');
  const [plain, group] = dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
  const isNamed = (each: ApiResource) => namesOf(each).includes(plain.toLowerCase());
  const inCore = group === undefined ? await findIn(cluster, 'v1', isNamed) : undefined;
  if (inCore !== undefined) return inCore;
  for (const version of await versionsOf(cluster, group)) {
    const found = await findIn(cluster, version, isNamed);
    if (found !== undefined) return found;
  }
  throw new ToolFailure('not_found', `The cluster has no kind "${name}"`);
}

/** Finds the kind of a manifest in the version that it names. */
export async function resourceOf(cluster: Cluster, { apiVersion, kind }: Manifest): Promise<Resource> {
  const found = await findIn(cluster, apiVersion, (each) => each.kind === kind);
  if (found === undefined) throw new ToolFailure('not_found', `The cluster has no kind ${kind} in ${apiVersion}`);
  return found;
}

/** Returns the path of the objects of a kind; in all namespaces where none is given. */
export function pathTo({ apiVersion, plural, isNamespaced }: Resource, namespace: string | undefined): string {
  const root = rootOf(apiVersion);
  return isNamespaced && namespace !== undefined
    ? `${root}${pathOf`/namespaces/${namespace}/${plural}`}`
    : `${root}${pathOf`/${plural}`}`;
}

async function versionsOf(cluster: Cluster, group: string | undefined): Promise<readonly string[]> {
  const { groups } = readAnswer(await cluster.request({ path: '/apis', effect: 'read' }), groupsSchema);
  const wanted = groups.filter(({ name }) => group === undefined || name === group.toLowerCase());
  const rank = ({ name }: { readonly name: string }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return wanted
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_GROUPS)
    .map(({ preferredVersion }) => preferredVersion.groupVersion);
}

async function findIn(
  cluster: Cluster,
  apiVersion: string,
  isWanted: (resource: ApiResource) => boolean,
): Promise<Resource | undefined> {
  // A group whose own server is away answers 503: the others can be asked all the same.
  const answer = await cluster.request({ path: rootOf(apiVersion), effect: 'read', accepts: [404, 503] });
  if (answer.status !== 200) return undefined;
  const { resources } = readAnswer(answer, resourcesSchema);
  // A resource with a slash is a part of another one, such as its log.
  const found = resources.find((each) => !each.name.includes('/') && isWanted(each));
  return found && { kind: found.kind, plural: found.name, apiVersion, isNamespaced: found.namespaced };
}

function rootOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? pathOf`/api/${group}` : pathOf`/apis/${group}/${version}`;
}

function namesOf({ name, singularName, kind, shortNames }: ApiResource): readonly string[] {
  return [name, singularName, kind, ...(shortNames ?? [])].map((each) => each.toLowerCase());
}
