import type { Client } from '@temporalio/client';
import { WORKFLOWS_OF_WORK } from '../../../workflows/due-work/contract.ts';
import type { HostServer } from '../../support/code-hosts/index.ts';
import type { TestInstance } from '../../support/test-instance.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Recorder, type Recording, startTalk } from './recorder.ts';

/**
 * The tree of a repository whose host is not there: the project gets another address while its workflow waits, and is
 * deleted then.
 */
async function refreshTree(instance: TestInstance): Promise<string> {
  const { user } = await startTalk(instance);
  const project = { name: 'Read', repo_url: 'https://git.example.invalid/group/app', repo_type: 'gitea' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  const path = `/api/projects/${json.id}`;
  const hasFailed = async (isNew: (fetch: unknown) => boolean) =>
    waitUntil('the repository to be asked for', async () => {
      const { rows } = await instance.api.database.system.query<{ failures: number; url: string }>(
        'select failures, repo_url as url from repo_trees where project_id = $1',
        [json.id],
      );
      return rows[0] !== undefined && rows[0].failures > 0 && isNew(rows[0].url) ? true : undefined;
    });
  await hasFailed(() => true);
  await user.client.patch(path, { repo_url: `${project.repo_url}-2` });
  await hasFailed((url) => url !== project.repo_url);
  await user.client.delete(path);
  return WORKFLOWS_OF_WORK['repo-tree'].idOf({ orgId: user.orgId, projectId: json.id });
}

/** A sync of issues that first waits, because its code host has failed. */
async function syncIssues(instance: TestInstance, host: HostServer): Promise<string> {
  const { user } = await startTalk(instance);
  host.world.addIssue();
  const project = { name: 'Synced', repo_url: host.repoUrl, repo_type: 'github' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  await waitUntil('the repository to be read', async () => {
    const read = await user.client.get<{ repo_status: string }>(`/api/projects/${json.id}`);
    return read.json.repo_status !== 'pending' || undefined;
  });
  host.fail(1, ({ response }) => void response.writeHead(503).end());
  const sync = await user.client.post<{ id: string }>(`/api/projects/${json.id}/sync-issues`);
  return WORKFLOWS_OF_WORK['issue-sync'].idOf({ orgId: user.orgId, projectId: json.id, syncId: sync.json.id });
}

/** A change that goes to the code host of an issue, which first fails, and another one that comes meanwhile. */
async function pushIssues(instance: TestInstance, client: Client, host: HostServer): Promise<string> {
  const { user } = await startTalk(instance);
  const project = { name: 'Told', repo_url: host.repoUrl, repo_type: 'github', sync_direction: 'both' };
  const { json } = await user.client.post<{ id: string }>('/api/projects', project);
  await user.client.post(`/api/projects/${json.id}/sync-issues`);
  const issueId = await waitUntil('an issue to be synced', async () => {
    const issues = await user.client.get<{ id: string }[]>(`/api/issues?project_id=${json.id}`);
    return issues.json[0]?.id;
  });
  host.fail(1, ({ response }) => void response.writeHead(503).end());
  await user.client.patch(`/api/issues/${issueId}`, { title: 'Changed' });
  const workflowId = WORKFLOWS_OF_WORK['issue-push'].idOf({ orgId: user.orgId, projectId: json.id });
  await waitUntil('the workflow to wait', async () => {
    const history = await client.workflow
      .getHandle(workflowId)
      .fetchHistory()
      .catch(() => undefined);
    return history?.events?.some(({ timerStartedEventAttributes: waits }) => waits != null) || undefined;
  });
  await user.client.patch(`/api/issues/${issueId}`, { title: 'Changed again' });
  return workflowId;
}

export async function recordCodeHosts({ instance, client, host }: Recorder): Promise<Recording[]> {
  return [
    { name: 'sync-issues', workflowId: await syncIssues(instance, host) },
    { name: 'push-issues', workflowId: await pushIssues(instance, client, host) },
    { name: 'refresh-repo-tree', workflowId: await refreshTree(instance) },
  ];
}
