import type { AskableMember } from '../../db/approvals/find-members.ts';
import { claimReply, endEarlierEvents, type PendingEvent, storeReply, wasRefused } from '../../db/channels/events.ts';
import {
  clientMessageIdOf,
  findOpenTurns,
  findThreadChat,
  openThread,
  type ThreadRef,
} from '../../db/channels/threads.ts';
import { noteChannelError, type ReceivingChannel } from '../../db/channels/channels.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { findConnection } from '../../db/integrations/connections.ts';
import { requestInterrupt } from '../../db/turns/request-interrupt.ts';
import { startTurn } from '../../db/turns/start-turn.ts';
import { asksToStop, type ChannelEventStatus } from '../../domain/channels.ts';
import { AppError, type AppErrorCode } from '../../domain/core/app-error.ts';
import { plainLine } from '../../domain/core/text.ts';
import { namePermissions } from '../../domain/permissions/keys.ts';
import type { Policy } from '../../domain/permissions/policy.ts';
import { openServiceOf } from '../tools/operations/open-integration.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { type Conversation, conversationOf, type SentMessage } from './conversation.ts';
import type { ChannelDeps } from './receive-messages.ts';
import { takeFiles } from './take-files.ts';

/** A message of an active channel. */
interface Received {
  readonly channel: ReceivingChannel;
  readonly event: PendingEvent;
}

interface Identified extends Received {
  readonly conversation: Conversation;
}

const RECONNECTED =
  'Its integration was changed or deleted. Set the integration of the channel again, since it decides who has sent a message';
const STRANGER = 'I answer members of my organization only, and cannot tell which of them you are.';
const UNIDENTIFIED = 'Slack does not tell me who you are at the moment. Please write again later.';
const UNREADABLE = 'I can read no text in your message.';
const MAX_NAMES = 200;
const NOTHING_RUNS = 'There is no answer to stop.';
const STOPPED = 'Stopped.';
/** Errors that the sender can do something about. */
const REFUSALS: ReadonlySet<AppErrorCode> = new Set(['conflict', 'forbidden', 'limit_reached', 'not_found']);

/**
 * Handles a message: it is added to the sender's chat of this thread, or stops the earlier questions there. Strangers
 * get a notice once a day. Throws `ToolFailure` when the service fails.
 */
export async function handleMessage(
  deps: ChannelDeps,
  { channel, event }: Received,
  signal: AbortSignal,
): Promise<HandledStatus> {
  const { database } = deps;
  const { orgId, id: channelId, integrationId } = channel;
  const ref = { orgId, channelId };
  const found = await findConnection(database, { orgId, integrationId });
  if (found?.connection !== channel.connection) {
    await noteChannelError(database, ref, RECONNECTED);
    return 'failed';
  }
  const service = await openServiceOf(deps, found, signal);
  const conversation = conversationOf(deps, { channel, event, service, signal });
  const { message } = event;
  if (message.isNotice === true) {
    await ignoringFailure(conversation.show(message.text));
    return 'ignored';
  }
  const member = await identify(deps, { channel, event, conversation });
  if (member === 'unknown') return 'failed';
  if (member?.policy == null) {
    if (!(await wasRefused(database, ref, message.sender))) await ignoringFailure(conversation.post(STRANGER));
    return 'refused';
  }
  const { id: userId, policy } = member;
  const thread = { ...ref, userId, channel: message.channel, thread: message.thread };
  const sent = await conversation.read();
  if (sent.text === '' && sent.files.length === 0) {
    await ignoringFailure(conversation.post(UNREADABLE));
    return 'refused';
  }
  if (asksToStop(sent.text)) return stopThread(deps, { event, conversation, thread });
  return begin(deps, { channel, event, conversation, thread, policy, sent }, signal);
}

type HandledStatus = Exclude<ChannelEventStatus, 'pending'>;

/**
 * How often to try to find out who has sent a message, and to read a file of it, which delays the messages behind it.
 */
const MAX_TRIES = 3;
/** The longest time that the service may ask to wait between them. */
const MAX_WAIT_MS = 60_000;

/**
 * Returns the account of the sender of a message; `unknown` when the service has not said it after several attempts, of
 * which the sender is notified. While nothing can be posted either, the service is away, and the message waits.
 */
async function identify(
  { database }: ChannelDeps,
  { channel, event, conversation }: Identified,
): Promise<AskableMember | 'unknown' | undefined> {
  try {
    return await conversation.findSender();
  } catch (error) {
    if (!(error instanceof ToolFailure) || hasTriesLeft(channel, event, error)) throw error;
    await conversation.post(UNIDENTIFIED).catch((failure: unknown) => {
      throw failure instanceof ToolFailure ? error : failure;
    });
    await noteChannelError(database, { orgId: channel.orgId, channelId: channel.id }, error.message);
    return 'unknown';
  }
}

// Where the message before could not be answered, those behind it do not wait as long again.
function hasTriesLeft(
  { error }: ReceivingChannel,
  { tries, isStop }: PendingEvent,
  { waitMs = 0 }: ToolFailure,
): boolean {
  const isFirst = tries === 0 && (error === null || isStop);
  return waitMs <= MAX_WAIT_MS && (isFirst || (tries > 0 && tries + 1 < MAX_TRIES));
}

/** Stops the earlier questions of the thread: the answer that is being written, and those that have not begun. */
async function stopThread(
  { database }: ChannelDeps,
  { event, conversation, thread }: Pick<Authorized, 'event' | 'conversation' | 'thread'>,
): Promise<HandledStatus> {
  const earlier = await endEarlierEvents(database, thread, event);
  for (const { reply } of earlier) if (reply !== null) await ignoringFailure(conversation.post(STOPPED, reply));
  const chatId = await findThreadChat(database, thread);
  const [oldest, ...later] = chatId === undefined ? [] : await findOpenTurns(database, thread, chatId);
  if (chatId !== undefined && oldest !== undefined) {
    // The last one first: none begins because the one before it has ended.
    for (const turnId of later.toReversed()) await requestInterrupt(database, thread, chatId, turnId);
    await requestInterrupt(database, thread, chatId);
  } else if (earlier.every(({ reply }) => reply === null))
    await ignoringFailure(conversation.post(earlier.length === 0 ? NOTHING_RUNS : STOPPED));
  return 'stopped';
}

// A notice must not delay the messages behind it.
async function ignoringFailure(notice: Promise<unknown>): Promise<void> {
  try {
    await notice;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
  }
}

interface Authorized extends Identified {
  readonly thread: ThreadRef;
  readonly policy: Policy;
  readonly sent: SentMessage;
}

async function begin(deps: ChannelDeps, authorized: Authorized, signal: AbortSignal): Promise<HandledStatus> {
  const { channel, event, conversation, thread, policy, sent } = authorized;
  const { orgId, userId } = thread;
  const reply = await beginReply(deps, authorized);
  const text = sent.text === '' ? namesOf(sent) : sent.text;
  try {
    const opened = { ...thread, text, agentId: channel.agentId, maxChats: deps.orgLimits.chats };
    const chatId = await withOrgTransaction(deps.database, orgId, async (em) => openThread(em, opened));
    const mayTryAgain = (error: ToolFailure) => hasTriesLeft(channel, event, error);
    const taken = await takeFiles(deps, { ...sent, eventId: event.id, thread, chatId, mayTryAgain }, signal);
    const content = taken.untaken === '' ? text : `${text}\n\n${taken.untaken}`;
    const turn = { chatId, content, clientMessageId: clientMessageIdOf(event.id), fileIds: taken.fileIds };
    await startTurn(deps, { orgId, userId, policy }, turn);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError && REFUSALS.has(error.code))) throw error;
    await conversation.post(namePermissions(`${error.message}.`), reply);
    return 'refused';
  }
}

// A message of files only is named after them.
function namesOf({ files }: SentMessage): string {
  return plainLine(files.map(({ name }) => name).join(', '), MAX_NAMES) || 'Files without names';
}

/**
 * Posts the message that becomes the answer, at most once. Without it, which the service may refuse for now, the answer
 * is a message of its own.
 */
async function beginReply(
  { database }: Pick<ChannelDeps, 'database'>,
  { channel: { orgId, id: channelId, connection }, event, conversation }: Identified,
): Promise<string | null> {
  const ref = { orgId, channelId };
  const { account } = conversation;
  if (event.replyBegun || !(await claimReply(database, ref, { id: event.id, connection, account }))) return event.reply;
  try {
    const reply = await conversation.beginReply();
    if (reply !== null) await storeReply(database, ref, event.id, reply);
    return reply;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
