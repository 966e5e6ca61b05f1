import { redeemInvite } from '../../db/invites/accept-invite.ts';
import { defineRoute } from '../http/define-route.ts';
import { inviteTokenParams } from '../http/fields.ts';
import { findInviteByToken } from '../invites/find-invite.ts';
import { DEVICE_TOKEN_SECONDS, newTokenValue } from '../access/tokens.ts';
import { issueTokens } from './sessions.ts';
import { redeemedSchema, redemptionSchema, shownCliInviteSchema } from './schema.ts';

const head = { resource: 'invites', access: 'public', tag: 'Authentication' } as const;

export const cliRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/auth/cli/invite/{token}',
    operationId: 'showDeviceInvite',
    summary: 'Get what an invite is for, and for whom',
    params: inviteTokenParams,
    errors: [429],
    response: { status: 200, description: 'What the invite is for', schema: shownCliInviteSchema },
    handler: async ({ params, ip }, context) => {
      const { orgName, role, email } = await findInviteByToken(context, { token: params.token, ip });
      return { org_name: orgName, role, email };
    },
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/auth/cli/redeem',
    resource: 'auth',
    action: 'cli_redeem',
    operationId: 'redeemInvite',
    summary: 'Sign a device in with an invite bound to an e-mail address; creates the account if there is none',
    description:
      'Meant for command-line clients: the response contains a device token, to be exchanged for access tokens with `refreshTokens`, and an API key.',
    body: redemptionSchema,
    errors: [403, 404, 409, 429],
    response: { status: 200, description: "The device's credentials", schema: redeemedSchema },
    handler: async ({ body, ip, noteUser, noteRecords }, context) => {
      const { database, tokens } = context;
      const { id: inviteId } = await findInviteByToken(context, { token: body.token, ip });
      const { value: deviceToken, ...storedDeviceToken } = newTokenValue('et_dev');
      const { value: apiKey, ...storedApiKey } = newTokenValue('et_key');
      const redeemed = await redeemInvite(database, {
        inviteId,
        device: { name: body.device_name, platform: body.platform, lifetimeSeconds: DEVICE_TOKEN_SECONDS },
        deviceToken: storedDeviceToken,
        apiKey: storedApiKey,
        mayRegister: context.registration !== 'closed',
      });
      noteUser(redeemed.userId, redeemed.orgId);
      noteRecords(inviteId, redeemed.deviceId, redeemed.apiKeyId);
      return {
        access_token: (await issueTokens(tokens, redeemed.session)).access_token,
        device_token: deviceToken,
        device_id: redeemed.deviceId,
        api_key: apiKey,
        org_id: redeemed.orgId,
        org_name: redeemed.orgName,
        user_id: redeemed.userId,
        created_account: redeemed.isNewAccount,
      };
    },
  }),
];
