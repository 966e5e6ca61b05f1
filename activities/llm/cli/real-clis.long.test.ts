import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { CLI_PROVIDERS, type CliProvider } from '../../../domain/providers/credential-forms.ts';
import { findRealCli, type RealCli } from '../../../test/support/cli/find-real-clis.ts';
import { startVendorServer, type VendorServer } from '../../../test/support/cli/vendor-server.ts';
import { OWN_PAYERS } from '../../../test/support/own-payer.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { SaidByProgram } from '../../providers/cli-sign-in.ts';
import { type ModelEvent, withTranscript } from '../model-adapter.ts';
import { cliAdapter } from './cli-adapter.ts';
import { CLI_PROGRAMS, InstalledClis } from './installed-clis.ts';
import type { CliProgram, CliStart } from './programs/cli-program.ts';
import type { SignedInAccount } from './signed-in-accounts.ts';

const MB = 1024 * 1024;
const LIMITS = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 110_000 };
/** A program that tries again and again is ended. */
const SHORT = { firstByteMs: 40_000, idleMs: 40_000, totalMs: 40_000 };
const never = new AbortController().signal;
const SECRET = 'a-very-secret-token-of-a-person';
/** What tells a program to speak plain http with the server of the test, in the name of its vendor. */
const REDIRECTIONS: Readonly<Record<CliProvider, { args: string[]; environment: Record<string, string> }>> = {
  'claude-code': { args: [], environment: { ANTHROPIC_BASE_URL: 'http://api.anthropic.com' } },
  codex: {
    args: [
      '-c',
      'model_providers.test={name="test",base_url="http://chatgpt.com/v1",wire_api="responses",env_key="TEST_KEY",request_max_retries=0,stream_max_retries=0}',
      '-c',
      'model_provider="test"',
    ],
    environment: { TEST_KEY: SECRET },
  },
  // A sign-in with Google is looked at over https before anything else.
  'gemini-cli': {
    args: [],
    environment: { GEMINI_API_KEY: SECRET, GOOGLE_GEMINI_BASE_URL: 'http://cloudcode-pa.googleapis.com' },
  },
};

const SIGN_INS: Readonly<Record<CliProvider, Record<string, unknown>>> = {
  'claude-code': {
    '.claude/.credentials.json': {
      claudeAiOauth: {
        accessToken: SECRET,
        refreshToken: `${SECRET}-refresh`,
        expiresAt: 4_102_444_800_000,
        scopes: ['user:inference', 'user:profile'],
      },
    },
  },
  codex: {},
  'gemini-cli': {
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'gemini-api-key' } },
      tools: { core: [] },
      general: { maxAttempts: 1 },
    },
  },
};

/** What is there of a person who has signed in, where the test's server is spoken to with a key. */
const OF_PERSONS: Readonly<Partial<Record<CliProvider, Record<string, unknown>>>> = {
  'gemini-cli': {
    '.gemini/settings.json': {
      security: { auth: { selectedType: 'oauth-personal' } },
      tools: { core: [] },
      general: { maxAttempts: 1 },
    },
    '.gemini/oauth_creds.json': {
      access_token: SECRET,
      refresh_token: `${SECRET}-refresh`,
      token_type: 'Bearer',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      expiry_date: 4_102_444_800_000,
    },
  },
};

const found = new Map<CliProvider, RealCli>();
for (const provider of CLI_PROVIDERS) found.set(provider, await findRealCli(provider));

/** Describes what needs a vendor's own program; it is skipped, and says why, where there is none. */
function describeReal(provider: CliProvider, tests: (path: string) => void): void {
  const cli = found.get(provider);
  if (cli !== undefined && 'path' in cli) describe(`the real ${provider}`, () => tests(cli.path));
  // oxlint-disable-next-line jest/no-disabled-tests
  else describe.skip(`the real ${provider} (skipped: ${cli?.missing})`, () => tests(''));
}

describeSandboxed('a program of a vendor, as it is installed', () => {
  let sandbox: TestSandbox;
  let vendor: VendorServer;
  beforeAll(async () => {
    sandbox = await openTestSandbox({ limits: { memory: 1_000 * MB, processes: 256, temporary: 256 * MB } });
    vendor = await startVendorServer();
  });
  afterAll(async () => {
    vendor.close();
    await sandbox.close();
  });

  describe.each([...CLI_PROVIDERS])('%s', (provider) => {
    describeReal(provider, (path) => {
      const { args, environment } = REDIRECTIONS[provider];
      const own = CLI_PROGRAMS[provider];
      const program: CliProgram = {
        ...own,
        toStart: (request) => {
          const start = own.toStart(request);
          // Before the last one, which may say where the prompt comes from.
          const all = [...start.args.slice(0, -1), ...args, ...start.args.slice(-1)];
          return { ...start, args: all, environment: { ...start.environment, ...environment } };
        },
      };
      const accountWith = (files: Record<string, unknown>) =>
        ({
          orgId: 'org',
          files: Object.fromEntries(
            Object.entries(files).map(([name, value]) => [name, Buffer.from(JSON.stringify(value)).toString('base64')]),
          ),
          keep: async () => undefined,
          release: async () => undefined,
        }) as unknown as SignedInAccount;

      let isAway = false;
      afterEach(() => {
        isAway = false;
      });

      const installed = (programs = CLI_PROGRAMS) =>
        new InstalledClis({
          offered: [provider],
          paths: { [provider]: path },
          payers: OWN_PAYERS,
          sandbox: sandbox.sandbox,
          connect: async () => {
            if (isAway) throw new Error('nobody answers there');
            return vendor.connect();
          },
          programs,
        });

      async function ask(status: number, { used = program, limits = LIMITS } = {}): Promise<ModelEvent[]> {
        vendor.status = status;
        const signIn = used === own ? { ...SIGN_INS[provider], ...OF_PERSONS[provider] } : SIGN_INS[provider];
        const accounts = { take: async () => accountWith(signIn) };
        const clis = installed({ ...CLI_PROGRAMS, [provider]: used });
        const adapter = cliAdapter(provider, { clis, accounts }, limits);
        const mine = { id: 'account', name: 'Mine', providerType: provider, baseUrl: undefined, apiKey: undefined };
        const messages = [
          { role: 'system' as const, content: 'You are terse.' },
          { role: 'user' as const, content: 'Say hello' },
        ];
        const model =
          own.provider === 'gemini-cli' ? 'gemini-2.5-pro' : own.provider === 'codex' ? 'gpt-5.6-sol' : 'sonnet';
        const request = { account: mine, model, messages, tools: [], temperature: 0, maxTokens: 1_000 };
        const events: ModelEvent[] = [];
        for await (const event of adapter(withTranscript(request), never)) events.push(event);
        return events;
      }

      test('is new enough', async () => {
        const clis = installed();
        const fault = await waitUntil('its version', async () => {
          const { [provider]: said = '' } = await clis.lacking();
          return said.endsWith('is being looked at') ? undefined : { said };
        });
        expect(fault).toEqual({ said: '' });
      });

      test('answers through the hosts of its vendor, with its text, its usage and its end', async () => {
        const events = await ask(200);
        const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
        expect(said).toBe('Hello there');
        expect(events.at(-2)).toMatchObject({ type: 'usage', usage: { estimated: false } });
        expect(events.at(-1)).toEqual({ type: 'end', reason: 'done' });
      });

      test('reports that its credentials were refused, and that it was called too often', async () => {
        await expect(ask(401)).rejects.toMatchObject({ kind: 'credentials' });
        await expect(ask(429)).rejects.toMatchObject({ kind: 'busy' });
      });

      // Else the account would be disabled, and its person be told to sign in again.
      test('does not take a vendor that cannot be reached for one that refuses its credentials', async () => {
        isAway = true;
        for (const used of [program, own])
          await expect(ask(200, { used, limits: SHORT })).rejects.toMatchObject({
            kind: expect.stringMatching(/^(?:outage|timeout)$/),
          });
      });

      test('says where a person signs in, and not what it could not reach', async () => {
        const addresses = [];
        for (const start of own.login.starts) addresses.push(await addressOf(start));
        const given = addresses.filter((address) => address !== undefined);
        expect(given).toHaveLength(1);
        expect(given[0]).toMatch(/\/oauth\/authorize\?|\/o\/oauth2\/v2\/auth\?/);
      });

      async function addressOf(start: CliStart): Promise<string | undefined> {
        const given = Object.entries(start.files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
        const { args, environment, isTerminal, userCode } = start;
        const watched = own.credentialFiles;
        const call = { args, environment, isTerminal, files: Object.fromEntries(given), watched, isInteractive: true };
        const run = await installed().start(provider, { orgId: 'org', call, signal: never });
        const said = new SaidByProgram();
        try {
          for await (const event of run.events()) {
            if ('said' in event) said.add(event.said);
            const address = said.addressAt(own.login.pages);
            const isWhole = userCode === undefined || userCode.test(said.text);
            if (address !== undefined && isWhole) return address;
          }
          return undefined;
        } finally {
          run.kill();
          await run.ended;
        }
      }
    });
  });
});
