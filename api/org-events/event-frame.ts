import { z } from 'zod';
import { EXAMPLE_ID } from '../http/fields.ts';
import type { Socket } from '../openapi/openapi.ts';
import { closeCodes } from '../sockets/frame-socket.ts';
import { SUBPROTOCOL } from '../sockets/read-upgrade.ts';

const CHANGED = { type: 'changed', resource: 'agents', id: EXAMPLE_ID, action: 'changed' };

/** The frames that a client of an organization's events may receive. */
export const eventFrameSchema = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('resync') })
      .meta({ id: 'ResyncFrame', description: 'Anything may have changed: read again what is shown' }),
    z
      .object({
        type: z.literal('changed'),
        resource: z.string().meta({ description: 'What the record is, such as `agents` or `chats`' }),
        id: z.uuid().nullable().meta({ description: 'The record; null for some of the resource, whichever they are' }),
        action: z.enum(['created', 'changed', 'deleted']),
      })
      .meta({ id: 'ChangedFrame', description: 'A record has changed', examples: [CHANGED] }),
    z
      .object({ type: z.literal('error'), message: z.string() })
      .meta({ id: 'EventsErrorFrame', description: 'One of your frames was rejected' }),
    z.object({ type: z.literal('pong') }).meta({ id: 'EventsPongFrame', description: 'The reply to `ping`' }),
  ])
  .meta({ id: 'OrganizationFrame', description: 'What members of an organization are told', examples: [CHANGED] });

/** A frame that the server sends. */
export type EventFrame = z.input<typeof eventFrameSchema>;

/** The frames that a client may send. */
export const eventClientFrameSchema = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('ping') })
      .meta({ id: 'EventsPingFrame', description: 'The server replies with `pong`' }),
    z
      .object({
        type: z.literal('catch_up'),
        since_ms: z
          .int()
          .min(0)
          .meta({ description: 'How many milliseconds ago the oldest of what is shown was read' }),
      })
      .meta({
        id: 'CatchUpFrame',
        description: 'The server tells what has changed since then, or `resync` where it does not know',
        examples: [{ type: 'catch_up', since_ms: 1_500 }],
      }),
  ])
  .meta({ id: 'OrganizationClientFrame', description: 'What a client may ask for' });

const frames = { client: eventClientFrameSchema, server: eventFrameSchema };

/** The socket of an organization's events in the API's description. */
export const orgEventsDescription: Socket = {
  path: '/ws/events',
  summary: 'Learn which records of an organization have changed',
  description:
    'Connect as to a chat: with `?token=` and an access token or an API key, with `Authorization: Bearer`, or with the subprotocols ' +
    '`everturn.v1` and `bearer.<token>`. The organization is the active one unless `?org_id=` or `X-Org-Id` names another. You are told of ' +
    'what you may see: records of which you hold the key to view, and chats that you may read. A frame says what has changed, not ' +
    'how: read it again. The first frame is `resync`, and so is one after news were lost. Who has read just before may answer the first ' +
    'one with `catch_up`, and is told what has changed since.',
  frames,
  subprotocols: { [SUBPROTOCOL]: frames },
  closeCodes: closeCodes('There is no such organization, or you are no member of it any more: stop'),
};
