import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import { deliverWaiting, type WebhookDeps } from '../../activities/webhooks.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import type { TestUser } from './factories.ts';
import { json, OutsideServer } from './outside-server.ts';
import type { serveTestApi } from './serve-test-api.ts';
import { webhookDeps } from './webhook-deps.ts';

type Fields = Record<string, unknown>;

/** A receiver of reports for the tests of the calling file, and what reports to it without a worker. */
export function serveReportReceiver(served: ReturnType<typeof serveTestApi>) {
  let receiver: OutsideServer;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let folder: string;
  let made = 0;
  beforeAll(async () => {
    receiver = await OutsideServer.start();
    guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${receiver.port}`));
    folder = mkdtempSync(join(tmpdir(), 'everturn-reports-'));
  });
  afterAll(async () => {
    receiver.close();
    await guarded.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    receiver.seen.length = 0;
    receiver.reply = json({});
  });
  const deps = async (): Promise<WebhookDeps> => webhookDeps(served.api.database, guarded, { workspaceRoot: folder });
  return {
    get server(): OutsideServer {
      return receiver;
    },
    deps,
    /** Adds a destination at the receiver, and returns its id. */
    async addDestination(by: TestUser): Promise<string> {
      made += 1;
      const fields = { name: `Hook ${made}`, kind: 'webhook', config: { url: `${receiver.url}/${made}` } };
      const { status, json: added } = await by.client.post<{ id: string }>('/api/destinations', fields);
      expect(status).toBe(201);
      return added.id;
    },
    /** Sends what waits for a destination, as its workflow does. */
    async deliver({ orgId }: Pick<TestUser, 'orgId'>, destinationId: string) {
      const { rows } = await served.api.database.system.query<{ id: string }>(
        'select id from webhook_targets where destination_id = $1',
        [destinationId],
      );
      return deliverWaiting(await deps(), { orgId, targetId: rows[0]?.id ?? '' }, new AbortController().signal);
    },
    bodies: (): Fields[] => receiver.seen.map(({ body }) => JSON.parse(body) as Fields),
    reports: (): Fields[] => receiver.seen.map(({ body }) => (JSON.parse(body) as { report: Fields }).report),
  };
}
