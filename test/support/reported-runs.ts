import { beforeEach } from '@jest/globals';
import { workspaceOf } from '../../activities/tools/operations/tool-context.ts';
import { filePath } from '../../activities/tools/workspace/workspace-path.ts';
import { endRun } from '../../db/agent-workflows/runs/end-run.ts';
import { readRunState } from '../../db/agent-workflows/runs/run-state.ts';
import type { FinalRunStatus } from '../../domain/agent-workflows.ts';
import { registerUser, type TestUser } from './factories.ts';
import { serveReportReceiver } from './report-receiver.ts';
import { serveTestApi } from './serve-test-api.ts';
import { storeRuns } from './store-runs.ts';
import { storeWorkspaceFile } from './stored-workspace.ts';

type Fields = Record<string, unknown>;

/** A report as the api shows it. */
export interface ShownReport extends Fields {
  readonly id: string;
  readonly destination_id: string;
  readonly status: string;
}

/** An api with a new user for each test of the calling file, what ends runs of that user, and what they report to. */
export function serveReportedRuns() {
  const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
  const receiver = serveReportReceiver(served);
  let user: TestUser;
  beforeEach(async () => {
    user = await registerUser(served.url);
  });
  const pathOf = async (runId: string): Promise<string> => {
    const { rows } = await served.api.database.system.query<{ id: string }>(
      'select workflow_id as id from workflow_runs where id = $1',
      [runId],
    );
    return `/api/workflows/${rows[0]?.id}/runs/${runId}`;
  };
  return {
    served,
    receiver,
    get user(): TestUser {
      return user;
    },
    addDestination: async (by = user) => receiver.addDestination(by),
    deliver: async (destinationId: string) => receiver.deliver(user, destinationId),
    storeRun: async (deliveries: readonly Fields[]): Promise<string> =>
      (await storeRuns(served.api.database, user, 1, { deliveries }))[0] ?? '',
    /** Ends a run as its workflow does, and writes its answer. */
    async end(runId: string, status: FinalRunStatus, { output = '', error = null as string | null } = {}) {
      const run = await readRunState(served.api.database, { orgId: user.orgId, runId });
      if (run !== undefined) await endRun(served.api.database, run, { status, error });
      await served.api.database.system.query('update workflow_runs set output = $2 where id = $1', [runId, output]);
    },
    pathOf,
    /** Returns the chat of a run, and what writes a file to its workspace as a worker does, and to its snapshot. */
    async workspaceOf(runId: string) {
      const { rows } = await served.api.database.system.query<{ id: string }>(
        'select chat_id as id from workflow_runs where id = $1',
        [runId],
      );
      const ref = { orgId: user.orgId, chatId: rows[0]?.id ?? '' };
      const signal = new AbortController().signal;
      const workspace = workspaceOf(await receiver.deps(), { orgId: ref.orgId, workspaceChatId: ref.chatId }, signal);
      return {
        ...ref,
        async write(path: string, content: string | Buffer, { isStored = true } = {}) {
          const options = { overwrite: true, createFolders: true, isForeign: false };
          await workspace.write(filePath(path), Buffer.from(content), options);
          if (isStored) await storeWorkspaceFile(served.api.database, ref, { path, content });
        },
      };
    },
    /** Returns the reports of a run. */
    shownOf: async (runId: string) =>
      (await user.client.get<{ deliveries: ShownReport[] }>(await pathOf(runId))).json.deliveries,
    /** Returns the reports that were given up. */
    undelivered: async () => (await user.client.get<ShownReport[]>('/api/runs/undelivered')).json,
  };
}
