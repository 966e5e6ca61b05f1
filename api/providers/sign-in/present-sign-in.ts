import type { z } from 'zod';
import type { ProviderSignIn } from '../../../db/providers/index.ts';
import { type CliProvider, isCliProvider } from '../../../domain/providers/index.ts';
import { present } from '../../../domain/core/record-names.ts';
import { signInSchema } from './schema.ts';

const ITS_PROGRAM =
  'This account is your own and answers through the unchanged program of its vendor, under its vendor’s terms for you.';

const TERMS: Readonly<Record<CliProvider, string>> = {
  'claude-code':
    'Anthropic intends subscriptions for Claude Code and claude.ai, and wants an API key for products and services: the provider type anthropic.',
  codex:
    'OpenAI intends ChatGPT plans for one person each, and recommends an API key for automation: the provider type openai.',
  'gemini-cli':
    'Google counts the use of Gemini CLI’s sign-in by other software as a violation of its terms, and may suspend the account. It recommends an API key: the provider type gemini.',
};

/** Returns a sign-in as its person sees it. */
export function presentSignIn(signIn: ProviderSignIn): z.input<typeof signInSchema> {
  const { providerType: provider } = signIn;
  const terms = isCliProvider(provider) ? TERMS[provider] : '';
  return present(signInSchema, signIn, { provider, notice: `${ITS_PROGRAM} ${terms}`.trim() });
}
