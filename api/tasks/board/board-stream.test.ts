import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Database } from '../../../db/core/database.ts';
import type { BoardTask } from '../../../db/tasks/board.ts';
import { policyOf } from '../../../domain/permissions/policy.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import type { BoardSubscriptions } from '../../context/subscriptions.ts';
import type { SseReply } from '../../http/sse-reply.ts';
import { BoardStream } from './routes.ts';

/** A database whose boards are empty. */
const database = {
  payers: { of: async (orgId: string) => ({ ownerId: orgId, orgId }) },
  tenant: { query: async () => [] },
} as unknown as Database;
const caller = { orgId: randomUUID(), userId: randomUUID(), policy: policyOf('member', []) } as unknown as OrgCaller;

const added: BoardTask = {
  id: randomUUID(),
  chatId: randomUUID(),
  subChatId: null,
  title: 'added',
  assignedAgentId: null,
  priority: 'medium',
  status: 'pending',
  position: 'a0',
  attempts: 0,
  issueId: null,
  parentTaskId: null,
  waitsFor: [],
  createdAt: new Date(),
  updatedAt: new Date(),
};

test('what changes while the board is read is shown after it', async () => {
  const removedId = randomUUID();
  const boards: BoardSubscriptions = {
    subscribe: (_projectId, viewer) => {
      viewer.onTask(added);
      viewer.onRemoved(removedId);
      return () => undefined;
    },
  };
  const sent: unknown[] = [];
  const reply = {
    closed: new AbortController(),
    open: () => undefined,
    send: (event: string, { id }: { readonly id?: string }) => void sent.push([event, id]),
  } as unknown as SseReply;
  const deps = { database, boards, log: pino({ level: 'silent' }) };
  await new BoardStream(reply, deps, { projectId: randomUUID(), caller }).start();
  expect(sent).toEqual([
    ['board', undefined],
    ['task', added.id],
    ['removed', removedId],
  ]);
});
