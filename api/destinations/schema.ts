import { z } from 'zod';
import { keptVerbatim } from '../../domain/core/record-names.ts';
import { nameText, text } from '../../domain/core/text.ts';
import { DESTINATION_KINDS, MAX_RECIPIENTS } from '../../domain/destinations.ts';
import { WEEKDAYS } from '../../domain/sending-times.ts';
import { isTimeZone } from '../../domain/schedules/cron.ts';
import { EXAMPLE_ID, EXAMPLE_TIME, flagParam, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';
import { signingSecretField, webhookUrlField } from '../webhooks/schema.ts';

const MAX_ADDRESS = 600;

const recipients = text(MAX_ADDRESS).array().min(1).max(MAX_RECIPIENTS);

const configFields = {
  to: recipients.optional().meta({ description: '`email`: the recipients, such as `Ada <ada@example.com>`' }),
  cc: recipients.optional().meta({ description: '`email`: further recipients' }),
  channel: text(100).min(1).optional().meta({
    description: '`slack`, `discord`: the id of the channel. Without one `discord` uses the webhook of the integration',
  }),
  chat: text(100).min(1).optional().meta({
    description: '`telegram`: the id of the chat, or `@name` of a public channel',
  }),
  url: webhookUrlField.optional().meta({ description: '`webhook`: gets a signed POST' }),
};
const clock = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00')
  .meta({ examples: ['22:00'] });

const quietFields = {
  timezone: text(100)
    .min(1)
    .meta({ description: 'The IANA time zone of both times', examples: ['Europe/Berlin'] }),
  from: clock,
  to: clock.meta({ description: 'On the next day unless it is later than `from`' }),
  days: z
    .array(z.enum(WEEKDAYS))
    .max(WEEKDAYS.length)
    .meta({ description: 'The days on which they begin; empty for every day' }),
};
const QUIET = 'When nothing is sent: reports wait until the end of these hours. Null for none';
const QUIET_EXAMPLE = { timezone: 'Europe/Berlin', from: '22:00', to: '07:00', days: [] };

const quietHours = z
  .strictObject({ ...quietFields, days: quietFields.days.default([]) })
  .refine(({ timezone }) => isTimeZone(timezone), { path: ['timezone'], error: 'must be an IANA time zone' })
  .refine(({ from, to, days }) => from !== to || (days.length > 0 && new Set(days).size < WEEKDAYS.length), {
    path: ['to'],
    error: 'must leave a time at which reports are sent',
  })
  .meta({ id: 'QuietHoursUpdate', examples: [QUIET_EXAMPLE] });
const shownQuietHours = z.object(quietFields).meta({ id: 'QuietHours', examples: [QUIET_EXAMPLE] });

const MAX_DIGEST_MINUTES = 24 * 60;
const DIGEST =
  'How long reports are collected before they are sent as one message, in minutes; null to send each one separately';

const WHERE = 'Where it delivers to; each kind has some of these fields and rejects the others';
const CONFIG_EXAMPLES = [
  { to: ['Ada <ada@example.com>'] },
  { channel: 'C024BE91L' },
  { url: 'https://hooks.example.com/reports' },
];

const config = z
  .strictObject(configFields)
  .meta({ id: 'DestinationConfigUpdate', description: WHERE, examples: CONFIG_EXAMPLES });
const shownConfig = z
  .object(configFields)
  .meta({ id: 'DestinationConfig', description: WHERE, examples: CONFIG_EXAMPLES });

const fields = {
  name: nameText(100).meta({ description: 'Unique in the organization, regardless of case' }),
  integration_id: idOf('integrations').nullable().meta({
    description:
      'The integration whose credentials it uses: of the kind `smtp` for `email`, `ms_teams` for `teams`, otherwise of the kind with the same name. Null for `webhook`',
  }),
  config: keptVerbatim(config),
  quiet_hours: quietHours.nullable().meta({ description: QUIET }),
  digest_minutes: z.int().min(1).max(MAX_DIGEST_MINUTES).nullable().meta({ description: DIGEST }),
  secret: signingSecretField,
  is_active: z.boolean().meta({ description: 'Whether reports are sent to it. While it is paused they are queued' }),
};

export const destinationKindField = z.enum(DESTINATION_KINDS).meta({ id: 'DestinationKind' });

export const newDestinationSchema = z
  .strictObject({
    ...fields,
    kind: destinationKindField,
    integration_id: fields.integration_id.default(null),
    quiet_hours: fields.quiet_hours.default(null),
    digest_minutes: fields.digest_minutes.default(null),
    secret: fields.secret.optional(),
    is_active: fields.is_active.default(true),
  })
  .meta({
    id: 'DestinationCreate',
    examples: [
      { name: 'Archive', kind: 'webhook', config: { url: 'https://hooks.example.com/reports' } },
      { name: 'Sales', kind: 'email', integration_id: EXAMPLE_ID, config: { to: ['Ada <ada@example.com>'] } },
    ],
  });

export const destinationChangesSchema = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'DestinationUpdate', examples: [{ is_active: false }] });

export const destinationSchema = z
  .object({
    id: z.uuid(),
    owner_id: z.uuid().nullable().meta({ description: 'Who added it; null once the account is deleted' }),
    name: z.string(),
    kind: destinationKindField,
    integration_id: z.uuid().nullable().meta({ description: 'Null for `webhook`, and when it was deleted' }),
    config: keptVerbatim(shownConfig),
    quiet_hours: shownQuietHours.nullable().meta({ description: QUIET }),
    digest_minutes: z.int().nullable().meta({ description: DIGEST }),
    has_secret: z.boolean(),
    is_active: z.boolean(),
    paused_reason: z.string().nullable().meta({
      description:
        'Why it was paused automatically, human-readable; null while it is active, and when a person paused it',
    }),
    checked_at: timestamp.nullable().meta({ description: 'When a test message was last sent to it' }),
    error: z.string().nullable().meta({ description: 'What of the test message was not accepted; null if all was' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({
    id: 'Destination',
    examples: [
      {
        id: EXAMPLE_ID,
        owner_id: EXAMPLE_ID,
        name: 'Sales',
        kind: 'email',
        integration_id: EXAMPLE_ID,
        config: { to: ['Ada <ada@example.com>'] },
        quiet_hours: QUIET_EXAMPLE,
        digest_minutes: 60,
        has_secret: false,
        is_active: true,
        paused_reason: null,
        checked_at: EXAMPLE_TIME,
        error: null,
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
      },
    ],
  });

export const deletionQuery = z.strictObject({
  force: flagParam('Delete it even while workflows or schedules report to it'),
});

export const destinationTestSchema = z
  .object({
    ok: z.boolean(),
    latency_ms: z.int().meta({ description: 'How long it took, in milliseconds' }),
    error: z.string().nullable().meta({
      description: 'What was not accepted, human-readable; null if all of the message was, for all recipients',
    }),
  })
  .meta({ id: 'DestinationTest', examples: [{ ok: true, latency_ms: 214, error: null }] });
