import { z } from 'zod';
import { CHANNEL_KINDS } from '../../domain/channels.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_PEOPLE = 500;
const MIN_SECRET = 8;
const MAX_SECRET = 500;

const kindField = z.enum(CHANNEL_KINDS).meta({ id: 'ChannelKind' });

const people = z.record(z.string().regex(/^[\w.:-]{1,100}$/), z.uuid().toLowerCase());

const fields = {
  name: nameText(100).meta({ description: 'Unique in the organization, regardless of case' }),
  agent_id: idOf('agents').meta({ description: 'The agent that answers; threads that have begun keep theirs' }),
  integration_id: idOf('integrations').meta({
    description:
      'The integration of the kind `slack` that it answers with. Once that is changed, the channel pauses until this is set again',
  }),
  secret: text(MAX_SECRET).min(MIN_SECRET).meta({
    description: 'The signing secret of the Slack app; stored encrypted and never shown',
  }),
  matches_email: z.boolean().meta({
    description:
      'Whether a sender whose e-mail address the service confirms counts as the member who was invited by that address, or the administrator who has it. Needs `settings.manage`',
  }),
  people: people
    .refine((given) => Object.keys(given).length <= MAX_PEOPLE, `must have at most ${MAX_PEOPLE} members`)
    .meta({
      description:
        'Senders that count as members, before `matches_email`: ids of users by member ids of Slack. Anyone but yourself needs `settings.manage`',
      examples: [{ U024BE7LH: EXAMPLE_ID }],
    }),
  is_active: z.boolean().meta({ description: 'Whether messages are answered; those that come meanwhile are ignored' }),
};

export const newChannelSchema = z
  .strictObject({
    ...fields,
    kind: kindField,
    matches_email: fields.matches_email.default(false),
    people: fields.people.default({}),
    is_active: fields.is_active.default(true),
  })
  .meta({
    id: 'ChannelCreate',
    examples: [
      {
        name: 'Slack',
        kind: 'slack',
        agent_id: EXAMPLE_ID,
        integration_id: EXAMPLE_ID,
        secret: '8f742231b10e8888abcd99yyyzzz85a5',
        matches_email: true,
      },
    ],
  });

export const channelChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'ChannelUpdate', examples: [{ is_active: false }] });

export const channelSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null once the account is deleted' }),
    name: z.string(),
    kind: kindField,
    agent_id: z.uuid().nullable().meta({ description: 'Null once the agent was removed' }),
    integration_id: z.uuid().nullable().meta({ description: 'Null when it was deleted' }),
    matches_email: z.boolean(),
    people: z.record(z.string(), z.uuid()),
    is_active: z.boolean(),
    events_url: z.string().meta({ description: 'The request URL for events in the settings of the Slack app' }),
    error: z.string().nullable().meta({ description: 'Why the last message was not answered; null if it was' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Channel',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Slack',
        kind: 'slack',
        agent_id: EXAMPLE_ID,
        integration_id: EXAMPLE_ID,
        matches_email: true,
        people: {},
        is_active: true,
        events_url: `https://everturn.example.com/api/channels/${EXAMPLE_ID}/events`,
        error: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const eventSchema = z.looseObject({}).meta({
  id: 'ChannelEvent',
  description: 'An event of Slack',
  examples: [{ type: 'url_verification', challenge: '3eZbrw1aB10U' }],
});

export const receiptSchema = z
  .object({
    status: z.enum(['accepted', 'repeated', 'ignored']).meta({
      description:
        '`repeated`: it was delivered before; `ignored`: nobody has written to the bot, or the channel is off',
    }),
    challenge: z.string().optional().meta({ description: 'The `challenge` of a `url_verification`' }),
  })
  .meta({ id: 'ChannelEventReceipt', examples: [{ status: 'accepted' }] });
