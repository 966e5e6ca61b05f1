import { z } from 'zod';
import { EXAMPLE_ID } from '../http/fields.ts';

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
