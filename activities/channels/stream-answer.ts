import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  claimEdit,
  deferEdits,
  type EditedReply,
  endEdit,
  findEditedReply,
  type TurnOfThread,
} from '../../db/channels/edits.ts';
import type { Database } from '../../db/core/database.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { readPublishedText } from '../../db/stream/read-turn-events.ts';
import { DEFAULT_WAIT_MS } from '../core/network/rate-limit.ts';
import { converters, type ReportDeps } from '../destinations/send-report.ts';
import { isCutInSlack, slackAnswerOf } from '../destinations/senders/slack-answer.ts';
import { callSlack } from '../tools/builtin/communication/slack.ts';
import type { Service } from '../tools/context.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import { ToolFailure } from '../tools/tool-failure.ts';

/** The dependencies of showing answers while they are written. */
export interface StreamAnswerDeps extends ReportDeps {
  readonly database: Database;
  /** The URL of the console. */
  readonly publicUrl: string;
  readonly log: Logger;
}

/** The time until the first edit, and from one edit to the next, which grows with their number. */
const FIRST_MS = 1_000;
const pauseAfter = (edits: number) => 3_000 + 100 * edits;
const MAX_EDITS = 60;
/** An edit that takes longer is aborted, well before its lease runs out. */
const LIMIT_MS = 5_000;
/** Ends a text that is still being written. */
const UNFINISHED = '…';

/**
 * Shows the answer of a turn in its thread of Slack while it is written, until the returned function is called; an edit
 * in progress is then completed. Never throws: the answer itself is delivered in any case.
 */
export function streamAnswer(deps: StreamAnswerDeps, turn: TurnOfThread): () => void {
  const ended = new AbortController();
  editAgain(deps, turn, ended.signal).catch((error: unknown) => {
    if (!ended.signal.aborted) deps.log.debug({ err: error, turnId: turn.turnId }, 'an answer is not shown any more');
  });
  return () => ended.abort();
}

async function editAgain(deps: StreamAnswerDeps, turn: TurnOfThread, signal: AbortSignal): Promise<void> {
  await sleep(FIRST_MS, undefined, { signal });
  let reply: ShownReply | undefined = await findEditedReply(deps.database, turn);
  while (reply !== undefined && reply.edits < MAX_EDITS) {
    reply = await editReply(deps, turn, reply, signal);
    if (reply !== undefined) await sleep(pauseAfter(reply.edits), undefined, { signal });
  }
}

interface ShownReply extends EditedReply {
  /** Its current text; absent before the first edit. */
  readonly shown?: string;
}

/**
 * Replaces the text of the reply with the answer so far if that has changed and an edit is allowed now. Returns the
 * reply as it is then; undefined when it needs no further edit, since it shows all that it can. Throws when Slack
 * refuses.
 */
export async function editReply(
  deps: StreamAnswerDeps,
  turn: TurnOfThread,
  reply: ShownReply,
  signal: AbortSignal,
): Promise<ShownReply | undefined> {
  const { database, publicUrl } = deps;
  const { orgId, turnId } = turn;
  const { text: shown } = await readPublishedText(database, orgId, turnId);
  if (shown === '' || shown === reply.shown) return reply;
  const { integrationId, connection, chatId } = reply;
  const found = await findConnection(database, { orgId, integrationId });
  // Whether it is another account is checked when the answer is delivered.
  if (found?.connection !== connection) return undefined;
  const link = `${publicUrl}/o/${orgId}/chats/${chatId}`;
  const isCut = isCutInSlack(shown);
  const answer = { body: shown, link, unattached: [] };
  const text = await slackAnswerOf(answer, await converters(database, orgId, signal));
  // The time limit begins before the claim, so that a process that was halted after it sends nothing late.
  const service = await openServiceOf(deps, found, AbortSignal.timeout(LIMIT_MS));
  const edits = await claimEdit(database, turn, reply);
  if (edits === undefined) return reply;
  const edited = { ...reply, edits };
  const isTaken = await write(deps, orgId, edited, { service, text: isCut ? text : `${text}\n\n${UNFINISHED}` });
  if (!isTaken) return edited;
  return isCut ? undefined : { ...edited, shown };
}

/** Makes an edit that was claimed. Returns false when Slack asks to wait; throws when it refuses. */
async function write(
  { database }: StreamAnswerDeps,
  orgId: string,
  edited: EditedReply,
  { service, text }: { readonly service: Service; readonly text: string },
): Promise<boolean> {
  const { channelId, channel, reply: ts } = edited;
  try {
    await callSlack(service, { method: 'chat.update', json: { channel, ts, text }, effect: 'once' });
  } catch (error) {
    // An edit that may still arrive keeps its lease.
    if (!(error instanceof ToolFailure) || error.isUncertain) throw error;
    await endEdit(database, orgId, edited);
    if (error.kind !== 'rate_limited') throw error;
    await deferEdits(database, orgId, channelId, error.waitMs ?? DEFAULT_WAIT_MS);
    return false;
  }
  await endEdit(database, orgId, edited);
  return true;
}
