import { tmpdir } from 'node:os';
import { createGuardedHttp } from '../../activities/core/network/guarded-http.ts';
import type { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import type { WebhookDeps } from '../../activities/webhooks.ts';
import type { Database } from '../../db/core/database.ts';
import { SecretBox } from '../../db/core/secret-box.ts';
import { parseOrgLimits } from '../../domain/orgs.ts';
import { FileStores } from '../../files/file-stores.ts';
import { TEST_SECRET_KEY } from './test-api.ts';

/** Returns what addresses are told with, and destinations; workspaces are copies of this process. */
export async function webhookDeps(
  database: Database,
  guarded: ReturnType<typeof createGuardedFetch>,
  more: Partial<WebhookDeps> = {},
): Promise<WebhookDeps> {
  return {
    database,
    box: new SecretBox([TEST_SECRET_KEY]),
    http: createGuardedHttp(guarded.fetch),
    sockets: guarded,
    files: await FileStores.open(database, undefined),
    workspaceRoot: tmpdir(),
    workspaceCopies: undefined,
    orgLimits: parseOrgLimits(''),
    publicUrl: 'https://everturn.example.com',
    ...more,
  };
}
