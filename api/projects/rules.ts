import type { PrivateHosts } from '../../domain/network/addresses.ts';
import { type RepoType, repoTypeOf, repoUrlIssue } from '../../domain/projects.ts';
import type { SyncDirection } from '../../domain/issue-sync/merge-fields.ts';
import { AppError, notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { fieldIssue } from '../http/problem.ts';

/** A project's repository. */
interface Repository {
  readonly repoUrl: string;
  readonly repoType: RepoType;
}

/** Returns the repository of a new project, its type included; rejects an address that cannot be one. */
export function checkRepository({ repoUrl, repoType }: Repository, privateHosts: PrivateHosts): Repository {
  if (repoUrl === '') {
    if (repoType !== '') throw fieldIssue('repo_url', 'is required with a repo_type');
    return { repoUrl, repoType };
  }
  const issue = repoUrlIssue(repoUrl, privateHosts);
  if (issue !== undefined) throw fieldIssue('repo_url', issue);
  const type = repoType === '' ? repoTypeOf(repoUrl) : repoType;
  if (type === '') throw fieldIssue('repo_type', 'is required: the host of the repository is not a commonly known one');
  return { repoUrl, repoType: type };
}

/**
 * Returns what changes of a project's repository. A new address without a type has that of its host, else the former
 * one.
 */
export function checkChangedRepository(
  project: Repository,
  { repoUrl, repoType }: Partial<Repository>,
  privateHosts: PrivateHosts,
): Partial<Repository> {
  if (repoUrl === undefined && repoType === undefined) return {};
  const url = repoUrl ?? project.repoUrl;
  const known = repoUrl === undefined ? '' : repoTypeOf(repoUrl);
  const kept = known === '' ? project.repoType : known;
  const type = repoType ?? (url === '' ? '' : kept);
  return checkRepository({ repoUrl: url, repoType: type }, privateHosts);
}

/** Rejects an integration that the caller may not see, in the same way as one that does not exist. */
export function checkMayUseIntegration(
  { policy }: OrgCaller,
  { integrationId }: { readonly integrationId?: string | null | undefined },
): void {
  if (typeof integrationId === 'string' && !policyAllows(policy, 'integrations.view')) throw notFound('Integration');
}

/** Where the credentials of a project's integration are sent, and what for. */
type Reach = Repository & { readonly syncDirection: SyncDirection; readonly integrationId: string | null };

/**
 * Rejects a change of where the credentials of an integration go from a caller who may not see it: they would be
 * lent to a repository of the caller's choice.
 */
export function checkMayRedirect(
  { policy }: OrgCaller,
  project: Reach,
  changes: { readonly [F in keyof Reach]?: Reach[F] | undefined },
): void {
  const after = changes.integrationId === undefined ? project.integrationId : changes.integrationId;
  if (after === null || policyAllows(policy, 'integrations.view')) return;
  const isRedirected = (['repoUrl', 'repoType', 'syncDirection'] as const).some(
    (field) => changes[field] !== undefined && changes[field] !== project[field],
  );
  if (!isRedirected) return;
  throw new AppError(
    'forbidden',
    'The repository and sync_direction of a project with an integration need the permission integrations.view',
  );
}

/**
 * Rejects a webhook secret from a caller who may not change the settings of webhooks. Called last, so that an id that
 * the caller may not know is answered as for everybody.
 */
export function checkMaySetWebhook(
  { policy }: OrgCaller,
  { webhookSecret }: { readonly webhookSecret?: string | null | undefined },
): void {
  if (webhookSecret === undefined || policyAllows(policy, 'webhooks.manage')) return;
  throw new AppError('forbidden', 'The webhook_secret of a project needs the permission webhooks.manage');
}
