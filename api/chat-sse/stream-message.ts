import { parseEventId } from '../chat-feed/index.ts';
import { defineStreamRoute } from '../http/define-route.ts';
import { streamQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { startTurn } from '../../db/turns/index.ts';
import { asOwner, newMessageSchema } from '../chats/index.ts';
import { turnEventSchema } from './turn-event.ts';
import { TurnEventStream } from './turn-stream.ts';

/**
 * Sends a message and streams its answer. `stream_start` confirms that the message is stored. A reader that disconnects
 * changes nothing, and one that sends the same `client_message_id` again is shown the same turn.
 */
export const streamMessageRoute = defineStreamRoute({
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
    '`stream_start` confirms that the message is stored; it will be answered, whether or not anybody reads. A reader that lost the connection sends the same body again with the last `Last-Event-ID` it has seen: the same `client_message_id` makes no second turn. The last event is `stream_end` or `error`.',
  params: idParams('chat_id'),
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
