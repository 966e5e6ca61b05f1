import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ScriptedClis } from '../support/cli/install-scripted-clis.ts';
import { countProcesses } from '../support/count-processes.ts';
import { createAgent, createChat, registerUser, type TestUser } from '../support/factories.ts';
import { longTest } from '../support/in-length.ts';
import { registerColleague } from '../support/people.ts';
import { SocketClient } from '../support/socket-client.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

interface SignIn {
  readonly status: string;
  readonly detail: string | null;
  readonly auth_url: string | null;
  readonly expires_at: string;
  readonly notice: string;
}

const PROVIDERS = ['claude-code', 'codex', 'gemini-cli'] as const;
/** The tokens that the scripted programs read. */
const READ = { 'claude-code': 15, codex: 100, 'gemini-cli': 50 } as const;

/**
 * Describes sign-ins, and what the program of each of the first providers answers with them, on an installation that
 * has the programs.
 */
export function describeProviderSignIn(
  installed: () => TestInstance,
  clis: () => ScriptedClis,
  providerCount: number,
): void {
  describe('a sign-in at a provider', () => {
    let instance: TestInstance;
    let user: TestUser;
    beforeAll(async () => {
      instance = installed();
      user = await registerUser(instance.api.url);
      await untilOffered();
    });
    beforeEach(async () => {
      user = await registerUser(instance.api.url);
    });
    // Their programs end, and others have the places.
    afterEach(async () => instance.api.database.system.query('delete from provider_sign_ins'));

    const untilOffered = async () =>
      waitUntil('the workers to have the programs', async () => {
        const { json } = await user.client.get<{ key: string; available: boolean }[]>('/api/providers/catalog');
        const offered = json.filter(({ key, available }) => available && PROVIDERS.some((each) => each === key));
        return offered.length === PROVIDERS.length || undefined;
      });

    const start = async (provider: string, name: string, { client } = user) =>
      client.post<SignIn>('/api/providers/auth/start', { provider_type: provider, account_name: name });
    const pathOf = (provider: string, step: string, name: string) => `/api/providers/auth/${provider}/${step}/${name}`;
    const status = async (provider: string, name: string) =>
      (await user.client.get<SignIn>(pathOf(provider, 'status', name))).json;
    const code = async (provider: string, name: string, sent: string, { client } = user) =>
      client.post<SignIn>(pathOf(provider, 'code', name), { code: sent });
    const complete = async (provider: string, name: string, { client } = user) =>
      client.post<{ id: string; shared: boolean }>(pathOf(provider, 'complete', name), {
        provider_type: provider,
        account_name: name,
      });
    const until = async (provider: string, name: string, wanted: string) =>
      waitUntil(`the sign-in to be ${wanted}`, async () => {
        const signIn = await status(provider, name);
        return signIn.status === wanted ? signIn : undefined;
      });
    const stateOf = ({ auth_url: address }: SignIn) => new URL(address ?? '').searchParams.get('state') ?? '';

    /** Signs in with the form of the code that a provider's page gives. */
    async function signIn(provider: (typeof PROVIDERS)[number], name: string): Promise<string> {
      const { json } = await start(provider, name);
      const sent = {
        'claude-code': `good-code#${stateOf(json)}`,
        codex: `http://127.0.0.1:1455/auth/callback?code=good-code&state=${stateOf(json)}`,
        'gemini-cli': 'good-code',
      }[provider];
      expect((await code(provider, name, sent)).status).toBe(200);
      await until(provider, name, 'ready');
      const { status: made, json: account } = await complete(provider, name);
      expect(made).toBe(201);
      return account.id;
    }

    test.each(PROVIDERS.slice(0, providerCount))(
      'with %s leads to an account of its person, whose turns the program answers, and which another one renews',
      async (provider) => {
        const begun = await start(provider, 'Mine');
        expect(begun).toMatchObject({
          status: 200,
          json: {
            provider,
            account_name: 'Mine',
            status: 'awaiting_code',
            auth_url: expect.stringMatching(/^https:\/\/(claude\.ai|auth\.openai\.com|accounts\.google\.com)\//),
            notice: expect.stringContaining('API key'),
          },
        });
        expect((await complete(provider, 'Mine')).status).toBe(409);
        const id = await signIn(provider, 'Mine');
        const { json: again, status: answered } = await complete(provider, 'Mine');
        expect([answered, again]).toMatchObject([
          201,
          { id, auth_type: 'oauth', shared: false, has_credentials: true },
        ]);
        expect((await start(provider, 'Mine')).status).toBe(409);
        const agentId = await createAgent(user.client, { tools: ['agent_spawn', 'file_read'] });
        const chatId = await createChat(user.client, agentId);
        const socket = await SocketClient.connect(instance.api.url, chatId, user.accessToken);
        socket.send({ type: 'message', content: '[[look]] private words', client_message_id: chatId });
        const end = await socket.waitForEnd();
        socket.close();
        const seen = JSON.parse(end['content'] as string) as { systemPrompt: string; args: string[] };
        expect(seen.systemPrompt).not.toMatch(/agent_spawn|tool_call|file_read/);
        expect(JSON.stringify(seen.args)).not.toContain('private words');
        expect(end['metadata']).toMatchObject({ usage: { input_tokens: READ[provider] } });
        const log = instance.workers.map((worker) => worker.log()).join('\n');
        expect(log).not.toMatch(/good-code|a-token-of-|private words/);
        const { system } = instance.api.database;
        await system.query("update provider_accounts set disabled_at = now(), disabled_reason = 'x' where id = $1", [
          id,
        ]);
        expect(await signIn(provider, 'Mine')).toBe(id);
        expect((await user.client.get(`/api/providers/${id}`)).json).toMatchObject({ status: 'active' });
        const change = async (fields: object) => (await user.client.patch(`/api/providers/${id}`, fields)).status;
        expect(await change({ credentials: { api_key: 'sk-1' } })).toBe(422);
        expect(await change({ base_url: 'https://elsewhere.example.com', credentials: {} })).toBe(422);
        expect(await change({ name: 'Renamed' })).toBe(200);
      },
    );

    longTest('goes on after a wrong code where the program does, and ends with the fifth', async () => {
      await start('gemini-cli', 'Tries');
      for (let at = 1; at < 5; at += 1) {
        const before = (await status('gemini-cli', 'Tries')).auth_url;
        expect((await code('gemini-cli', 'Tries', `wrong-${at}`)).json.status).toBe('verifying');
        const next = await until('gemini-cli', 'Tries', 'awaiting_code');
        expect(next.detail).toContain('The code was not accepted');
        expect(next.auth_url).not.toBe(before);
      }
      await code('gemini-cli', 'Tries', 'wrong-5');
      await until('gemini-cli', 'Tries', 'failed');
      expect((await code('gemini-cli', 'Tries', 'good-code')).status).toBe(409);
    });

    test('is found by nobody else, in no other place, and takes no code of another one', async () => {
      const member = await registerColleague(instance.api, user, 'admin');
      const { json } = await start('codex', 'Own');
      expect((await code('codex', 'Own', 'good-code', member)).status).toBe(404);
      expect((await complete('codex', 'Own', member)).status).toBe(404);
      expect((await code('gemini-cli', 'Own', 'good-code')).status).toBe(404);
      expect((await code('codex', 'Own', 'good-code#of-another')).status).toBe(409);
      expect((await code('codex', 'Own', 'http://127.0.0.1:1455/auth/callback?error=access_denied')).status).toBe(422);
      expect((await code('codex', 'Own', 'good-code\nanother line')).status).toBe(422);
      expect((await code('codex', 'Own', `good-code#${stateOf(json)}`)).status).toBe(200);
      expect((await code('codex', 'Own', `good-code#${stateOf(json)}`)).status).toBe(409);
      await until('codex', 'Own', 'ready');
    });

    longTest(
      'expires with its program, fails with the words of one that has ended, and can be begun anew',
      async () => {
        await start('claude-code', 'Late');
        const { system } = instance.api.database;
        await system.query(
          "update provider_sign_ins set expires_at = now() - interval '1 second' where account_name = 'Late'",
        );
        expect(await status('claude-code', 'Late')).toMatchObject({ status: 'expired' });
        expect((await code('claude-code', 'Late', 'good-code')).status).toBe(409);
        expect((await start('claude-code', 'Late')).json).toMatchObject({ status: 'awaiting_code' });
        await code('claude-code', 'Late', 'bad-code');
        const { detail } = await until('claude-code', 'Late', 'failed');
        expect(detail).toMatch(/^Claude Code has ended without a sign-in: .*is invalid.*Start again$/);
        expect((await complete('claude-code', 'Late')).status).toBe(409);
        expect((await start('claude-code', 'Late')).json).toMatchObject({ status: 'awaiting_code', detail: null });
      },
    );

    test('is refused for providers with keys', async () => {
      expect((await start('openai', 'Key')).status).toBe(422);
      expect((await start('unknown', 'Key')).status).toBe(422);
    });

    longTest(
      'survives a restart of the api, and is failed in words when its worker is killed, in every state',
      async () => {
        await start('claude-code', 'Waits');
        const another = await instance.addApi();
        const response = await fetch(`${another.url}${pathOf('claude-code', 'status', 'Waits')}`, {
          headers: { authorization: `Bearer ${user.accessToken}` },
        });
        expect(await response.json()).toMatchObject({ status: 'awaiting_code' });
        await start('gemini-cli', 'Ready');
        await code('gemini-cli', 'Ready', 'good-code');
        await until('gemini-cli', 'Ready', 'ready');
        await instance.killWorkers();
        // What it had said of its programs would pass for what the next one says.
        await instance.api.database.system.query('delete from workers');
        await instance.addWorker();
        expect((await until('claude-code', 'Waits', 'failed')).detail).toContain('Start again');
        await waitUntil('its programs to end', () => countProcesses(clis().paths['claude-code']) === 0 || undefined);
        expect((await complete('gemini-cli', 'Ready')).status).toBe(201);
      },
    );
  });
}
