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
      .meta({ id: 'ResyncFrame', description: 'Anything may have changed: reload what is displayed' }),
    z
      .object({
        type: z.literal('changed'),
        resource: z.string().meta({ description: 'The type of the record, such as `agents` or `chats`' }),
        id: z
          .uuid()
          .nullable()
          .meta({ description: 'The record; null for an unspecified set of records of the resource' }),
        action: z.enum(['created', 'changed', 'deleted']),
      })
      .meta({ id: 'ChangedFrame', description: 'A record has changed', examples: [CHANGED] }),
    z
      .object({ type: z.literal('error'), message: z.string() })
      .meta({ id: 'EventsErrorFrame', description: 'One of your frames was rejected' }),
    z.object({ type: z.literal('pong') }).meta({ id: 'EventsPongFrame', description: 'The reply to `ping`' }),
  ])
  .meta({ id: 'OrganizationFrame', description: 'The frames sent to members of an organization', examples: [CHANGED] });

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
        since_ms: z.int().min(0).meta({ description: 'The age of the oldest data on display, in milliseconds' }),
      })
      .meta({
        id: 'CatchUpFrame',
        description:
          'Asks what has changed since then; the server replies with the changes, or with `resync` if it does not know',
        examples: [{ type: 'catch_up', since_ms: 1_500 }],
      }),
  ])
  .meta({ id: 'OrganizationClientFrame', description: 'The frames that a client may send' });

const frames = { client: eventClientFrameSchema, server: eventFrameSchema };

/** The socket of an organization's events in the API's description. */
export const orgEventsDescription: Socket = {
  path: '/ws/events',
  summary: 'Receive changes to the records of an organization',
  description:
    'Connect as to a chat: with `?token=` and an access token or an API key, with `Authorization: Bearer`, or with the subprotocols ' +
    '`everturn.v1` and `bearer.<token>`. The organization is the active one unless `?org_id=` or `X-Org-Id` names another. You receive changes ' +
    'of what you may see: records for which you have the view permission, and chats that you may read. A frame says what has changed, ' +
    'not how: reload it. The first frame is `resync`, which is sent again whenever events were lost. A client that has just loaded its ' +
    'data may answer the first frame with `catch_up` to learn what has changed since.',
  frames,
  subprotocols: { [SUBPROTOCOL]: frames },
  closeCodes: closeCodes('The organization does not exist, or you are no longer a member: stop'),
};
