import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { notFound } from '../../domain/core/app-error.ts';
import { toStorableText } from '../../domain/core/text.ts';
import { requireAgents } from '../agents/agents.ts';
import type { Database } from '../core/database.ts';
import type { Listed, Page } from '../core/page.ts';
import { type SecretBox, SecretColumn } from '../core/secret-box.ts';
import { flushUnique, lockRecord, readRecords, requireRecord, uuidArray } from '../records/records.ts';
import { Channel } from './channel.entity.ts';

/** The fields of a channel that a caller sets. */
export interface ChannelFields extends Pick<
  Channel,
  'name' | 'kind' | 'agentId' | 'integrationId' | 'connection' | 'matchesEmail' | 'people' | 'mail' | 'isActive'
> {
  readonly secret: string;
}

const THING = 'Channel';
const NAME_TAKEN = 'A channel with this name already exists';

/** The signing secrets of channels. */
export const channelSecrets = new SecretColumn('channels', 'secret');

/** Returns the organization's channels, oldest first. */
export async function listChannels(database: Database, orgId: string, page: Page): Promise<Listed<Channel>> {
  return readRecords(database, orgId, Channel, { name: 'list-channels', page });
}

/** Returns the channel; `not_found` when there is none. */
export async function getChannel(em: EntityManager, id: string): Promise<Channel> {
  return requireRecord(em, Channel, THING, { id });
}

/** Returns the channel, locked until the transaction has ended; `not_found` when there is none. */
export async function lockChannel(em: EntityManager, id: string): Promise<Channel> {
  return lockRecord(em, Channel, THING, { id });
}

interface NewChannel extends ChannelFields {
  readonly orgId: string;
  readonly ownerId: string;
}

/** Adds a channel; `conflict` when the organization has one of this name, `not_found` for an unknown agent. */
export async function createChannel(
  em: EntityManager,
  box: SecretBox,
  { secret, ...fields }: NewChannel,
): Promise<Channel> {
  await requireAgents(em, fields.agentId === null ? [] : [fields.agentId]);
  const { orgId } = fields;
  const id = uuidv7();
  const data = { ...fields, id, secret: channelSecrets.seal(box, { orgId, id }, secret), error: null };
  const channel = em.create(Channel, data as RequiredEntityData<Channel>, { persist: true });
  await flushUnique(em, NAME_TAKEN);
  return channel;
}

/** The changes of a channel, whose people are replaced as a whole. */
type ChannelChanges = Partial<Omit<ChannelFields, 'kind'>>;

/** Changes the given fields of a locked channel only. */
export async function updateChannel(
  em: EntityManager,
  box: SecretBox,
  channel: Channel,
  { secret, ...changes }: ChannelChanges,
): Promise<Channel> {
  if (changes.agentId != null && changes.agentId !== channel.agentId) await requireAgents(em, [changes.agentId]);
  em.assign(channel, changes, { mergeObjectProperties: false });
  if (secret !== undefined) channel.secret = channelSecrets.seal(box, channel, secret);
  if (changes.connection !== undefined) channel.error = null;
  await flushUnique(em, NAME_TAKEN);
  return channel;
}

/** Throws `not_found` unless all of the people are members of the organization. */
export async function requirePeople(em: EntityManager, orgId: string, people: Channel['people']): Promise<void> {
  const wanted = [...new Set(Object.values(people))];
  const found = await em.execute<object[]>(
    'select from memberships where org_id = ? and user_id = any(?::uuid[]) for key share',
    [orgId, uuidArray(wanted)],
  );
  if (found.length < wanted.length) throw notFound('Member');
}

/** Deletes a channel permanently, with what it has received; the chats stay. */
export async function deleteChannel(em: EntityManager, id: string): Promise<void> {
  await em.nativeDelete(Channel, { id });
}

/** The fields for checking and answering what a channel receives; its secret is still encrypted. */
export type ReceivingChannel = Pick<
  Channel,
  | 'id'
  | 'orgId'
  | 'kind'
  | 'agentId'
  | 'integrationId'
  | 'connection'
  | 'secret'
  | 'matchesEmail'
  | 'people'
  | 'mail'
  | 'isActive'
  | 'error'
>;

/** Returns a channel of any organization; undefined when there is none. */
export async function findChannel(
  { system }: Pick<Database, 'system'>,
  id: string,
): Promise<ReceivingChannel | undefined> {
  const { rows } = await system.query<ReceivingChannel>({
    name: 'find-channel',
    text: `select c.id, c.org_id as "orgId", c.kind, c.agent_id as "agentId", c.integration_id as "integrationId",
        c.connection, c.secret, c.matches_email as "matchesEmail", c.people, c.mail, c.is_active as "isActive", c.error
      from channels c join orgs o on o.id = c.org_id where c.id = $1 and o.deleted_at is null`,
    values: [id],
  });
  return rows[0];
}

/** Notes why a channel could not answer, or with null that it could. */
export async function noteChannelError(
  { tenant }: Pick<Database, 'tenant'>,
  { orgId, channelId }: { readonly orgId: string; readonly channelId: string },
  error: string | null,
): Promise<void> {
  await tenant.query(orgId, {
    name: 'note-channel-error',
    text: 'update channels set error = $2 where id = $1 and error is distinct from $2',
    // It may quote the service.
    values: [channelId, error === null ? null : toStorableText(error)],
  });
}
