import { getChat } from '../../db/chats/index.ts';
import { findStreamedTurn } from '../../db/turns/index.ts';
import { notFound } from '../../domain/core/app-error.ts';
import { isEndId, parseEventId } from '../chat-feed/index.ts';
import { readerOf } from '../chats/index.ts';
import { defineStreamRoute } from '../http/define-route.ts';
import { streamQuery } from '../http/fields.ts';
import { idParams } from '../resources/id-fields.ts';
import { turnEventSchema } from './turn-event.ts';
import { TurnEventStream } from './turn-stream.ts';

/**
 * Streams the turn that `Last-Event-ID` names from where the reader left off, otherwise the running turn from its
 * start.
 */
export const attachStreamRoute = defineStreamRoute({
  method: 'get',
  path: '/api/chats/{chat_id}/stream',
  resource: 'chats',
  action: 'view_stream',
  access: 'in_org',
  tag: 'Chats',
  operationId: 'attachToChat',
  summary: 'Attach to the running turn, or resume one with Last-Event-ID, as server-sent events',
  description:
    'With `Last-Event-ID` it goes on where the reader left off, also when the turn has ended meanwhile; without it the running turn is shown from its start. 404 when no turn runs, 204 for a reader that has had the end of one. So can whoever reads the chat because it is shared; the stream ends when it is no longer.',
  params: idParams('chat_id'),
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
