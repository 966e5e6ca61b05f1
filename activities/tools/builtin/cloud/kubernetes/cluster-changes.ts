import type { Service } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import type { Manifest } from './manifests.ts';

/** Groups of which every kind rules others, or makes pods by the rights of an operator of what stands in texts. */
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
  { name, settings }: Pick<Service, 'name' | 'settings'>,
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
