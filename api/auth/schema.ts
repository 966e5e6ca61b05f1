import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { emailField, fullNameField, newPasswordField, passwordField, userSchema } from '../users/index.ts';

const tokenField = text(8192).min(1);

export const registrationSchema = z.strictObject({
  email: emailField,
  password: newPasswordField,
  full_name: fullNameField.optional(),
  invite_token: text(200).min(1).optional(),
});

export const loginSchema = z.strictObject({ email: emailField, password: passwordField });

export const refreshSchema = z.strictObject({ refresh_token: tokenField });

export const tokensSchema = z
  .object({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'Seconds until the access token expires' }),
  })
  .meta({ id: 'Tokens' });

export const redemptionSchema = z.strictObject({
  token: text(200).min(1),
  device_name: nameText(),
  platform: nameText(100),
});

export const redeemedSchema = z
  .object({
    access_token: z.string(),
    device_token: z.string().meta({ description: 'Exchanged for access tokens at /api/auth/refresh; lasts 180 days' }),
    api_key: z.string(),
    org_id: z.uuid(),
    org_name: z.string(),
    user_id: z.uuid(),
    created_account: z.boolean(),
  })
  .meta({ id: 'Redeemed' });

export const shownCliInviteSchema = z
  .object({ org_name: z.string(), role: z.enum(['viewer', 'member', 'admin']), email: z.string().nullable() })
  .meta({ id: 'ShownCliInvite' });

export const signInSchema = tokensSchema.extend({ user: userSchema }).meta({ id: 'SignIn' });
