import { z } from 'zod';
import { setTimeout as sleep } from 'node:timers/promises';
import { nameText, text } from '../../../domain/core/text.ts';
import { type CliProvider, isCliProvider } from '../../../domain/providers/credential-forms.ts';
import { SIGN_IN_STATUSES } from '../../../domain/providers/sign-in.ts';
import { timestamp } from '../../http/fields.ts';
import { type SecretBox, whyUnreadable } from '../../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import { requireRoom } from '../../../db/orgs/require-room.ts';
import {
  beginSignIn,
  failSignIn,
  findSignIn,
  type ProviderSignIn,
  type SignInKey,
} from '../../../db/providers/sign-ins.ts';
import { findAccountOfName, requireRoomForAccount } from '../../../db/providers/provider-accounts.ts';
import type { ProviderAccount } from '../../../db/providers/provider-account.entity.ts';
import { readLacking } from '../../../db/workers.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { present } from '../../../domain/core/record-names.ts';
import { startProviderSignIn } from '../../../workflows/providers/client.ts';
import type { ApiContext, OrgCaller } from '../../context/api-context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldIssue } from '../../http/problem.ts';
import { catalogEntryOf } from '../rules.ts';

const providerKey = z.string().min(1).max(100).meta({ description: 'The key of a provider with sign-in' });

export const signInParams = z.object({
  provider: providerKey,
  account_name: nameText().meta({ description: 'The name of the account, as given when the sign-in was started' }),
});

const newSignInSchema = z
  .strictObject({ provider_type: providerKey, account_name: nameText() })
  .meta({ id: 'ProviderSignInStart', examples: [{ provider_type: 'claude-code', account_name: 'My Claude' }] });

export const signInCodeSchema = z
  .strictObject({
    code: text(8_192).min(1).meta({
      description: 'What the page showed, or where it redirected to: the bare code, `code#state`, or the whole address',
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
    detail: z.string().nullable().meta({ description: 'Details of the status, human-readable' }),
    auth_url: z.string().nullable().meta({ description: 'The page of the provider where the person signs in' }),
    user_code: z.string().nullable().meta({ description: 'The code to enter there, if the page asks for one' }),
    expires_at: timestamp,
    notice: z.string().meta({ description: 'A notice about the terms of the provider' }),
  })
  .meta({ id: 'ProviderSignIn' });

/** How long to wait for the program to print the sign-in address; after that the client polls the status. */
const ADDRESS_MS = 20_000;
const POLL_MS = 200;

/** Begins to sign in to a provider that has no keys for the API. */
export const startSignInRoute = defineRoute({
  resource: 'providers',
  access: 'providers.manage',
  tag: 'Providers',
  method: 'post',
  path: '/api/providers/auth/start',
  action: 'start_sign_in',
  operationId: 'startProviderSignIn',
  summary: 'Start signing in to a provider; the response contains the address',
  description:
    "For providers with the `auth_type` `oauth`, where the operator offers them. A sign-in lasts 15 minutes and is visible only to the person who started it. Starting again with the same name restarts it. If an account with this name has an expired sign-in, that account is renewed. 409 says why a sign-in cannot start: the name is in use, the vendor's program is not installed, or too many sign-ins are in progress.",
  body: newSignInSchema,
  errors: [403, 409, 503],
  response: { status: 200, schema: signInSchema },
  handler: async ({ caller, body, allowedIds }, context) => {
    checkMayAdd(allowedIds);
    const { orgId, userId } = caller;
    const key = { orgId, userId, providerType: body.provider_type, accountName: body.account_name };
    await checkMaySignIn(context, caller, key);
    const release = context.probes.acquire(caller);
    try {
      const signInId = await beginSignIn(context.database, key);
      await startSignIn(context, { orgId, signInId });
      return presentSignIn(await untilAddress(context, key));
    } finally {
      release();
    }
  },
});

async function checkMaySignIn(context: ApiContext, caller: OrgCaller, key: SignInKey): Promise<void> {
  const { database, box, orgLimits } = context;
  const { providerType } = key;
  const { authType } = catalogEntryOf(providerType);
  if (authType !== 'oauth' || !isCliProvider(providerType))
    throw fieldIssue('provider_type', 'has no sign-in: add an account with its key');
  const { [providerType]: lack } = await readLacking(database, [providerType]);
  if (lack !== undefined) throw new AppError('conflict', `Nobody can sign in to this provider here: ${lack}`);
  await withOrgTransaction(database, key.orgId, async (em) => {
    const account = await findAccountOfName(em, key);
    if (account !== null && needsRenewal(box, account, key)) return;
    if (account !== null) throw new AppError('conflict', 'An account of this provider has this name; choose another');
    await requireRoom(em, key.orgId, 'providers', orgLimits);
    await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
  });
}

async function startSignIn(
  { database, temporal, log }: ApiContext,
  ref: { orgId: string; signInId: string },
): Promise<void> {
  try {
    await startProviderSignIn(temporal, ref);
  } catch (error) {
    log.warn({ err: error }, 'a sign-in at a provider could not be started');
    await failSignIn(database, ref, 'It could not be started. Start again');
    throw new AppError('unavailable', 'The sign-in could not be started now; try again shortly', {
      cause: error,
      retryAfterSeconds: 5,
    });
  }
}

async function untilAddress({ database }: ApiContext, key: SignInKey): Promise<ProviderSignIn> {
  const deadline = performance.now() + ADDRESS_MS;
  for (;;) {
    const signIn = await findSignIn(database, key);
    if (signIn.status !== 'pending' || signIn.authUrl !== null || performance.now() > deadline) return signIn;
    await sleep(POLL_MS);
  }
}

/** Rejects a sign-in of somebody who is limited to certain accounts: they could not use the new one. */
export function checkMayAdd(allowedIds: readonly string[] | undefined): void {
  if (allowedIds === undefined) return;
  throw new AppError(
    'forbidden',
    'Your permission groups allow certain provider accounts only, so you cannot add others',
  );
}

/** Returns whether a person's own account was signed in once, and is not any more. */
export function needsRenewal(box: SecretBox, account: ProviderAccount, key: Pick<SignInKey, 'userId'>): boolean {
  const { userId, authType, credentials, disabledAt } = account;
  if (userId !== key.userId || authType !== 'oauth') return false;
  return credentials === null || disabledAt !== null || whyUnreadable(box, credentials) !== null;
}

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
