import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { ROLES } from '../../domain/permissions/index.ts';
import { timestamp } from '../core/fields.ts';
import { emailField, fullNameField } from '../users/index.ts';

export const INVITED_ROLES = ['viewer', 'member', 'admin'] as const;

const icon = text(100);
const color = text(7).regex(/^(?:#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6})?$/, 'must be a hex colour such as #1f6feb');

export const newOrgSchema = z.strictObject({ name: nameText(), icon: icon.default(''), color: color.default('') });

export const orgChangesSchema = z.strictObject({
  name: nameText().optional(),
  icon: icon.optional(),
  color: color.optional(),
});

export const orgSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    icon: z.string(),
    color: z.string(),
    role: z.enum(ROLES).meta({ description: 'Your own role in it' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Organization' });

export const memberSchema = z
  .object({
    user_id: z.uuid(),
    email: z.string(),
    full_name: z.string(),
    role: z.enum(ROLES),
    is_managed: z.boolean(),
    joined_at: timestamp,
  })
  .meta({ id: 'Member' });

export const roleChangeSchema = z.strictObject({ role: z.enum(ROLES) });

export const newInviteSchema = z
  .strictObject({
    role: z.enum(INVITED_ROLES),
    email: emailField.nullish(),
    full_name: fullNameField.nullish(),
  })
  .refine(({ email, full_name }) => email != null || full_name == null, {
    error: 'is of use only with email',
    path: ['full_name'],
  });

export const inviteSchema = z
  .object({
    id: z.uuid(),
    role: z.enum(INVITED_ROLES),
    email: z.string().nullable(),
    full_name: z.string().nullable(),
    created_by: z.uuid(),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Invite' });

export const inviteWithTokenSchema = inviteSchema
  .extend({
    token: z.string().meta({ description: 'Shown only in this answer' }),
    invite_path: z.string(),
    cli_install_sh: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
    cli_install_ps: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
  })
  .meta({ id: 'InviteWithToken' });

export const acceptanceSchema = z.strictObject({ token: text(200).min(1) });

export const shownInviteSchema = z
  .object({ org_name: z.string(), role: z.enum(INVITED_ROLES) })
  .meta({ id: 'ShownInvite' });
