import { z } from 'zod';
import type { ReceivingChannel } from '../../db/channels/channels.ts';
import { findSender } from '../../db/channels/find-sender.ts';
import { findMembers } from '../../db/approvals/find-members.ts';
import type { TenantDatabase } from '../../db/core/database.ts';
import type { ServicePerson } from '../../db/notifications/approval-messages.ts';
import { accountOf, type ChannelMessage, type NamedFile } from '../../domain/channels.ts';
import { escapeHtml } from '../../domain/core/text.ts';
import { callSlack, postMessage, slackTeamOf } from '../tools/builtin/communication/slack.ts';
import type { Service } from '../tools/context.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import type { Conversation, Incoming, SentFile } from './conversation.ts';
import { readSlackFile } from './read-slack-file.ts';
import type { ChannelDeps } from './receive-messages.ts';

/** A message of Slack, and the service to answer it with. */
interface SlackAddress extends Pick<ChannelMessage, 'channel' | 'thread'> {
  readonly service: Service;
  /** The message that is replaced; null or absent to post another one. */
  readonly reply?: string | null;
}

/** Escapes plain text for Slack's markup, in which nothing is a link or mentions anybody then. */
export function escapeMrkdwn(plain: string): string {
  return plain.replaceAll(/[&<>]/g, escapeHtml);
}

/** Posts plain text to a thread of Slack, and returns the id of the message. */
async function postInSlack({ service, channel, thread, reply }: SlackAddress, plain: string): Promise<string> {
  const text = escapeMrkdwn(plain);
  if (reply == null)
    return (await postMessage(service, { channel, text, ...(thread !== null && { thread_ts: thread }) })).ts;
  await callSlack(service, { method: 'chat.update', json: { channel, ts: reply, text }, effect: 'keyed' });
  return reply;
}

/** Shows plain text to one person in a conversation of Slack. */
async function showInSlack(
  { service, channel, thread }: SlackAddress,
  { sender: user, text }: Pick<ChannelMessage, 'sender' | 'text'>,
): Promise<void> {
  const json = { channel, user, text: escapeMrkdwn(text), ...(thread !== null && { thread_ts: thread }) };
  await callSlack(service, { method: 'chat.postEphemeral', json, effect: 'once' });
}

const userSchema = z.looseObject({
  user: z.looseObject({
    id: z
      .string()
      .regex(/^[\w.:-]+$/)
      .max(100),
    team_id: z.string().nullish(),
    deleted: z.boolean().nullish(),
    is_bot: z.boolean().nullish(),
    is_stranger: z.boolean().nullish(),
    is_email_confirmed: z.boolean().nullish(),
    profile: z.looseObject({ email: z.string().max(320).nullish() }).nullish(),
  }),
});

/** Whoever has sent a message of Slack, and the service that knows them. */
type SlackSender = Pick<SlackAddress, 'service'> & Pick<ChannelMessage, 'sender' | 'team'>;

/** The text of the message that becomes the answer. */
const PLACEHOLDER = '…';

/** Returns the conversation of a message of Slack. */
export function inSlack(deps: ChannelDeps, { channel, event: { message }, service, signal }: Incoming): Conversation {
  const address = { service, ...message };
  return {
    account: message.team === null ? null : accountOf(service.apiUrl, message.team),
    read: async () => {
      const files = (message.files ?? []).map((file) => sentFile(file, { ...deps, service, signal }));
      return { text: message.text, files, unlisted: 0 };
    },
    findSender: async () => findSender(deps, channel, message.sender, async () => emailOf(address)),
    beginReply: async () => postInSlack(address, PLACEHOLDER),
    post: async (text, reply = null) => void (await postInSlack({ ...address, reply }, text)),
    show: async (text) => showInSlack(address, { ...message, text }),
  };
}

const NO_ADDRESS = 'Slack does not say where it is, as with files of other workspaces';

function sentFile(
  { name, url, bytes }: NamedFile,
  { service, http, signal }: Pick<ChannelDeps, 'http'> & Pick<Incoming, 'service' | 'signal'>,
): SentFile {
  const read = async (maxBytes: number) => {
    if (url === null) throw new ToolFailure('not_found', NO_ADDRESS);
    return readSlackFile(service, { url, bytes }, { http, signal, maxBytes });
  };
  return { name, bytes, read };
}

async function emailOf({ service, sender, team }: SlackSender): Promise<string | undefined> {
  const query = { user: sender };
  const said = await callSlack(service, { method: 'users.info', query, effect: 'read', accepts: ['user_not_found'] });
  const user = userSchema.safeParse(said).data?.user;
  return user && confirmedEmail(user, team);
}

// People of other workspaces, who write in shared channels, are no members by their address: their own administrators
// choose that.
function confirmedEmail(user: z.output<typeof userSchema>['user'], team: string | null): string | undefined {
  if (team === null || user.team_id !== team || user.is_stranger === true) return undefined;
  const isPerson = user.deleted !== true && user.is_bot !== true && user.is_email_confirmed === true;
  return isPerson ? user.profile?.email?.toLowerCase() : undefined;
}

/** Returns who a member is in Slack, by the rules by which a sender is recognized; undefined for nobody. */
export async function findPerson(
  { database }: { readonly database: TenantDatabase },
  { orgId, people, matchesEmail }: Pick<ReceivingChannel, 'orgId' | 'people' | 'matchesEmail'>,
  service: Service,
  userId: string,
): Promise<ServicePerson | undefined> {
  const team = await slackTeamOf(service);
  const named = Object.entries(people).find(([, id]) => id === userId);
  if (named !== undefined) return { person: named[0], email: null, team };
  const [member] = matchesEmail ? await findMembers(database, orgId, [userId]) : [];
  if (member?.isKnownByEmail !== true) return undefined;
  const { email } = member;
  const accepts = ['users_not_found', 'user_not_found'];
  const said = await callSlack(service, { method: 'users.lookupByEmail', query: { email }, effect: 'read', accepts });
  const user = userSchema.safeParse(said).data?.user;
  if (user === undefined || confirmedEmail(user, team) !== email || Object.hasOwn(people, user.id)) return undefined;
  return { person: user.id, email, team };
}
