import { asObject, asText } from '../../transport/json.ts';
import type { EndReason } from '../../model-adapter.ts';
import type { TokenUsage } from '../../../../domain/turns.ts';
import { HOME } from '../../../sandbox/cli/given-cli.ts';
import { cliError, type CliProgram, type CliReader, countedUsage } from './cli-program.ts';

const SYSTEM_PROMPT = 'system-prompt.md';
const EXIT_NOT_SIGNED_IN = 41;
const ENVIRONMENT = { GEMINI_CLI_NO_RELAUNCH: 'true', NO_BROWSER: 'true' };

/** The sign-in with a Google account, none of its own tools, one attempt, and no telemetry. */
const SETTINGS = JSON.stringify({
  security: { auth: { selectedType: 'oauth-personal' } },
  tools: { core: [] },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 1 },
});
const FILES = { '.gemini/settings.json': SETTINGS };

/** Google's Gemini CLI. */
export const geminiCli: CliProgram = {
  provider: 'gemini-cli',
  name: 'Gemini CLI',
  file: 'gemini',
  minVersion: [0, 61],
  hosts: ['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'accounts.google.com', 'www.googleapis.com'],
  credentialFiles: ['.gemini/oauth_creds.json'],
  isWhole: false,
  login: {
    // It asks for a code in a terminal only.
    starts: [{ args: ['--skip-trust'], environment: ENVIRONMENT, files: FILES, isTerminal: true }],
    pages: ['accounts.google.com'],
    takes: 'code',
  },
  toStart: ({ model, systemPrompt }) => ({
    args: ['-p', '', '--output-format', 'stream-json', '-m', model, '--skip-trust'],
    environment: { ...ENVIRONMENT, GEMINI_SYSTEM_MD: `${HOME}/${SYSTEM_PROMPT}` },
    files: { ...FILES, [SYSTEM_PROMPT]: systemPrompt },
  }),
  createReader: () => new GeminiReader(),
  statusOfEnd: (exitCode) => (exitCode === EXIT_NOT_SIGNED_IN ? 401 : undefined),
};

/** Reads the events of the program. */
class GeminiReader implements CliReader {
  reason: EndReason | undefined;
  usage: TokenUsage | undefined;

  read(line: unknown): string {
    const { type, role, content, status, error, stats } = asObject(line);
    if (type === 'result') this.#end(status, asObject(error), asObject(stats));
    return type === 'message' && role === 'assistant' ? asText(content) : '';
  }

  #end(status: unknown, error: AnyObject, stats: AnyObject): void {
    if (status === 'error') throw cliError(asText(error['message']));
    this.reason = 'done';
    this.usage = countedUsage(stats, { cached: 'cached' });
  }
}

type AnyObject = Readonly<Record<string, unknown>>;
