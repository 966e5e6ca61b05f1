import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CliProvider } from '../../../domain/providers/index.ts';
import { startVendorServer, type VendorServer } from '../../../test/support/cli/vendor-server.ts';
import { OWN_PAYERS } from '../../../test/support/own-payer.ts';
import { describeSandboxed, openTestSandbox, type TestSandbox } from '../../../test/support/test-sandbox.ts';
import { type ModelEvent, withTranscript } from '../model-adapter.ts';
import { cliAdapter } from './cli-adapter.ts';
import { CLI_PROGRAMS, InstalledClis } from './installed-clis.ts';
import type { CliProgram } from './programs/cli-program.ts';
import type { SignedInAccount } from './signed-in-accounts.ts';

const MB = 1024 * 1024;
const LIMITS = { firstByteMs: 100_000, idleMs: 100_000, totalMs: 110_000 };
const never = new AbortController().signal;
const SECRET = 'a-very-secret-token-of-a-person';
const VARIABLES = { 'claude-code': 'CLAUDE_CODE_BIN', codex: 'CODEX_BIN', 'gemini-cli': 'GEMINI_CLI_BIN' } as const;

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
    '.gemini/settings.json': { security: { auth: { selectedType: 'gemini-api-key' } }, tools: { core: [] } },
  },
};

/** Describes what needs a vendor's own program; it is skipped, and says why, where none is named. */
function describeReal(provider: CliProvider, tests: (path: string) => void): void {
  const path = env[VARIABLES[provider]];
  if (path !== undefined) describe(`the real ${provider}`, () => tests(path));
  // oxlint-disable-next-line jest/no-disabled-tests
  else describe.skip(`the real ${provider} (skipped: ${VARIABLES[provider]} names no program)`, () => tests(''));
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

  describe.each(Object.keys(VARIABLES) as CliProvider[])('%s', (provider) => {
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
      const files = Object.fromEntries(
        Object.entries(SIGN_INS[provider]).map(([name, value]) => [
          name,
          Buffer.from(JSON.stringify(value)).toString('base64'),
        ]),
      );
      const account = {
        orgId: 'org',
        files,
        keep: async () => undefined,
        release: async () => undefined,
      } as unknown as SignedInAccount;

      async function ask(status: number): Promise<ModelEvent[]> {
        vendor.status = status;
        const clis = new InstalledClis({
          offered: [provider],
          paths: { [provider]: path },
          payers: OWN_PAYERS,
          sandbox: sandbox.sandbox,
          connect: async () => vendor.connect(),
          programs: { ...CLI_PROGRAMS, [provider]: program },
        });
        const accounts = { take: async () => account };
        const adapter = cliAdapter(provider, { clis, accounts }, LIMITS);
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

      test('answers through the hosts of its vendor, with its text, its usage and its end', async () => {
        const events = await ask(200);
        const said = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
        expect(said).toBe('Hello there');
        expect(events.at(-2)).toMatchObject({ type: 'usage', usage: { estimated: false } });
        expect(events.at(-1)).toEqual({ type: 'end', reason: 'done' });
        process.stdout.write(`${provider}: ${JSON.stringify([...new Set(vendor.asked.splice(0))])}\n`);
      });

      test('tells that its credentials were refused', async () => {
        await expect(ask(401)).rejects.toMatchObject({ kind: 'credentials' });
      });
    });
  });
});
