import type { EntityManager } from '@mikro-orm/postgresql';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import { requireRoom } from '../../../db/orgs/require-room.ts';
import {
  completeSignIn,
  findSignIn,
  lockSignIn,
  openSignIn,
  type ProviderSignIn,
  sealSignIn,
  type SignInKey,
  storeCode,
} from '../../../db/providers/sign-ins.ts';
import {
  createProviderAccount,
  type Credentials,
  findAccountOfName,
  getProviderAccount,
  requireRoomForAccount,
  updateProviderAccount,
} from '../../../db/providers/provider-accounts.ts';
import type { ProviderAccount } from '../../../db/providers/provider-account.entity.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import type { ApiContext, OrgCaller } from '../../context/api-context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldIssue } from '../../http/problem.ts';
import { presentProvider, providerSchema } from '../schema.ts';
import {
  checkMayAdd,
  needsRenewal,
  presentSignIn,
  signInCodeSchema,
  signInCompletionSchema,
  signInParams,
  signInSchema,
  startSignInRoute,
} from './start-sign-in.ts';
import { readSignInCode, stateOfAddress } from '../../../domain/providers/sign-in.ts';

/** Makes an account of a sign-in that is ready. */
const completeSignInRoute = defineRoute({
  resource: 'providers',
  access: 'providers.manage',
  tag: 'Providers',
  method: 'post',
  path: '/api/providers/auth/{provider}/complete/{account_name}',
  action: 'complete_sign_in',
  operationId: 'completeProviderSignIn',
  summary: 'Create an account from a sign-in that is ready',
  description:
    'Visible only to the person who started the sign-in. The account serves only that person until an administrator shares it. A second call returns the same account; 409 until the sign-in is ready.',
  params: signInParams,
  body: signInCompletionSchema,
  errors: [403, 409],
  response: { status: 201, schema: providerSchema },
  handler: async ({ caller, params: { provider, account_name: name }, body, noteRecords, allowedIds }, context) => {
    checkMayAdd(allowedIds);
    if (body.provider_type !== undefined && body.provider_type !== provider)
      throw fieldIssue('provider_type', 'is not that of the path');
    if (body.account_name !== undefined && body.account_name !== name)
      throw fieldIssue('account_name', 'is not that of the path');
    const { orgId, userId } = caller;
    const key = { orgId, userId, providerType: provider, accountName: name };
    const account = await withOrgTransaction(context.database, orgId, async (em) => {
      const signIn = await lockSignIn(em, key);
      if (signIn.accountId !== null) return getProviderAccount(em, signIn.accountId);
      const made = await accountOf(em, context, { caller, signIn });
      await em.flush();
      await completeSignIn(em, signIn.id, made.id);
      return made;
    });
    noteRecords(account.id);
    return presentProvider(account, context.box);
  },
});

async function accountOf(
  em: EntityManager,
  { box, orgLimits }: ApiContext,
  { caller, signIn }: { readonly caller: OrgCaller; readonly signIn: ProviderSignIn },
): Promise<ProviderAccount> {
  const { status, credentials: sealed, orgId, userId, providerType, accountName: name } = signIn;
  if (status !== 'ready' || sealed === null)
    throw new AppError('conflict', `The sign-in is not ready: it is ${status}`);
  const credentials = openSignIn(box, { orgId, signInId: signIn.id }, sealed) as Credentials;
  const existing = await findAccountOfName(em, signIn);
  if (existing !== null && needsRenewal(box, existing, signIn))
    return updateProviderAccount(em, box, existing, { credentials });
  if (existing !== null) throw new AppError('conflict', 'An account of this provider has this name by now');
  await requireRoom(em, orgId, 'providers', orgLimits);
  await requireRoomForAccount(em, caller, caller.policy.limits.maxProviderAccounts);
  return createProviderAccount(em, box, {
    orgId,
    userId,
    providerType,
    name,
    authType: 'oauth',
    credentials,
    modelName: null,
    baseUrl: null,
    cooldownSeconds: 60,
    shared: false,
    isTentative: false,
  });
}

const own = { resource: 'providers', access: 'providers.manage', tag: 'Providers', params: signInParams } as const;
const ONLY_OWN = 'Visible only to the person who started the sign-in.';

export const providerSignInRoutes = [
  startSignInRoute,
  defineRoute({
    ...own,
    method: 'post',
    path: '/api/providers/auth/{provider}/code/{account_name}',
    action: 'send_code',
    operationId: 'sendProviderSignInCode',
    summary: "Submit the code shown on the provider's page",
    description: `${ONLY_OWN} If a code is not accepted, another can be submitted, up to five in total. 409 when no code is expected, or when the code belongs to another sign-in.`,
    body: signInCodeSchema,
    errors: [409],
    response: { status: 200, schema: signInSchema },
    handler: async ({ caller, params, body }, { database, box }) => {
      const signIn = await findSignIn(database, keyOf(caller, params));
      const code = readSignInCode(body.code);
      if (code === undefined) throw fieldIssue('code', 'contains no code: copy what the page showed, or its address');
      const expected = stateOfAddress(signIn.authUrl);
      if (code.state !== undefined && expected !== undefined && code.state !== expected)
        throw new AppError('conflict', 'This code belongs to another sign-in: open the auth_url of this one');
      const ref = { orgId: caller.orgId, signInId: signIn.id };
      const stored = await storeCode(database, ref, sealSignIn(box, ref, code));
      if (stored === undefined) throw new AppError('conflict', `No code is awaited: the sign-in is ${signIn.status}`);
      return presentSignIn(stored);
    },
  }),
  defineRoute({
    ...own,
    method: 'get',
    path: '/api/providers/auth/{provider}/status/{account_name}',
    action: 'view_sign_in',
    operationId: 'getProviderSignIn',
    summary: 'Get the status of a sign-in',
    description: `${ONLY_OWN} Poll until it is \`ready\`, \`failed\` or \`expired\`.`,
    response: { status: 200, schema: signInSchema },
    handler: async ({ caller, params }, { database }) =>
      presentSignIn(await findSignIn(database, keyOf(caller, params))),
  }),
  completeSignInRoute,
];

function keyOf(
  { orgId, userId }: OrgCaller,
  { provider, account_name: accountName }: { readonly provider: string; readonly account_name: string },
): SignInKey {
  return { orgId, userId, providerType: provider, accountName };
}
