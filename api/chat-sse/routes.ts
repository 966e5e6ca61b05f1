import { getChat } from '../../db/chats/chat.ts';
import { findStreamedTurn } from '../../db/turns/find-streamed-turn.ts';
import { startTurn } from '../../db/turns/start-turn.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { isEndId, parseEventId } from '../chat-feed/viewer-cursor.ts';
import { asOwner, readerOf } from '../chats/own-chat.ts';
import { newMessageSchema } from '../chats/schema.ts';
import { defineStreamRoute } from '../http/define-route.ts';
import { streamQuery } from '../http/fields.ts';
import { turnEventSchema } from './turn-event.ts';
import { TurnEventStream } from './turn-stream.ts';

/**
 * Streams the turn that `Last-Event-ID` names from where the reader left off, otherwise the running turn from its
 * start.
 */
const attachStreamRoute = defineStreamRoute({
  method: 'get',
  path: '/api/chats/{chat_id}/stream',
  resource: 'chats',
  action: 'view_stream',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'attachToChat',
  summary: 'Attach to the running turn, or resume one with Last-Event-ID, as server-sent events',
  description:
    'With `Last-Event-ID` the stream resumes where the client left off, even if the turn has ended in the meantime; without it, the running turn is sent from its start. 404 when no turn is running, 204 when the client has already received the end of one. Members with whom the chat is shared can attach too; their stream ends when it is no longer shared.',
  query: streamQuery,
  response: { status: 200, stream: 'text/event-stream', schema: turnEventSchema, mayBeOver: true },
  handler: async ({ caller, params: { chat_id: chatId }, lastEventId, checkWhileOpen }, context, reply) => {
    const resumeFrom = parseEventId(lastEventId);
    checkWhileOpen(async (current) => void (await getChat(context.database, readerOf(current), chatId)));
    const turn = await findStreamedTurn(context.database, readerOf(caller), chatId, resumeFrom?.turnId);
    if (turn === undefined) throw notFound('Running turn');
    const position = resumeFrom?.turnId === turn.turnId ? resumeFrom : undefined;
    if (position !== undefined && isEndId(lastEventId)) return reply.endEmpty();
    await new TurnEventStream(reply, { chatId, ...turn, resumeFrom: position }).start(context, caller);
  },
});

/**
 * Sends a message and streams its answer. `stream_start` confirms that the message is stored. A reader that disconnects
 * changes nothing, and one that sends the same `client_message_id` again is shown the same turn.
 */
const streamMessageRoute = defineStreamRoute({
  method: 'post',
  path: '/api/chats/{chat_id}/stream',
  resource: 'chats',
  action: 'stream',
  access: 'in_org',
  audit: false,
  tag: 'Chats',
  operationId: 'sendMessage',
  summary: 'Send a message and receive the answer as server-sent events',
  description:
    '`stream_start` confirms that the message is stored; it will be answered whether or not the client stays connected. A client that lost the connection sends the same body again with the last `Last-Event-ID` it has seen: the same `client_message_id` creates no second turn. The last event is `stream_end` or `error`.',
  query: streamQuery,
  body: newMessageSchema,
  errors: [409, 429],
  response: { status: 200, stream: 'text/event-stream', schema: turnEventSchema },
  handler: async ({ caller, params: { chat_id: chatId }, body, lastEventId }, context, reply) => {
    const message = {
      chatId,
      content: body.content,
      clientMessageId: body.client_message_id ?? undefined,
      fileIds: body.file_ids,
    };
    const { turnId, messageId } = await asOwner(context, caller, chatId, async () =>
      startTurn(context, caller, message),
    );
    const position = parseEventId(lastEventId);
    const resumeFrom = position?.turnId === turnId ? position : undefined;
    await new TurnEventStream(reply, { chatId, turnId, messageId, resumeFrom }).start(context, caller);
  },
});

export const chatSseRoutes = [streamMessageRoute, attachStreamRoute];
