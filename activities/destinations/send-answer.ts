import { setTimeout as sleep } from 'node:timers/promises';
import { findAnsweredEvent } from '../../db/channels/threads.ts';
import { noteChannelError } from '../../db/channels/channels.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { type Delivery, readSubject, type TargetThread } from '../../db/webhooks/next-delivery.ts';
import { accountOf, type ChannelKind } from '../../domain/channels.ts';
import { markedAnswer } from '../../domain/turns.ts';
import { type DeliverySubject, MAX_SENT_CHARACTERS } from '../../domain/webhooks.ts';
import { NOT_TAKEN, type Sent, TAKEN } from '../core/network/signed-post.ts';
import { compute } from '../tools/compute/compute.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import { runLargeWork } from '../tools/operations/tool-context.ts';
import type { Service } from '../tools/context.ts';
import { slackTeamOf } from '../tools/builtin/communication/slack.ts';
import type { DeliverReportDeps } from './deliver-report.ts';
import { gatherLinked, linkedPaths } from './answer-files.ts';
import { NO_FILES, type Report } from './report.ts';
import { type FileRoom, NO_ROOM, WHOLE_ROOM } from './report-files.ts';
import { converters, NO_INTEGRATION, sendWithin } from './send-report.ts';
import { accountOfSmtp, answerByMail } from './senders/mail.ts';
import type { AnswerContext, ThreadAnswer } from './senders/sender.ts';
import { answerInSlack } from './senders/slack-answer.ts';

/**
 * Posts an answer to a thread by the service of an integration. Returns a description of what the service did not
 * accept, and null if it accepted all. Throws `ToolFailure` if it accepted nothing.
 */
type Answerer = (service: Service, answer: ThreadAnswer, context: AnswerContext) => Promise<string | null>;

const ANSWERERS: Readonly<Record<ChannelKind, Answerer>> = { email: answerByMail, slack: answerInSlack };

/** Return the workspace or the sender that the credentials of a service belong to. */
const ACCOUNTS: Readonly<Record<ChannelKind, (service: Service) => Promise<string> | string>> = {
  email: accountOfSmtp,
  slack: slackTeamOf,
};

/** An answer that is due, and its thread. */
interface DueAnswer extends Pick<Delivery, 'isOfDeletedChat' | 'tries'> {
  readonly orgId: string;
  readonly messageId: string;
  readonly thread: TargetThread;
}

/** How long an attempt takes at most: the activity ends within two minutes. */
const LIMIT_MS = 90_000;
/** The attempts at sending an answer with its files, within the hour; a server may take none of that size. */
const MAX_TRIES_WITH_FILES = 6;
/** How often it is read whether an edit has ended, which takes some seconds at most. */
const EDIT_POLL_MS = 300;
const ANOTHER_ACCOUNT =
  'The integration of the channel was changed after this was asked, and its account may be another one';
const DELETED = 'The chat was deleted.';

/**
 * Posts an answer to its thread once, and again where it may have been overwritten by an edit from when it was written.
 * Never throws because of the service; undefined when the message is gone. What was asked elsewhere, such as in the
 * console, is not posted, nor is what was answered in a chat that was deleted since: the message that was to become the
 * answer says so.
 */
export async function sendAnswer(
  deps: DeliverReportDeps,
  { orgId, messageId, thread, isOfDeletedChat, tries }: DueAnswer,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { database, publicUrl } = deps;
  const delivery = { messageId, runId: null, scheduleId: null, taskId: null, report: null };
  const subject = await readSubject(database, orgId, delivery, MAX_SENT_CHARACTERS);
  if (subject?.kind !== 'message') return undefined;
  const event = await findAnsweredEvent(database, orgId, messageId);
  if (event === undefined || (isOfDeletedChat && event.reply === null)) return TAKEN;
  const link = `${publicUrl}/o/${orgId}/chats/${subject.chatId}`;
  const body = isOfDeletedChat ? DELETED : bodyOf(subject);
  const { reply, mail, connection, account } = event;
  const chatId = isOfDeletedChat ? null : subject.workspaceChatId;
  const room = tries < MAX_TRIES_WITH_FILES ? WHOLE_ROOM : NO_ROOM;
  const asked = { orgId, chatId, room, connection, account };
  const sent = await sendWithin(LIMIT_MS, signal, async (limited) => {
    const outlastEdit = async () => {
      for (let read: typeof event | undefined = event; read?.isBeingEdited === true;) {
        await sleep(EDIT_POLL_MS, undefined, { signal: limited });
        read = await findAnsweredEvent(database, orgId, messageId);
      }
      return event.isBeingEdited;
    };
    const answer = { ...thread, reply, mail, body, link, key: `answer ${messageId}`, outlastEdit };
    return post(deps, asked, answer, limited);
  });
  // A channel that was set up again works.
  if (sent.verdict !== 'forbidden')
    await noteChannelError(database, { orgId, channelId: thread.channelId }, sent.error);
  return sent;
}

function bodyOf({ content, status, error, finishReason }: DeliverySubject & { readonly kind: 'message' }): string {
  const end = error ?? (status === 'interrupted' ? 'Stopped.' : '');
  return [markedAnswer(content, finishReason), end].filter((part) => part !== '').join('\n\n');
}

/** The connection of an integration by which a question was received, and the account of the service. */
interface Asked {
  readonly orgId: string;
  /** The chat whose workspace has the files of the answer; null for none. */
  readonly chatId: string | null;
  readonly room: FileRoom;
  readonly connection: string | null;
  readonly account: string | null;
}

async function post(
  deps: DeliverReportDeps,
  { orgId, chatId, room, connection, account }: Asked,
  answer: Omit<ThreadAnswer, 'files' | 'unattached'>,
  signal: AbortSignal,
): Promise<Sent> {
  const { integrationId, kind } = answer;
  const found = await findConnection(deps.database, { orgId, integrationId });
  if (found === undefined) return { ...NOT_TAKEN, error: NO_INTEGRATION, verdict: 'gone' };
  const service = await openServiceOf(deps, found, signal);
  // Other credentials of the same account, such as a token that was renewed, answer the same people.
  const isKnown =
    found.connection === connection ||
    (account !== null && account === accountOf(service.apiUrl, await ACCOUNTS[kind](service)));
  if (!isKnown) return { ...NOT_TAKEN, error: ANOTHER_ACCOUNT, verdict: 'forbidden' };
  const { http, sockets } = deps;
  const context = { http, sockets, signal, ...(await converters(deps.database, orgId, signal)) };
  const payer = await deps.database.payers.of(orgId);
  const paths = await linkedPaths(answer.body, async (job) => compute(job, { payer, signal }));
  const send = async (files: Pick<Report, 'files' | 'unattached'>) =>
    ANSWERERS[kind](service, { ...answer, ...files }, context);
  const error =
    chatId === null || paths.length === 0
      ? await send(NO_FILES)
      : await runLargeWork(payer, signal, async () =>
          send(await gatherLinked(deps, { orgId, chatId, paths, room }, signal)),
        );
  return { ...TAKEN, error };
}
