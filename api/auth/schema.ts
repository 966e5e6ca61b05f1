import { z } from 'zod';
import { text } from '../../domain/core/text.ts';
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

export const signInSchema = tokensSchema.extend({ user: userSchema }).meta({ id: 'SignIn' });
