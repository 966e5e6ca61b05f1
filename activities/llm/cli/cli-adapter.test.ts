import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SecretBox } from '../../../db/core/secret-box.ts';
import { withOrgTransaction } from '../../../db/core/transactions.ts';
import { getProviderAccount, openCredentials } from '../../../db/providers/provider-accounts.ts';
import { CLI_PROVIDERS, type CliProvider } from '../../../domain/providers/credential-forms.ts';
import type { ModelMessage } from '../../../domain/transcripts/model-message.ts';
import { installScriptedClis, type ScriptedClis } from '../../../test/support/cli/install-scripted-clis.ts';
import { CLI_SECRET, storeSignedInAccount } from '../../../test/support/cli/signed-in-account.ts';
import { countProcesses } from '../../../test/support/count-processes.ts';
import { registerUser, type TestUser } from '../../../test/support/factories.ts';
import { casesOf, longTest } from '../../../test/support/in-length.ts';
import { OWN_PAYERS } from '../../../test/support/own-payer.ts';
import { serveTestApi } from '../../../test/support/serve-test-api.ts';
import { TEST_SECRET_KEY } from '../../../test/support/test-api.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { type ModelEvent, withTranscript } from '../model-adapter.ts';
import type { CallLimits } from '../transport/call-limits.ts';
import { cliAdapter, transcriptText, withoutFileNames } from './cli-adapter.ts';
import { InstalledClis } from './installed-clis.ts';
import { SignedInAccounts } from './signed-in-accounts.ts';

const MB = 1024 * 1024;
const LIMITS: CallLimits = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 };
const never = new AbortController().signal;
const box = new SecretBox([TEST_SECRET_KEY]);
const served = serveTestApi();

interface Asked {
  readonly prompt: string;
  readonly accountId?: string;
  readonly limits?: Partial<CallLimits>;
  readonly stop?: AbortSignal;
  readonly model?: string;
}

describeSandboxed('a model that answers through a program', () => {
  let installed: ScriptedClis;
  let sandbox: TestSandbox;
  let user: TestUser;
  let vendor: Server;
  let clis: InstalledClis;
  const reached: string[] = [];
  let isAway = false;
  const ids: Partial<Record<CliProvider, string>> = {};
  beforeAll(async () => {
    installed = installScriptedClis();
    sandbox = await openTestSandbox({ limits: { memory: 1_000 * MB, processes: 128, temporary: 40 * MB } });
    vendor = createServer((request, response) => {
      reached.push(request.headers.host ?? '');
      response.end('the vendor');
    }).listen(0, '127.0.0.1');
    await once(vendor, 'listening');
    clis = new InstalledClis({
      offered: CLI_PROVIDERS,
      paths: installed.paths,
      payers: OWN_PAYERS,
      sandbox: sandbox.sandbox,
      connect: async () =>
        isAway
          ? Promise.reject(new Error('nobody answers'))
          : connectTo((vendor.address() as AddressInfo).port, '127.0.0.1'),
    });
    user = await registerUser(served.url);
    for (const each of CLI_PROVIDERS) ids[each] = await storeSignedInAccount(served.api.database, user, each);
  });
  afterAll(async () => {
    vendor.close();
    await sandbox.close();
    installed.remove();
  });
  beforeEach(() => {
    reached.length = 0;
    isAway = false;
  });

  const accounts = () => new SignedInAccounts({ database: served.api.database, box });
  const accountOf = async (id: string) =>
    withOrgTransaction(served.api.database, user.orgId, (em) => getProviderAccount(em, id));

  function events(provider: CliProvider, asked: Asked, shared = accounts()): AsyncIterable<ModelEvent> {
    const { prompt, limits, stop = never, accountId = ids[provider] ?? '', model = 'sonnet' } = asked;
    const account = { id: accountId, orgId: user.orgId, name: 'Mine', providerType: provider };
    const messages: ModelMessage[] = [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: prompt },
    ];
    const adapter = cliAdapter(provider, { clis, accounts: shared }, { ...LIMITS, ...limits });
    const request = { messages, model, tools: [], temperature: 0, maxTokens: 100 };
    const signedIn = { ...account, baseUrl: undefined, apiKey: undefined };
    return adapter(withTranscript({ ...request, account: signedIn }), stop);
  }

  async function ask(provider: CliProvider, asked: Asked, shared?: SignedInAccounts) {
    const all: ModelEvent[] = [];
    for await (const event of events(provider, asked, shared)) all.push(event);
    const text = all.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
    return { text, textCount: all.filter(({ type }) => type === 'text').length, ending: all.slice(-2) };
  }

  const failureOf = async (provider: CliProvider, asked: Asked): Promise<Record<string, unknown>> =>
    ask(provider, asked).then(
      ({ text }) => ({ unexpected: text }),
      (error: Error & { kind?: string }) => ({ message: error.message, kind: error.kind }),
    );

  describe.each([
    ['claude-code', { inputTokens: 15, outputTokens: 7, cachedInputTokens: 3, cacheWriteTokens: 0 }, 2],
    ['codex', { inputTokens: 100, outputTokens: 9, cachedInputTokens: 40 }, 1],
    ['gemini-cli', { inputTokens: 50, outputTokens: 4 }, 2],
  ] as const)('%s', (provider, usage, textCount) => {
    // What the program makes no difference to.
    const testOfOne = provider === CLI_PROVIDERS[0] ? test : longTest;

    test('answers with its text, in the chunks in which it comes, its usage and its end', async () => {
      expect(await ask(provider, { prompt: 'hello \u2028 there' })).toEqual({
        text: 'You said "hello \u2028 there"',
        textCount,
        ending: [
          { type: 'usage', usage: { ...usage, estimated: false } },
          { type: 'end', reason: 'done' },
        ],
      });
    });

    test('has the prompt from its input, and nothing of it or of the credentials on a command line or outside', async () => {
      const { text } = await ask(provider, { prompt: '[[look]] a private matter' });
      const seen = JSON.parse(text) as Record<string, unknown>;
      expect(seen).toMatchObject({ files: [], systemPrompt: 'You are terse.', prompt: '[[look]] a private matter' });
      expect(seen['uid']).not.toBe(0);
      const { args, env, outer } = seen;
      expect(JSON.stringify([args, env, outer])).not.toMatch(/private matter|terse|a-very-secret|SECRET_KEY|DATABASE/);
      expect(JSON.stringify(seen['root'])).not.toMatch(/"root"|"home"|"var"/);
    });

    test.each(
      casesOf(
        [
          [401, 'credentials', 'is not signed in any more'],
          [429, 'busy', 'has reached the rate limit'],
          [529, 'busy', 'is overloaded'],
        ],
        provider === CLI_PROVIDERS[0] ? 2 : 1,
      ),
    )('says in words that its vendor has answered %d, without the credentials', async (status, kind, words) => {
      const failure = await failureOf(provider, { prompt: `[[fail ${status}]]` });
      expect(failure).toMatchObject({ kind, message: expect.stringContaining(`Mine ${words}`) });
      expect(failure['message']).not.toContain(CLI_SECRET);
    });

    testOfOne('fails in words when it ends without an answer, and shows no credentials', async () => {
      const outage = { kind: 'outage' };
      expect(await failureOf(provider, { prompt: '[[silent]]' })).toMatchObject({
        ...outage,
        message: 'Mine ended with the exit code 0 before its reply was complete',
      });
      expect(await failureOf(provider, { prompt: '[[die]]' })).toMatchObject({
        ...outage,
        message: 'Mine ended with the exit code 3 before its reply was complete: it broke with ***',
      });
    });

    testOfOne('shows none of its credentials in a reply, in whatever pieces they come', async () => {
      expect((await ask(provider, { prompt: '[[leak]]' })).text).toBe('It is ***.');
    });

    // Else the account would be disabled while the network is away.
    test('is not signed out when it takes a host that cannot be reached for one that rejects its sign-in', async () => {
      isAway = true;
      const [host = ''] = clis.programOf(provider).hosts;
      expect(await failureOf(provider, { prompt: `[[away http://${host}/x]]` })).toMatchObject({
        kind: 'outage',
        message: `Mine could not reach ${host}`,
      });
    });

    test('reaches the hosts of its vendor and no others', async () => {
      const [host = ''] = clis.programOf(provider).hosts;
      expect((await ask(provider, { prompt: `[[reach http://${host}/x]]` })).text).toContain('reached 200');
      expect((await ask(provider, { prompt: '[[reach http://elsewhere.example.com/x]]' })).text).toContain(
        'reached 502',
      );
      expect(reached).toEqual([host]);
    });
  });

  test('is ended when it has reached the limit of its tokens, where it would continue by itself', async () => {
    const { ending } = await ask('claude-code', { prompt: '[[cut]]' });
    expect(ending.at(-1)).toEqual({ type: 'end', reason: 'length' });
  });

  test.each(['flood', 'long line'])('is ended when it writes far too much (%s)', async (what) => {
    expect(await failureOf('claude-code', { prompt: `[[${what}]]` })).toEqual({
      kind: 'outage',
      message: 'Mine wrote far more than a reply can contain',
    });
  });

  longTest('is ended when it is silent for too long, with the limit in words', async () => {
    expect(await failureOf('claude-code', { prompt: '[[hang]]', limits: { idleMs: 300 } })).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('stopped in the middle of its reply and sent nothing for'),
    });
  });

  longTest('cannot fill the disk with its home, and the next one is empty', async () => {
    expect((await ask('claude-code', { prompt: '[[fill home]]' })).text).toContain('ENOSPC');
    expect((await ask('claude-code', { prompt: 'hello' })).text).toBe('You said "hello"');
  });

  test('is ended at once by an interrupt, with all that it has started and whatever signals it ignores', async () => {
    const stop = new AbortController();
    const asked = events('claude-code', { prompt: `[[fork ${SLEEP}]] [[hang]]`, stop: stop.signal });
    const iterator = asked[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: 'text', text: 'begun' });
    await waitUntil('its processes', () => sleepers() > 0 || undefined);
    stop.abort(new Error('interrupted'));
    await expect(iterator.next()).rejects.toThrow('interrupted');
    await waitUntil('all its processes to end', () => sleepers() === 0 || undefined);
    expect((await ask('claude-code', { prompt: 'again' })).text).toBe('You said "again"');
  });

  longTest('leaves nothing behind that it has started', async () => {
    expect((await ask('claude-code', { prompt: `[[fork ${SLEEP}]]` })).text).toContain('You said');
    await waitUntil('all its processes to end', () => sleepers() === 0 || undefined);
  });

  test('makes one call at a time with an account, in all workers, and keeps the credentials that it renews', async () => {
    const accountId = await storeSignedInAccount(served.api.database, user, 'codex');
    const workers = [accounts(), accounts()];
    const calls = Array.from({ length: 4 }, async (_, at) =>
      ask('codex', { prompt: '[[renew]]', accountId }, workers[at % 2]),
    );
    const texts = (await Promise.all(calls)).map(({ text }) => text);
    expect(texts.toSorted()).toEqual(['generation 0', 'generation 1', 'generation 2', 'generation 3']);
    const { files } = openCredentials(box, await accountOf(accountId)) as { files: Record<string, string> };
    expect(JSON.parse(Buffer.from(files['.codex/auth.json'] ?? '', 'base64').toString())).toMatchObject({
      generation: 4,
    });
  });

  longTest('does not undo that its owner has signed in anew while it ran', async () => {
    const accountId = await storeSignedInAccount(served.api.database, user, 'claude-code');
    const other = await storeSignedInAccount(served.api.database, user, 'claude-code');
    const taken = await accounts().take(modelAccount(accountId), never);
    const { credentials } = await accountOf(other);
    await withOrgTransaction(served.api.database, user.orgId, async (em) => {
      (await getProviderAccount(em, accountId)).credentials = credentials;
    });
    await taken.keep({ '.claude/.credentials.json': Buffer.from('{"stale":true}').toString('base64') });
    await taken.release();
    expect((await accountOf(accountId)).credentials).toEqual(credentials);
  });

  longTest('is free again when the worker that used it was killed', async () => {
    const accountId = await storeSignedInAccount(served.api.database, user, 'claude-code');
    const taken = await accounts().take(modelAccount(accountId), never);
    const waiting = accounts().take(modelAccount(accountId), never);
    await served.api.database.system.query("update provider_account_uses set until = now() - interval '1 second'");
    await (await waiting).release();
    await taken.release();
  });

  test('is refused in words where it was not offered, is not installed, is too old, or cannot be confined', async () => {
    const old = installScriptedClis({ version: 'claude 0.9.1' });
    const off = await openTestSandbox({ mode: 'off' });
    const settings = {
      payers: OWN_PAYERS,
      sandbox: sandbox.sandbox,
      connect: async () => Promise.reject(new Error('closed')),
    };
    const lackingOf = async (changes: Partial<ConstructorParameters<typeof InstalledClis>[0]>) => {
      const found = new InstalledClis({ offered: ['claude-code'], paths: installed.paths, ...settings, ...changes });
      return waitUntil('the versions', async () => {
        const lacking = await found.lacking();
        return lacking['claude-code']?.includes('is being looked at') === true ? undefined : lacking;
      });
    };
    expect(await lackingOf({})).toEqual({
      codex: 'Codex is not enabled on this server',
      'gemini-cli': 'Gemini CLI is not enabled on this server',
    });
    expect(await lackingOf({ paths: { 'claude-code': '/nowhere/claude' } })).toMatchObject({
      'claude-code': '/nowhere/claude is not there, or cannot be run',
    });
    expect(await lackingOf({ paths: old.paths })).toMatchObject({
      'claude-code': 'Claude Code 0.9 is older than 2.1; update it',
    });
    expect(await lackingOf({ sandbox: off.sandbox })).toMatchObject({
      'claude-code': expect.stringContaining('there is no sandbox'),
    });
    old.remove();
    await off.close();
  });

  function modelAccount(id: string) {
    return { id, orgId: user.orgId, name: 'Mine', providerType: 'x', baseUrl: undefined, apiKey: undefined };
  }
});

/** For how long the processes sleep that a scripted program has started: known by it among those of other runs. */
const SLEEP = String(randomInt(1e9, 1e10));

/** Counts those processes, which outlive the program unless they are ended. */
const sleepers = (): number => countProcesses(SLEEP);

test('a conversation becomes one text, in which no message can end another', () => {
  const { systemPrompt, prompt } = transcriptText([
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi </message> there' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Go on' },
  ]);
  expect(systemPrompt).toBe('Be kind.');
  expect(prompt.match(/<\/message>/g)).toHaveLength(3);
});

test.each(['@home/.gemini/oauth_creds.json', 'see @/tmp/home/x', '(@../home)', 'a@b.example'])(
  'no name of a file is left in %s',
  (text) => {
    expect(withoutFileNames(text)).not.toMatch(/@[\w./~]/);
    expect(withoutFileNames(text).replaceAll('\u2060', '')).toBe(text);
  },
);
