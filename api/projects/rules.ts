import type { PrivateHosts } from '../../domain/network/index.ts';
import { type RepoType, repoTypeOf, repoUrlIssue } from '../../domain/projects/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/index.ts';
import type { OrgCaller } from '../context/api-context.ts';
import { InvalidRequest } from '../http/problem.ts';

/** A project's repository. */
interface Repository {
  readonly repoUrl: string;
  readonly repoType: RepoType;
}

/** Returns the repository of a new project, its type included; rejects an address that cannot be one. */
export function checkRepository({ repoUrl, repoType }: Repository, privateHosts: PrivateHosts): Repository {
  if (repoUrl === '') {
    if (repoType !== '') throw invalid('repo_url', 'is required with a repo_type');
    return { repoUrl, repoType };
  }
  const issue = repoUrlIssue(repoUrl, privateHosts);
  if (issue !== undefined) throw invalid('repo_url', issue);
  const type = repoType === '' ? repoTypeOf(repoUrl) : repoType;
  if (type === '') throw invalid('repo_type', 'is required: the host of the repository is not a commonly known one');
  return { repoUrl, repoType: type };
}

/** Returns what changes of a project's repository. A new address without a type has that of its host, else the former one. */
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

/** Rejects an integration that the caller may not see; it looks like one that does not exist. */
export function checkMayUseIntegration(
  { policy }: OrgCaller,
  { integrationId }: { readonly integrationId?: string | null | undefined },
): void {
  if (typeof integrationId === 'string' && !policyAllows(policy, 'integrations.view')) throw notFound('Integration');
}

function invalid(field: string, msg: string): InvalidRequest {
  return new InvalidRequest([{ type: 'custom', loc: ['body', field], msg }]);
}
