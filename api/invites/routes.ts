import { z } from 'zod';
import { text } from '../../domain/core/text.ts';
import { inviteTokenParams, pageQuery, timestamp } from '../http/fields.ts';
import { emailField, fullNameField, shownEmail } from '../users/schema.ts';
import { withSystemTransactionFor } from '../../db/core/transactions.ts';
import { acceptInvite } from '../../db/invites/accept-invite.ts';
import { createInvite, type Invite, listInvites, revokeInvite } from '../../db/invites/invites.ts';
import { getOrg } from '../../db/orgs/orgs.ts';
import { requireRoomForInvite } from '../../db/orgs/require-room.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { present } from '../../domain/core/record-names.ts';
import { mayGrant } from '../../domain/orgs.ts';
import { newTokenValue } from '../access/tokens.ts';
import { defineRoute } from '../http/define-route.ts';
import { orgSchema } from '../orgs/schema.ts';
import { findInviteByToken } from './find-invite.ts';

interface Installation {
  /** The address of this instance, without a trailing slash. */
  readonly publicUrl: string;
  readonly token: string;
}

/**
 * Returns a line for a POSIX shell that signs the machine in: it redeems the invite and stores the credentials in
 * `~/.everturn/credentials.json`, readable by its user only. The token appears in no list of processes.
 */
export function installLineForSh({ publicUrl, token }: Installation): string {
  const safe = (command: string) => `"$(${command} | tr -cd 'A-Za-z0-9._-')"`;
  const body = `printf '{"token":"%s","device_name":"%s","platform":"%s"}' ${quoteForSh(token)} ${safe('uname -n')} ${safe('uname -s')}`;
  const send = `curl -fsS -H 'Content-Type: application/json' --data-binary @- -o "$HOME/.everturn/credentials.json" ${quoteForSh(redeemUrl(publicUrl))}`;
  return `${body} | (umask 077 && mkdir -p "$HOME/.everturn" && ${send}) && chmod 600 "$HOME/.everturn/credentials.json"`;
}

/** Returns the same line for PowerShell. */
export function installLineForPowerShell({ publicUrl, token }: Installation): string {
  return [
    `$b = @{ token = ${quoteForPowerShell(token)}; device_name = [Environment]::MachineName; platform = 'Windows' } | ConvertTo-Json`,
    "$d = Join-Path $HOME '.everturn'",
    'New-Item -ItemType Directory -Force -Path $d | Out-Null',
    `$r = Invoke-RestMethod -Method Post -Uri ${quoteForPowerShell(redeemUrl(publicUrl))} -ContentType 'application/json' -Body $b`,
    "$r | ConvertTo-Json | Set-Content -Encoding UTF8 -Path (Join-Path $d 'credentials.json')",
  ].join('; ');
}

function redeemUrl(publicUrl: string): string {
  return `${publicUrl}/api/auth/cli/redeem`;
}

/** Quotes `text` as one word of a POSIX shell, whatever it contains. */
export function quoteForSh(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

// PowerShell treats typographic quotes like the plain one, and doubles each inside a quoted text.
const POWERSHELL_QUOTES = /['\u2018\u2019\u201A\u201B]/g;

/** Quotes `text` as one literal of PowerShell, whatever it contains. */
export function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(POWERSHELL_QUOTES, '$&$&')}'`;
}

/** The roles that an invite can give. */
const INVITED_ROLES = ['viewer', 'member', 'admin'] as const;

const newInviteSchema = z
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

const inviteSchema = z
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

const inviteWithTokenSchema = inviteSchema
  .extend({
    token: z.string().meta({ description: 'Shown only in this response' }),
    invite_path: z
      .string()
      .meta({ description: 'The path at which the invited person opens it, relative to the address of the service' }),
    cli_install_sh: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
    cli_install_ps: z.string().optional().meta({ description: 'Only when the invite is for one address' }),
  })
  .meta({ id: 'InviteWithToken' });

const acceptanceSchema = z
  .strictObject({ token: text(200).min(1) })
  .meta({ id: 'InviteAcceptance', examples: [{ token: 'et_inv_example' }] });

const shownInviteSchema = z.object({ org_name: z.string(), role: z.enum(INVITED_ROLES) }).meta({ id: 'ShownInvite' });

const head = { resource: 'invites', access: { org: 'admin' }, tag: 'Organizations' } as const;
const INVITE_SECONDS = 7 * 24 * 60 * 60;

const manageInvitesRoutes = [
  defineRoute({
    ...head,
    method: 'get',
    path: '/api/orgs/{org_id}/invites',
    operationId: 'listInvites',
    summary: 'List the invites that can still be used, newest first',
    query: pageQuery,
    response: { status: 200, schema: inviteSchema.array() },
    handler: async ({ caller, query, answerPage }, { database }) =>
      answerPage(await listInvites(database, caller.orgId, query)).map(presentInvite),
  }),
  defineRoute({
    ...head,
    method: 'post',
    path: '/api/orgs/{org_id}/invites',
    operationId: 'createInvite',
    summary: 'Invite somebody; the token is shown only in this response, works once and expires after seven days',
    description:
      'With an e-mail address the invite works for that address only, and the response contains shell commands that sign a device in with it.',
    body: newInviteSchema,
    errors: [409],
    response: { status: 201, schema: inviteWithTokenSchema },
    handler: async ({ caller, body }, { database, publicUrl, orgLimits }) => {
      if (!mayGrant(caller.role, body.role)) throw new AppError('forbidden', 'Only the owner may invite admins');
      const { value: token, ...stored } = newTokenValue('et_inv');
      const fields = {
        orgId: caller.orgId,
        createdBy: caller.userId,
        role: body.role,
        email: body.email ?? null,
        fullName: body.full_name ?? '',
        lifetimeSeconds: INVITE_SECONDS,
      };
      const invite = await withSystemTransactionFor(database, caller.orgId, async (transaction) => {
        await requireRoomForInvite(transaction, caller.orgId, orgLimits);
        return createInvite(transaction, fields, stored);
      });
      return {
        ...presentInvite(invite),
        token,
        invite_path: `/join?token=${token}`,
        ...(invite.email !== null && {
          cli_install_sh: installLineForSh({ publicUrl, token }),
          cli_install_ps: installLineForPowerShell({ publicUrl, token }),
        }),
      };
    },
  }),
  defineRoute({
    ...head,
    method: 'delete',
    path: '/api/orgs/{org_id}/invites/{invite_id}',
    operationId: 'revokeInvite',
    summary: 'Revoke an invite',
    response: { status: 204 },
    handler: async ({ caller, params }, { database }) => {
      const roles = INVITED_ROLES.filter((role) => mayGrant(caller.role, role));
      await revokeInvite(database, { orgId: caller.orgId, id: params.invite_id }, roles);
    },
  }),
];

/** Shows an invite to the bearer of its token, before they sign in or register. */
const showInviteRoute = defineRoute({
  method: 'get',
  path: '/api/orgs/invite/{token}',
  resource: 'invites',
  access: 'public',
  tag: 'Organizations',
  operationId: 'showInvite',
  summary: 'Get what an invite is for',
  params: inviteTokenParams,
  errors: [429],
  response: { status: 200, description: 'What the invite is for', schema: shownInviteSchema },
  handler: async ({ params, ip }, context) => {
    const { orgName, role } = await findInviteByToken(context, { token: params.token, ip });
    return { org_name: orgName, role };
  },
});

/** Makes the caller a member of the inviting organization. */
const acceptInviteRoute = defineRoute({
  method: 'post',
  path: '/api/orgs/accept-invite',
  resource: 'orgs',
  action: 'accept_invite',
  access: 'signed_in',
  rejectsManaged: true,
  tag: 'Organizations',
  operationId: 'acceptInvite',
  summary: 'Join the organization that invited you',
  body: acceptanceSchema,
  errors: [403, 404, 409, 429],
  response: { status: 200, description: 'The joined organization', schema: orgSchema },
  handler: async ({ caller, body, ip, noteRecords }, context) => {
    const { database } = context;
    const invite = await findInviteByToken(context, { token: body.token, ip });
    noteRecords(invite.id);
    const { orgId } = await acceptInvite(database, caller.userId, invite.id);
    return present(orgSchema, await getOrg(database, { orgId, userId: caller.userId }));
  },
});

export const inviteRoutes = [showInviteRoute, ...manageInvitesRoutes, acceptInviteRoute];

// A missing name is stored as an empty text.
function presentInvite(invite: Invite): z.input<typeof inviteSchema> {
  return present(inviteSchema, invite, { fullName: invite.fullName === '' ? null : invite.fullName });
}
