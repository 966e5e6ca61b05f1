import { findSignIn, sealSignIn, type SignInKey, storeCode } from '../../../db/providers/index.ts';
import { AppError } from '../../../domain/core/app-error.ts';
import { readSignInCode, stateOfAddress } from '../../../domain/providers/index.ts';
import type { OrgCaller } from '../../context/api-context.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldIssue } from '../../http/problem.ts';
import { completeSignInRoute } from './complete-sign-in.ts';
import { signInCodeSchema, signInParams, signInSchema } from './schema.ts';
import { presentSignIn, startSignInRoute } from './start-sign-in.ts';

const own = { resource: 'providers', access: 'providers.manage', tag: 'Providers', params: signInParams } as const;
const ONLY_OWN = 'Only the person who began the sign-in finds it.';

export const providerSignInRoutes = [
  startSignInRoute,
  defineRoute({
    ...own,
    method: 'post',
    path: '/api/providers/auth/{provider}/code/{account_name}',
    action: 'send_code',
    operationId: 'sendProviderSignInCode',
    summary: 'Send the code that the page of the provider has given',
    description: `${ONLY_OWN} A code that is not accepted can be followed by others, five in all. 409 says that none is awaited, or that it belongs to another sign-in.`,
    body: signInCodeSchema,
    errors: [409],
    response: { status: 200, schema: signInSchema },
    handler: async ({ caller, params, body }, { database, box }) => {
      const signIn = await findSignIn(database, keyOf(caller, params));
      const code = readSignInCode(body.code);
      if (code === undefined) throw fieldIssue('code', 'holds no code: copy what the page has shown, or its address');
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
    summary: 'How a sign-in stands',
    description: `${ONLY_OWN} Ask again until it is \`ready\`, \`failed\` or \`expired\`.`,
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
