import type { z } from 'zod';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Channel } from '../../db/channels/channel.entity.ts';
import {
  type ChannelFields,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  lockChannel,
  requirePeople,
  updateChannel,
} from '../../db/channels/channels.ts';
import { withOrgTransaction } from '../../db/core/transactions.ts';
import { requireRoom } from '../../db/orgs/require-room.ts';
import { present, toFields } from '../../domain/core/record-names.ts';
import { requireMayRedirect } from '../../domain/permissions/restrict.ts';
import { requireVersion } from '../../domain/resources.ts';
import type { ApiContext, OrgCaller } from '../context/api-context.ts';
import { defineRoute } from '../http/define-route.ts';
import { pageQuery } from '../http/fields.ts';
import { fieldIssue } from '../http/problem.ts';
import { receiveEventRoute } from './receive-event.ts';
import { channelChangesSchema, channelSchema, newChannelSchema } from './schema.ts';
import { getIntegration } from '../../db/integrations/integrations.ts';
import { ANSWERS_WITH } from '../../domain/channels.ts';
import { AppError } from '../../domain/core/app-error.ts';
import { policyAllows } from '../../domain/permissions/policy.ts';

type Recognition = Pick<Channel, 'matchesEmail' | 'people'>;
type Caller = Pick<OrgCaller, 'policy' | 'userId'>;

/** Returns whether others than a user count as members in a channel. */
function recognisesOthers(userId: string | null, { matchesEmail, people }: Recognition): boolean {
  return matchesEmail || Object.values(people).some((each) => each !== userId);
}

/**
 * Rejects a setup that would let the caller speak as somebody else: whoever knows the signing secret or controls the
 * integration decides who has sent a message.
 */
function checkRecognition(caller: Caller, recognition: Recognition): void {
  if (recognisesOthers(caller.userId, recognition) && !policyAllows(caller.policy, 'settings.manage'))
    throw new AppError(
      'forbidden',
      'A channel in which others than yourself are recognised is set up with the permission settings.manage',
    );
}

/** Returns the connection of the integration that a channel answers with, which the caller has to be allowed to use. */
async function connectionOf(
  em: EntityManager,
  { policy }: Pick<Caller, 'policy'>,
  { kind, integrationId }: Pick<Channel, 'kind'> & { readonly integrationId: string },
): Promise<string> {
  const integration = await getIntegration(em, integrationId);
  // As for a destination: somebody who can sign events decides where the integration posts.
  if (!policyAllows(policy, 'integrations.manage'))
    throw new AppError('forbidden', 'The integration of a channel is set with the permission integrations.manage');
  if (integration.kind !== ANSWERS_WITH[kind])
    throw fieldIssue('integration_id', `must be of the kind ${ANSWERS_WITH[kind]}`);
  return integration.connection;
}

function checkMailbox({ kind }: Pick<Channel, 'kind'>, mail: Channel['mail']): void {
  if ((kind === 'email') !== (mail !== null))
    throw fieldIssue('mail', kind === 'email' ? 'is required for the kind email' : 'is of the kind email only');
}

const view = { resource: 'channels', access: 'channels.view', tag: 'Channels' } as const;
const manage = { resource: 'channels', access: 'channels.manage', tag: 'Channels' } as const;

function presentChannel({ publicUrl }: Pick<ApiContext, 'publicUrl'>, channel: Channel): z.input<typeof channelSchema> {
  return present(channelSchema, channel, { eventsUrl: `${publicUrl}/api/channels/${channel.id}/events` });
}

/** The fields that decide as whom a sender is recognised. */
const IDENTITY = ['integrationId', 'secret', 'matchesEmail', 'people', 'mail'] as const;

type Changes = Partial<Pick<ChannelFields, (typeof IDENTITY)[number]>>;

function checkChanges(caller: OrgCaller, channel: Channel, changes: Changes): void {
  // Both before and after: nobody takes over a channel in which others are recognised.
  checkRecognition(caller, channel);
  const next = { matchesEmail: channel.matchesEmail, people: channel.people, ...changes };
  checkRecognition(caller, next);
  // Its owner may be a member who knows its secret and controls its integration.
  const { ownerId } = channel;
  const isFirst = recognisesOthers(ownerId, next) && (ownerId === null || !recognisesOthers(ownerId, channel));
  if (isFirst && (changes.secret === undefined || changes.integrationId === undefined))
    throw fieldIssue('secret', 'and integration_id are set, too, once others than its owner are recognised');
}

export const channelRoutes = [
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/channels',
    operationId: 'listChannels',
    summary: 'The channels of the organization',
    query: pageQuery,
    response: { status: 200, schema: channelSchema.array() },
    handler: async ({ caller: { orgId }, query, answerPage }, context) =>
      answerPage(await listChannels(context.database, orgId, query)).map((each) => presentChannel(context, each)),
  }),
  defineRoute({
    ...view,
    method: 'get',
    path: '/api/channels/{channel_id}',
    operationId: 'getChannel',
    summary: 'One channel',
    response: { status: 200, schema: channelSchema },
    handler: async ({ caller, params: { channel_id: id } }, context) =>
      presentChannel(context, await withOrgTransaction(context.database, caller.orgId, (em) => getChannel(em, id))),
  }),
  defineRoute({
    ...manage,
    method: 'post',
    path: '/api/channels',
    operationId: 'createChannel',
    summary: 'Add a channel in which an agent answers',
    description:
      'Its `events_url` then goes into the settings of the Slack app, or the mail service. Its integration needs `integrations.manage`, too, and recognising others than yourself `settings.manage`.',
    body: newChannelSchema,
    errors: [404, 409],
    response: { status: 201, schema: channelSchema },
    handler: async ({ caller, body }, context) => {
      const { database, box, orgLimits } = context;
      const { orgId, userId: ownerId } = caller;
      const fields = toFields(newChannelSchema, body);
      const created = await withOrgTransaction(database, orgId, async (em) => {
        checkRecognition(caller, fields);
        checkMailbox(fields, fields.mail);
        await requirePeople(em, orgId, fields.people);
        const connection = await connectionOf(em, caller, fields);
        await requireRoom(em, orgId, 'channels', orgLimits);
        return createChannel(em, box, { ...fields, connection, orgId, ownerId });
      });
      return presentChannel(context, created);
    },
  }),
  defineRoute({
    ...manage,
    method: 'patch',
    path: '/api/channels/{channel_id}',
    operationId: 'updateChannel',
    summary: 'Change a channel; only the given fields change',
    description: '`people` replaces the stored ones as a whole.',
    body: channelChangesSchema,
    errors: [409],
    response: { status: 200, schema: channelSchema },
    handler: async ({ caller, params: { channel_id: id }, body, expectedVersions }, context) => {
      const { database, box } = context;
      const changes = toFields(channelChangesSchema, body);
      const changed = await withOrgTransaction(database, caller.orgId, async (em) => {
        const channel = await lockChannel(em, id);
        requireMayRedirect(caller, channel, 'channel');
        requireVersion(channel, expectedVersions);
        if (changes.mail !== undefined) checkMailbox(channel, changes.mail);
        if (changes.people !== undefined) await requirePeople(em, caller.orgId, changes.people);
        if (IDENTITY.some((name) => changes[name] !== undefined)) checkChanges(caller, channel, changes);
        const { integrationId } = changes;
        if (integrationId === undefined) return updateChannel(em, box, channel, changes);
        const connection = await connectionOf(em, caller, { kind: channel.kind, integrationId });
        return updateChannel(em, box, channel, { ...changes, connection });
      });
      return presentChannel(context, changed);
    },
  }),
  defineRoute({
    ...manage,
    method: 'delete',
    path: '/api/channels/{channel_id}',
    operationId: 'deleteChannel',
    summary: 'Delete a channel permanently; the chats stay',
    response: { status: 204 },
    handler: async ({ caller, params: { channel_id: id }, expectedVersions }, { database }) => {
      await withOrgTransaction(database, caller.orgId, async (em) => {
        const channel = await lockChannel(em, id);
        requireMayRedirect(caller, channel, 'channel');
        requireVersion(channel, expectedVersions);
        await deleteChannel(em, id);
      });
    },
  }),
  receiveEventRoute,
];
