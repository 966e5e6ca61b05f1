import { z } from 'zod';
import { nameText, text } from '../../domain/core/text.ts';
import { emailField, fullNameField, newPasswordField, passwordField, shownEmail, userSchema } from '../users/schema.ts';

const tokenField = text(8192).min(1);

export const registrationSchema = z
  .strictObject({
    email: emailField,
    password: newPasswordField,
    full_name: fullNameField.nullish(),
    invite_token: text(200).min(1).nullish(),
    setup_token: text(200).min(1).nullish().meta({
      description:
        'Required to create the first account of a server whose registration is not open; the API server logs it',
    }),
  })
  .refine(({ invite_token, setup_token }) => invite_token == null || setup_token == null, {
    error: 'cannot be given together with invite_token',
    path: ['setup_token'],
  })
  .meta({
    id: 'Registration',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery', full_name: 'Ada Lovelace' }],
  });

export const loginSchema = z
  .strictObject({ email: emailField, password: passwordField })
  .meta({ id: 'Credentials', examples: [{ email: 'ada@example.com', password: 'correct horse battery' }] });

export const refreshSchema = z
  .strictObject({ refresh_token: tokenField })
  .meta({ id: 'RefreshToken', examples: [{ refresh_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }] });

export const linkedPasswordSchema = z
  .strictObject({ token: text(200).min(1), password: newPasswordField })
  .meta({ id: 'LinkedPassword', examples: [{ token: 'et_pwd_example', password: 'correct horse battery' }] });

const accessTokenFields = {
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().meta({ description: 'Seconds until the access token expires' }),
};

export const accessTokenSchema = z
  .object({ ...accessTokenFields, user_id: z.uuid().meta({ description: 'Whose session it is' }) })
  .meta({ id: 'AccessToken' });

export const tokensSchema = z.object({ ...accessTokenFields, refresh_token: z.string() }).meta({ id: 'Tokens' });

export const redemptionSchema = z
  .strictObject({
    token: text(200).min(1),
    device_name: nameText(),
    platform: nameText(100),
  })
  .meta({ id: 'InviteRedemption', examples: [{ token: 'et_inv_example', device_name: 'laptop', platform: 'Linux' }] });

export const redeemedSchema = z
  .object({
    access_token: z.string(),
    device_token: z.string().meta({ description: 'Exchanged for access tokens at /api/auth/refresh; lasts 180 days' }),
    device_id: z.uuid(),
    api_key: z.string(),
    org_id: z.uuid(),
    org_name: z.string(),
    user_id: z.uuid(),
    created_account: z.boolean(),
  })
  .meta({ id: 'Redeemed' });

export const shownCliInviteSchema = z
  .object({ org_name: z.string(), role: z.enum(['viewer', 'member', 'admin']), email: shownEmail.nullable() })
  .meta({ id: 'ShownCliInvite' });

export const signInSchema = tokensSchema.extend({ user: userSchema }).meta({ id: 'SignIn' });

export const browserSignInSchema = z.object({ ...accessTokenFields, user: userSchema }).meta({ id: 'BrowserSignIn' });
