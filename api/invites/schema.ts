import { z } from 'zod';
import { text } from '../../domain/core/text.ts';
import { timestamp } from '../http/fields.ts';
import { emailField, fullNameField, shownEmail } from '../users/index.ts';

/** The roles that an invite can give. */
export const INVITED_ROLES = ['viewer', 'member', 'admin'] as const;

export const newInviteSchema = z
  .strictObject({
    role: z.enum(INVITED_ROLES),
    email: emailField.nullish(),
    full_name: fullNameField.nullish(),
  })
  .refine(({ email, full_name }) => email != null || full_name == null, {
    error: 'is of use only with email',
    path: ['full_name'],
  })
  .meta({ id: 'InviteCreate', examples: [{ role: 'member', email: 'grace@example.com', full_name: 'Grace Hopper' }] });

export const inviteSchema = z
  .object({
    id: z.uuid(),
    role: z.enum(INVITED_ROLES),
    email: shownEmail.nullable(),
    full_name: z.string().nullable(),
    created_by: z.uuid(),
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Invite' });

export const inviteWithTokenSchema = inviteSchema
  .extend({
    token: z.string().meta({ description: 'Shown only in this response' }),
    invite_path: z
      .string()
      .meta({ description: 'Where the invited person opens it, below the address of the service' }),
    cli_install_sh: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
    cli_install_ps: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
  })
  .meta({ id: 'InviteWithToken' });

export const acceptanceSchema = z
  .strictObject({ token: text(200).min(1) })
  .meta({ id: 'InviteAcceptance', examples: [{ token: 'et_inv_example' }] });

export const shownInviteSchema = z
  .object({ org_name: z.string(), role: z.enum(INVITED_ROLES) })
  .meta({ id: 'ShownInvite' });
