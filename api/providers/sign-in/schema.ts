import { z } from 'zod';
import { nameText, text } from '../../../domain/core/text.ts';
import { SIGN_IN_STATUSES } from '../../../domain/providers/index.ts';
import { timestamp } from '../../http/fields.ts';

const providerKey = z.string().min(1).max(100).meta({ description: 'The key of a provider that people sign in to' });

export const signInParams = z.object({
  provider: providerKey,
  account_name: nameText().meta({ description: 'The name of the account, as the sign-in was started with' }),
});

export const newSignInSchema = z
  .strictObject({ provider_type: providerKey, account_name: nameText() })
  .meta({ id: 'ProviderSignInStart', examples: [{ provider_type: 'claude-code', account_name: 'My Claude' }] });

export const signInCodeSchema = z
  .strictObject({
    code: text(8_192).min(1).meta({
      description: 'What the page has shown or sent the person to: the bare code, `code#state`, or the whole address',
    }),
  })
  .meta({ id: 'ProviderSignInCode', examples: [{ code: 'a-code#a-state' }] });

export const signInCompletionSchema = z
  .strictObject({ provider_type: providerKey, account_name: nameText() })
  .partial()
  .meta({ id: 'ProviderSignInCompletion', examples: [{ provider_type: 'claude-code', account_name: 'My Claude' }] });

export const signInSchema = z
  .object({
    provider: z.string(),
    account_name: z.string(),
    status: z.enum(SIGN_IN_STATUSES),
    detail: z.string().nullable().meta({ description: 'What there is to say about the status, in readable words' }),
    auth_url: z.string().nullable().meta({ description: "Where the person signs in, on a page of the provider's" }),
    user_code: z.string().nullable().meta({ description: 'What the person enters there, where the page asks for it' }),
    expires_at: timestamp,
    notice: z.string().meta({ description: 'What to know about the terms of the provider' }),
  })
  .meta({ id: 'ProviderSignIn' });
