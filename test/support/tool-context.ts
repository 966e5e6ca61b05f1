import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuardedFetch } from '../../activities/core/guarded-fetch.ts';
import { createGuardedHttp } from '../../activities/core/guarded-http.ts';
import { openWorkspace, type ToolContext } from '../../activities/tools/index.ts';
import type { Quota } from '../../activities/tools/workspace/quota.ts';
import type { TenantDatabase } from '../../db/core/index.ts';
import { parsePrivateHosts } from '../../domain/network/index.ts';

/** The environment of a tool in tests: a workspace of its own, and no database unless one is given. */
export interface TestTools {
  readonly context: ToolContext;
  /** The folder of the workspace; it is there after the first write. */
  readonly home: string;
  /** A folder beside the workspace, in which nothing may happen. */
  readonly outside: string;
  close(): Promise<void>;
}

export async function createTestTools(
  options: { privateHosts?: string; database?: TenantDatabase; quota?: Partial<Quota> } = {},
): Promise<TestTools> {
  const outside = await mkdtemp(join(tmpdir(), 'everturn-tools-'));
  const root = join(outside, 'workspaces');
  const [orgId, chatId] = [randomUUID(), randomUUID()];
  const guarded = createGuardedFetch(parsePrivateHosts(options.privateHosts ?? ''));
  const context: ToolContext = {
    orgId,
    userId: randomUUID(),
    agentId: randomUUID(),
    chatId,
    idempotencyKey: randomUUID(),
    hasForeignText: false,
    workspace: openWorkspace({ root, orgId, chatId, ...(options.quota && { quota: options.quota }) }),
    database: options.database ?? noDatabase(),
    http: createGuardedHttp(guarded.fetch),
    signal: new AbortController().signal,
  };
  return {
    context,
    home: join(root, orgId, chatId),
    outside,
    close: async () => {
      await guarded.close();
      await rm(outside, { recursive: true, force: true });
    },
  };
}

function noDatabase(): TenantDatabase {
  return new Proxy({} as TenantDatabase, {
    get: () => {
      throw new Error('this test has no database');
    },
  });
}
