import { randomUUID } from 'node:crypto';
import { digestOf } from '../../activities/tools/call/execute-call.ts';
import { NOTHING_ELSE } from '../../activities/tools/tool.ts';
import type { Database } from '../../db/core/database.ts';
import { acceptMessage } from '../../db/turns/accept-message.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { storeStep } from '../../db/turns/steps/store-step.ts';

interface CallOptions {
  /** Beginning now. */
  readonly waitMs?: number;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Makes it a question to the user. */
  readonly defaultAnswer?: string;
}

const PARAMETERS = {
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
  additionalProperties: false,
};

/** A call that waits for a decision, and its turn. */
export interface WaitingCall {
  readonly approvalId: string;
  readonly callId: string;
  readonly turnId: string;
}

/** Has the agent of a chat make a call of `file_write` that waits for a decision; no worker is needed. */
export async function storeWaitingCall(
  database: Database,
  { orgId, userId, chatId }: { readonly orgId: string; readonly userId: string; readonly chatId: string },
  { waitMs = 3_600_000, arguments: args = { path: 'a.txt', content: 'b' }, defaultAnswer }: CallOptions = {},
): Promise<WaitingCall> {
  await acceptMessage(database, { orgId, userId }, { chatId, content: 'Write it.', clientMessageId: undefined });
  const turn = await claimTurn(database, { orgId, chatId });
  if (turn === undefined) throw new Error('no turn is open');
  const { id: turnId, attempt, step } = turn;
  const shown = { details: [], digest: digestOf(NOTHING_ELSE) };
  const question = defaultAnswer === undefined ? undefined : { userId, role: null, defaultAnswer };
  const expiresAt = new Date(Date.now() + waitMs);
  const approval = { id: randomUUID(), expiresAt, parameters: PARAMETERS, question, ...shown };
  const call = {
    id: randomUUID(),
    name: 'file_write',
    label: 'Writing a.txt',
    arguments: args,
    effect: 'keyed',
  } as const;
  await storeStep(
    database,
    { orgId, turnId, attempt, step },
    {
      text: '',
      rawText: null,
      state: null,
      usage: undefined,
      calls: [{ ...call, outcome: undefined, delegation: undefined, approval }],
    },
  );
  return { approvalId: approval.id, callId: call.id, turnId };
}
