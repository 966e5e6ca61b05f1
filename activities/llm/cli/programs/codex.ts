import { asObject, asText } from '../../transport/json.ts';
import type { EndReason } from '../../model-adapter.ts';
import type { TokenUsage } from '../../../../domain/turns.ts';
import { HOME } from '../../../sandbox/cli/given-cli.ts';
import { cliError, type CliProgram, type CliReader, countedUsage } from './cli-program.ts';

const CODEX_HOME = `${HOME}/.codex`;
const SYSTEM_PROMPT = 'system-prompt.md';
const ENVIRONMENT = { CODEX_HOME, BROWSER: '/bin/true' };
/** It does not make its folder. */
const FILES = { '.codex/config.toml': '' };

/** Its own tools and what it adds to a prompt. Names that a version does not know are ignored by it. */
const FEATURES =
  'shell_tool unified_exec apps plugins remote_plugin image_generation browser_use computer_use multi_agent tool_suggest sleep_tool goals skill_search in_app_browser hooks';
const SETTINGS = [
  ...FEATURES.split(' ').map((feature) => `features.${feature}=false`),
  'web_search="disabled"',
  'analytics.enabled=false',
  'check_for_update_on_startup=false',
  'include_environment_context=false',
  'include_permissions_instructions=false',
  'include_apps_instructions=false',
  'skills.include_instructions=false',
  'skills.bundled.enabled=false',
];

/** OpenAI's Codex. */
export const codex: CliProgram = {
  provider: 'codex',
  name: 'Codex',
  file: 'codex',
  minVersion: [0, 169],
  hosts: ['chatgpt.com', 'auth.openai.com', 'api.openai.com'],
  credentialFiles: ['.codex/auth.json'],
  isWhole: true,
  login: {
    starts: [
      {
        args: ['login', '--device-auth'],
        environment: ENVIRONMENT,
        files: FILES,
        userCode: /^\s*(?<code>[A-Z0-9]{4,5}-[A-Z0-9]{4,5})\s*$/m,
      },
      { args: ['login'], environment: ENVIRONMENT, files: FILES },
    ],
    pages: ['auth.openai.com', 'chatgpt.com'],
    takes: 'callback',
  },
  toStart: ({ model, systemPrompt }) => ({
    args: [
      ...'exec --json --ephemeral --skip-git-repo-check -s read-only -m'.split(' '),
      model,
      ...[...SETTINGS, `model_instructions_file="${HOME}/${SYSTEM_PROMPT}"`].flatMap((setting) => ['-c', setting]),
      '-',
    ],
    environment: ENVIRONMENT,
    files: { ...FILES, [SYSTEM_PROMPT]: systemPrompt },
  }),
  createReader: () => new CodexReader(),
  statusOfEnd: () => undefined,
};

/** Reads the events of the program, which reports whole items. */
class CodexReader implements CliReader {
  reason: EndReason | undefined;
  usage: TokenUsage | undefined;
  #hasText = false;

  read(line: unknown): string {
    const { type, item, usage, error } = asObject(line);
    if (type === 'turn.failed') throw cliError(asText(asObject(error)['message']));
    if (type === 'turn.completed') this.#complete(asObject(usage));
    const { type: itemType, text } = asObject(item);
    if (type !== 'item.completed' || itemType !== 'agent_message') return '';
    const gap = this.#hasText ? '\n\n' : '';
    this.#hasText = true;
    return gap + asText(text);
  }

  #complete(usage: Readonly<Record<string, unknown>>): void {
    this.reason = 'done';
    this.usage = countedUsage(usage, { cached: 'cached_input_tokens', reasoning: 'reasoning_output_tokens' });
  }
}
