import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HostServer } from '../support/code-hosts/index.ts';
import { registerUser, type TestUser } from '../support/factories.ts';
import { startTestInstance, type TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Sync {
  readonly id: string;
  readonly status: string;
  readonly created: number;
}

let host: HostServer;
let instance: TestInstance;
let user: TestUser;

beforeAll(async () => {
  host = await HostServer.start('github');
  instance = await startTestInstance();
  user = await registerUser(instance.api.url);
});
afterAll(async () => {
  await instance.close();
  host.close();
});

/** Creates a project, and waits until its repository was read, so that only syncs ask the host from then on. */
async function createProject(): Promise<string> {
  const project = { name: 'Website', repo_url: host.repoUrl, repo_type: 'github' };
  const { id } = (await user.client.post<{ id: string }>('/api/projects', project)).json;
  return waitUntil('the repository to be read', async () => {
    const { json } = await user.client.get<{ repo_status: string }>(`/api/projects/${id}`);
    return json.repo_status === 'pending' ? undefined : id;
  });
}

const start = async (projectId: string) =>
  (await user.client.post<Sync>(`/api/projects/${projectId}/sync-issues`)).json.id;

async function waitFor(projectId: string, id: string, status: string): Promise<Sync> {
  return waitUntil(`the sync to be ${status}`, async () => {
    const { json } = await user.client.get<Sync>(`/api/projects/${projectId}/syncs/${id}`);
    return json.status === status ? json : undefined;
  });
}

test('syncs end with each issue once, though their worker is killed in the middle of one and while another one waits as long as its host asks for', async () => {
  for (let n = 1; n <= 300; n += 1) host.world.addIssue({ labels: ['bug'] });
  const [projectId, waitingId] = [await createProject(), await createProject()];
  host.fail(1, ({ response }) => void response.writeHead(429, { 'Retry-After': '8' }).end());
  const waiting = await start(waitingId);
  expect(await waitFor(waitingId, waiting, 'waiting')).toMatchObject({
    error: expect.stringContaining('asks to wait'),
  });
  const id = await start(projectId);
  await waitUntil('some issues', async () => {
    const { json } = await user.client.get<Sync>(`/api/projects/${projectId}/syncs/${id}`);
    return json.created >= 100 ? true : undefined;
  });
  await instance.killWorkers();
  await instance.addWorker();
  expect(await waitFor(projectId, id, 'completed')).toMatchObject({ created: 300, updated: 0, total: 300 });
  const { rows } = await instance.api.database.system.query<{ issues: number; remotes: number; numbers: number }>(
    `select (select count(*)::int from issues where project_id = $1) as issues,
      (select count(*)::int from remote_issues where project_id = $1) as remotes,
      (select count(distinct number)::int from remote_issues where project_id = $1) as numbers`,
    [projectId],
  );
  expect(rows).toEqual([{ issues: 300, remotes: 300, numbers: 300 }]);
  expect(await waitFor(waitingId, waiting, 'completed')).toMatchObject({ created: 300, error: null });
});
