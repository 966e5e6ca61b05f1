import { z } from 'zod';
import type { Cluster } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { pathOf } from '../../services/service-tool.ts';
import { readAnswer } from '../../services/read-answer.ts';
import type { Manifest } from './manifests.ts';

/** A kind of objects, as the API of a cluster knows it. */
export interface Resource {
  readonly kind: string;
  /** Its plural, as it stands in paths. */
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
  const place = ({ name }: { readonly name: string }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return wanted
    .toSorted((one, other) => place(one) - place(other))
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
  // What has a slash is a part of another one, such as its log.
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
