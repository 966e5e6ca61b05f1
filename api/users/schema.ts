import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { roleField, timestamp } from '../http/fields.ts';

/**
 * An e-mail address in its stored form: ASCII, lower case, without surrounding blanks. Other letters are rejected
 * before lower-casing: the lower case of some look-alikes is an ASCII letter.
 */
export const emailField = z
  .string()
  .max(254)
  .trim()
  .refine((address) => /^[\x21-\x7E]*$/.test(address), 'must be written in ASCII letters')
  .toLowerCase()
  .pipe(z.email())
  .meta({ format: 'email' });

/** An e-mail address in a response. */
export const shownEmail = z.string().meta({ format: 'email' });

/** A new password. The upper bound keeps hashing cheap. */
export const newPasswordField = text(1024).min(8, 'must have at least 8 characters').meta({ format: 'password' });

/** A password to be checked. */
export const passwordField = text(1024).min(1).meta({ format: 'password' });

export const fullNameField = nameText();

const MAIL_NOTIFICATIONS =
  'Whether you are notified by e-mail of approvals and questions that wait for you, through the SMTP integration of their organization';

const SLACK_NOTIFICATIONS =
  'Whether you are notified of them in Slack, by the first channel of their organization that recognizes you; those of your Slack conversations are always posted there';

export const userSchema = z
  .object({
    id: z.uuid(),
    email: shownEmail,
    full_name: z.string(),
    is_managed: z.boolean(),
    active_org_id: z.uuid().nullable(),
    mail_notifications: z.boolean().meta({ description: MAIL_NOTIFICATIONS }),
    mail_notifications_problem: z.string().nullable().meta({
      description:
        'Why no e-mail is sent from the active organization although `mail_notifications` is set; null when nothing is missing',
    }),
    slack_notifications: z.boolean().meta({ description: SLACK_NOTIFICATIONS }),
    orgs: z.array(z.object({ id: z.uuid(), name: z.string(), role: roleField }).meta({ id: 'OwnMembership' })),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'CurrentUser' });

export const deviceSchema = z
  .object({
    id: z.uuid(),
    org_id: z.uuid(),
    user_id: z.uuid(),
    name: z.string(),
    platform: z.string(),
    last_used_at: timestamp.nullable(),
    expires_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Device' });

export const sessionSchema = z
  .object({
    id: z.uuid(),
    is_current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
    user_agent: z.string().nullable().meta({
      description: "The client's `User-Agent` at sign-in or at the last refresh; null when unknown",
    }),
    ip_address: z.string().nullable().meta({ description: "The client's address at that time; null when unknown" }),
    expires_at: timestamp.meta({ description: 'When it expires unless it is refreshed before' }),
    created_at: timestamp,
    updated_at: timestamp.meta({ description: 'When it was last refreshed' }),
  })
  .meta({ id: 'Session' });

export const userChangesSchema = z
  .strictObject({
    full_name: nameText(200, 0).optional().meta({ description: 'Empty for none' }),
    mail_notifications: z.boolean().optional().meta({ description: MAIL_NOTIFICATIONS }),
    slack_notifications: z.boolean().optional().meta({ description: SLACK_NOTIFICATIONS }),
    password: newPasswordField.optional(),
    current_password: passwordField.optional(),
  })
  .refine(({ password, current_password }) => password === undefined || current_password !== undefined, {
    error: 'is required to change the password',
    path: ['current_password'],
  })
  .meta({
    id: 'CurrentUserUpdate',
    examples: [
      { full_name: 'Ada Lovelace' },
      { password: 'correct horse battery', current_password: 'a former password' },
    ],
  });

export const newEmailSchema = z
  .strictObject({ email: emailField, current_password: passwordField })
  .meta({ id: 'EmailChange', examples: [{ email: 'ada@example.org', current_password: 'correct horse battery' }] });
