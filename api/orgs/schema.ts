import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { DECIDING_ROLES } from '../../domain/questions.ts';
import { roleField, timestamp } from '../http/fields.ts';
import { idOf } from '../resources/id-fields.ts';
import { passwordField, shownEmail } from '../users/schema.ts';

const icon = text(100);
const color = text(7).regex(/^(?:#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6})?$/, 'must be a hex colour such as #1f6feb');

const OTHER_PERSON =
  'Whether tool calls and workflow steps must be approved by somebody other than the user in whose name they are made';

const SIGN_IN =
  'Whether approval e-mails link to the inbox of the console, which requires signing in, instead of to a page that accepts the decision directly';

const MAX_QUORUM = 20;

/** 90 days. */
const MAX_MINUTES = 129_600;

const ESCALATION =
  'After how many minutes what nobody has decided about is escalated, once: others are notified and may decide, too; null for never. It holds for what begins to wait from then on';

const ESCALATION_ROLE =
  'To whom it is escalated where no member is named, or the named one lacks approvals.manage: whoever holds the role, or a higher one, when it is due';

const ESCALATION_USER =
  'The member to whom it is escalated, as long as they are one and hold approvals.manage; null for those of the role';

const QUORUM =
  'How many different people have to approve a tool call or a step of a workflow; one denial is enough. It holds for what begins to wait from then on';

const REMINDER =
  'The number of minutes after which the people who can decide about a tool call, workflow step or question are reminded, once; null for never. Applies to requests created after the change';

const escalationRole = z.enum(DECIDING_ROLES).meta({ id: 'DecidingRole' });

export const newOrgSchema = z
  .strictObject({ name: nameText(), icon: icon.default(''), color: color.default('') })
  .meta({ id: 'OrganizationCreate', examples: [{ name: 'Example Ltd', color: '#1f6feb' }] });

export const orgChangesSchema = z
  .strictObject({
    name: nameText().optional(),
    icon: icon.optional(),
    color: color.optional(),
    approvals_other_person: z.boolean().optional().meta({ description: OTHER_PERSON }),
    approvals_sign_in: z.boolean().optional().meta({ description: SIGN_IN }),
    approvals_quorum: z.int().min(1).max(MAX_QUORUM).optional().meta({ description: QUORUM }),
    approvals_reminder_minutes: z
      .int()
      .min(1)
      .max(MAX_MINUTES)
      .nullable()
      .optional()
      .meta({ description: REMINDER, examples: [240] }),
    approvals_escalation_minutes: z
      .int()
      .min(1)
      .max(MAX_MINUTES)
      .nullable()
      .optional()
      .meta({ description: ESCALATION, examples: [480] }),
    approvals_escalation_role: escalationRole.optional().meta({ description: ESCALATION_ROLE }),
    approvals_escalation_user_id: idOf('members').nullable().optional().meta({ description: ESCALATION_USER }),
  })
  .meta({ id: 'OrganizationUpdate', examples: [{ name: 'Example plc' }] });

export const orgSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    icon: z.string(),
    color: z.string(),
    approvals_other_person: z.boolean().meta({ description: OTHER_PERSON }),
    approvals_sign_in: z.boolean().meta({ description: SIGN_IN }),
    approvals_quorum: z.int().meta({ description: QUORUM }),
    approvals_reminder_minutes: z.int().nullable().meta({ description: REMINDER }),
    approvals_escalation_minutes: z.int().nullable().meta({ description: ESCALATION }),
    approvals_escalation_role: escalationRole.meta({ description: ESCALATION_ROLE }),
    approvals_escalation_user_id: z.uuid().nullable().meta({ description: ESCALATION_USER }),
    role: roleField,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Organization' });

export const memberSchema = z
  .object({
    user_id: z.uuid(),
    email: shownEmail,
    full_name: z.string(),
    role: roleField,
    is_managed: z.boolean().meta({ description: 'Whether the organization manages the account' }),
    joined_at: timestamp,
  })
  .meta({ id: 'Member' });

export const roleChangeSchema = z
  .strictObject({ role: roleField })
  .meta({ id: 'MemberUpdate', examples: [{ role: 'admin' }] });

export const passwordLinkSchema = z
  .object({
    token: z.string().meta({ description: 'Shown only in this response' }),
    password_path: z
      .string()
      .meta({ description: 'The path at which the user opens it, relative to the address of the service' }),
    expires_at: timestamp,
  })
  .meta({ id: 'PasswordLink' });

export const accountDeletionSchema = z
  .strictObject({ current_password: passwordField })
  .meta({ id: 'AccountDeletion', examples: [{ current_password: 'correct horse battery' }] });
