import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { pino } from 'pino';
import { receiveWaiting } from '../../activities/channels/receive-messages.ts';
import { createGuardedFetch } from '../../activities/core/network/guarded-fetch.ts';
import { deliverWaiting } from '../../activities/webhooks.ts';
import { workspaceOf } from '../../activities/tools/operations/tool-context.ts';
import { filePath } from '../../activities/tools/workspace/workspace-path.ts';
import { claimTurn } from '../../db/turns/claim/claim-turn.ts';
import { finishTurn, type TurnOutcome } from '../../db/turns/steps/finish-turn.ts';
import { parsePrivateHosts } from '../../domain/network/addresses.ts';
import { addChannel } from './add-channel.ts';
import { createAgent, registerUser, type TestUser } from './factories.ts';
import { FakeSlack, sendAsSlack, slackEvent, TEAM } from './fake-slack.ts';
import { PLAIN_END } from './plain-end.ts';
import { serveTestApi } from './serve-test-api.ts';
import { untilItWaits } from './until-it-waits.ts';
import { webhookDeps } from './webhook-deps.ts';

/** What the app of the channel signs with. */
export const SECRET = 'the signing secret of the app';
/** The result when nothing waits any more. */
export const ENDED = { hasEnded: true, waitMs: 0 };

type Fields = Record<string, unknown>;

/** Serves an api and a Slack to the tests of the calling file; each has a user whom Slack knows, and a channel. */
export function serveSlackChannel() {
  const served = serveTestApi({ privateHosts: '127.0.0.1:*' });
  let slack: FakeSlack;
  let guarded: ReturnType<typeof createGuardedFetch>;
  let user: TestUser;
  let agentId: string;
  let integrationId: string;
  let channelId: string;

  beforeAll(async () => {
    slack = await FakeSlack.start();
    guarded = createGuardedFetch(parsePrivateHosts(`127.0.0.1:${slack.port}`));
  });
  afterAll(async () => {
    slack.close();
    await guarded.close();
  });
  beforeEach(async () => {
    slack.clear();
    user = await registerUser(served.url);
    agentId = await createAgent(user.client);
    const integration = { kind: 'slack', base_url: slack.url, credentials: { token: 'xoxb-of-the-tests' } };
    const channel = { kind: 'slack', agentId, secret: SECRET, integration } as const;
    ({ channelId, integrationId } = await addChannel(user, channel));
    introduce('U1', user.email);
  });

  /** Has Slack know somebody. */
  function introduce(id: string, email: string, more: Fields = {}): void {
    slack.users.set(id, { id, team_id: TEAM, is_bot: false, is_email_confirmed: true, profile: { email }, ...more });
  }

  const query = async <T extends object>(text: string, values: unknown[] = [channelId]) =>
    (await served.api.database.system.query<T>(text, values)).rows;

  const depsOf = async () => ({
    ...(await webhookDeps(served.api.database, guarded)),
    log: pino({ level: 'silent' }),
  });

  async function receive() {
    const deps = await depsOf();
    const ref = { orgId: user.orgId, channelId };
    return untilItWaits(async () => receiveWaiting(deps, ref, new AbortController().signal));
  }

  async function deliver(chatId: string) {
    const [target] = await query<{ id: string }>('select id from webhook_targets where thread_chat_id = $1', [chatId]);
    const deps = await depsOf();
    const ref = { orgId: user.orgId, targetId: target?.id ?? '' };
    return untilItWaits(async () => deliverWaiting(deps, ref, new AbortController().signal));
  }

  /** Writes files into the workspace of a chat. */
  async function writeFiles(chatId: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    const deps = await webhookDeps(served.api.database, guarded);
    const ref = { orgId: user.orgId, workspaceChatId: chatId };
    const workspace = workspaceOf(deps, ref, new AbortController().signal);
    const options = { overwrite: true, createFolders: true, isForeign: false };
    for (const [path, content] of Object.entries(files))
      await workspace.write(filePath(path), Buffer.from(content), options);
  }

  return {
    get url() {
      return served.url;
    },
    get api() {
      return served.api;
    },
    get slack() {
      return slack;
    },
    get user() {
      return user;
    },
    get agentId() {
      return agentId;
    },
    get integrationId() {
      return integrationId;
    },
    get channelId() {
      return channelId;
    },
    introduce,
    writeFiles,
    query,
    depsOf,
    receive,
    deliver,
    /** Returns the results of the messages of the channel. */
    statuses: async () =>
      (await query<{ status: string }>('select status from channel_events where channel_id = $1 order by id')).map(
        ({ status }) => status,
      ),
    chatsOf: async (by = user) =>
      (await by.client.get<{ id: string; title: string; origin: string }[]>('/api/chats')).json,
    questionsIn: async (chatId: string) =>
      (await user.client.get<{ role: string; content: string }[]>(`/api/chats/${chatId}/messages`)).json
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    /** Returns the channel as the api shows it. */
    shown: async () => (await user.client.get<Fields>(`/api/channels/${channelId}`)).json,
    waitNoLonger: async () => {
      await query('update channel_events set next_attempt_at = now() where channel_id = $1');
    },
    /** Has somebody write in Slack, and what they wrote handled. */
    write: async (text: string, event: Fields = {}) => {
      const sent = slackEvent({ text, ts: '17.01', ...event });
      const { status } = await sendAsSlack(served.url, channelId, sent, { secret: SECRET });
      expect([status, await receive()]).toEqual([200, ENDED]);
    },
    /** Ends the turn of a chat with an answer, and has that delivered. */
    answer: async (chatId: string, content: string, outcome: Partial<TurnOutcome> = {}) => {
      const { orgId } = user;
      const turn = await claimTurn(served.api.database, { orgId, chatId });
      if (turn === undefined) throw new Error('no turn is open');
      const status = outcome.status ?? 'completed';
      await finishTurn(served.api.database, {
        orgId,
        chatId,
        turnId: turn.id,
        attempt: turn.attempt,
        step: turn.step,
        agentId,
        status,
        content,
        metadata: { status, usage: { input_tokens: 3, output_tokens: 2 } },
        ...PLAIN_END,
        ...outcome,
      });
      return deliver(chatId);
    },
  };
}
