import { z } from 'zod';
import { CHANNEL_KINDS } from '../../domain/channels.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { MAIL_ISSUES } from '../../domain/inbound-mail.ts';
import { MAIL_ADDRESS } from '../../domain/network/host-names.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';

const MAX_PEOPLE = 500;
const MIN_SECRET = 8;
const MAX_SECRET = 500;

const kindField = z.enum(CHANNEL_KINDS).meta({ id: 'ChannelKind' });

const people = z.record(z.string().regex(/^[\w.:+@-]{1,100}$/), z.uuid().toLowerCase());

const MAX_MAILBOX = 31;

const mailboxFields = {
  address: text(320)
    .regex(MAIL_ADDRESS, 'must be an address such as agents@example.com')
    .refine((address) => address.indexOf('@') <= MAX_MAILBOX, `must have at most ${MAX_MAILBOX} characters before @`)
    .meta({
      description:
        'The address whose mail is delivered. Mail to it with a tag, such as `agents+tag@example.com`, has to be delivered, too',
    }),
  auth_service: z
    .string()
    .regex(/^[\w.-]{1,253}$/, 'must be a name such as mx.example.com')
    .meta({
      description:
        'The name of the mail service in the `Authentication-Results` that it adds: only a mail for which that states `dmarc=pass` is answered',
      examples: ['mx.example.com'],
    }),
};
const MAILBOX = 'Of the kind `email`, which needs it; null for others';
const MAILBOX_EXAMPLE = { address: 'agents@example.com', auth_service: 'mx.example.com' };

const mailbox = z.strictObject(mailboxFields).meta({ id: 'ChannelMailboxUpdate', examples: [MAILBOX_EXAMPLE] });
const shownMailbox = z.object(mailboxFields).meta({ id: 'ChannelMailbox', examples: [MAILBOX_EXAMPLE] });

const fields = {
  name: nameText(100).meta({ description: 'Unique in the organization, regardless of case' }),
  agent_id: idOf('agents').meta({ description: 'The agent that answers; threads that have begun keep theirs' }),
  integration_id: idOf('integrations').meta({
    description:
      'The integration that it answers with, of the kind `slack`, or `smtp` for `email`. Once that is changed, the channel pauses until this is set again',
  }),
  secret: text(MAX_SECRET).min(MIN_SECRET).meta({
    description:
      'The signing secret of the Slack app, or the one that mails are signed with; stored encrypted and never shown',
  }),
  matches_email: z.boolean().meta({
    description:
      'Whether a sender whose e-mail address the service confirms, as Slack does or DMARC for a mail, counts as the member who was invited by that address, or the administrator who has it. Needs `settings.manage`',
  }),
  people: people
    .refine((given) => Object.keys(given).length <= MAX_PEOPLE, `must have at most ${MAX_PEOPLE} members`)
    .meta({
      description:
        'Senders that count as members, before `matches_email`: ids of users by member ids of Slack, or by addresses in lower case. Anyone but yourself needs `settings.manage`',
      examples: [{ U024BE7LH: EXAMPLE_ID }],
    }),
  mail: mailbox.nullable().meta({ description: MAILBOX }),
  is_active: z.boolean().meta({ description: 'Whether messages are answered; those that come meanwhile are ignored' }),
};

export const newChannelSchema = z
  .strictObject({
    ...fields,
    kind: kindField,
    matches_email: fields.matches_email.default(false),
    people: fields.people.default({}),
    mail: fields.mail.default(null),
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
      {
        name: 'Mail',
        kind: 'email',
        agent_id: EXAMPLE_ID,
        integration_id: EXAMPLE_ID,
        secret: '8f742231b10e8888abcd99yyyzzz85a5',
        matches_email: true,
        mail: MAILBOX_EXAMPLE,
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
    mail: shownMailbox.nullable().meta({ description: MAILBOX }),
    is_active: z.boolean(),
    events_url: z.string().meta({ description: 'Where Slack delivers events, or a mail service delivers mails' }),
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
        mail: null,
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
        '`repeated`: it was delivered before; `ignored`: nobody has written to the agent, or the channel is off',
    }),
    reason: z.enum(MAIL_ISSUES).optional().meta({
      description:
        'Why a mail is ignored. `automatic`: a program or a list has sent it; `faulty`: it has not one sender, or its head is too long; `recipients`: it has more than 100; `unauthenticated`: the mail service does not state `dmarc=pass`',
    }),
    challenge: z.string().optional().meta({ description: 'The `challenge` of a `url_verification`' }),
  })
  .meta({ id: 'ChannelEventReceipt', examples: [{ status: 'accepted' }] });
