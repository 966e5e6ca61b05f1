import { asCount, asObject, asText } from '../../transport/json.ts';
import type { EndReason } from '../../model-adapter.ts';
import type { TokenUsage } from '../../../../domain/turns.ts';
import { toEnding } from '../../failures/reply-ending.ts';
import { cliError, type CliProgram, type CliReader } from './cli-program.ts';
import { HOME } from '../../../sandbox/cli/given-cli.ts';

const SYSTEM_PROMPT = 'system-prompt.md';

/** Nothing but the call itself, which the service repeats where that is worth it. */
const ENVIRONMENT = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  CLAUDE_CODE_MAX_RETRIES: '0',
  DISABLE_AUTOUPDATER: '1',
};

/** Events as they come, and none of its own tools, settings and memories. */
const OPTIONS = [
  '-p',
  '--output-format',
  'stream-json',
  '--verbose',
  '--include-partial-messages',
  '--tools',
  '',
  '--setting-sources',
  '',
  '--strict-mcp-config',
  '--no-session-persistence',
];

/** Anthropic's Claude Code. */
export const claudeCode: CliProgram = {
  provider: 'claude-code',
  name: 'Claude Code',
  file: 'claude',
  minVersion: [2, 1],
  hosts: ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai', 'claude.com'],
  credentialFiles: ['.claude/.credentials.json'],
  isWhole: false,
  login: {
    starts: [
      { args: ['auth', 'login', '--claudeai'], environment: { ...ENVIRONMENT, BROWSER: '/bin/true' }, files: {} },
    ],
    pages: ['claude.ai', 'claude.com', 'platform.claude.com', 'console.anthropic.com'],
    takes: 'code#state',
  },
  toStart: ({ model, systemPrompt, maxTokens }) => ({
    args: [...OPTIONS, '--system-prompt-file', `${HOME}/${SYSTEM_PROMPT}`, '--model', model],
    environment: { ...ENVIRONMENT, CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens) },
    files: { [SYSTEM_PROMPT]: systemPrompt },
  }),
  createReader: () => new ClaudeReader(),
  statusOfEnd: () => undefined,
};

/** Reads the events of the program, which wrap those of the Messages API. */
class ClaudeReader implements CliReader {
  reason: EndReason | undefined;
  usage: TokenUsage | undefined;

  read(line: unknown): string {
    const { type, event, parent_tool_use_id: parent } = asObject(line);
    if (type === 'stream_event' && parent == null) return this.#readEvent(asObject(event));
    if (type === 'result') this.#readResult(asObject(line));
    return '';
  }

  #readEvent({ type, message, delta, usage }: AnyObject): string {
    if (type === 'message_start') this.#count(asObject(asObject(message)['usage']));
    if (type === 'message_delta') {
      this.#count(asObject(usage));
      // The program would ask the model to continue, again and again.
      if (asObject(delta)['stop_reason'] === 'max_tokens') this.reason = 'length';
    }
    if (type !== 'content_block_delta' || asObject(delta)['type'] !== 'text_delta') return '';
    return asText(asObject(delta)['text']);
  }

  #readResult({ is_error: isError, api_error_status: status, result, stop_reason: stop, usage }: AnyObject): void {
    if (isError === true) throw cliError(asText(result), asCount(status));
    this.#count(asObject(usage));
    this.reason = toEnding(stop)?.reason ?? 'done';
  }

  // The input is counted at the start, the output at the end. Zeros at the end do not replace what was counted.
  #count(usage: AnyObject): void {
    const [fresh, written, read] = [
      asCount(usage['input_tokens']),
      asCount(usage['cache_creation_input_tokens']) ?? 0,
      asCount(usage['cache_read_input_tokens']) ?? 0,
    ];
    const outputTokens = Math.max(asCount(usage['output_tokens']) ?? 0, this.usage?.outputTokens ?? 0);
    const inputTokens = (fresh ?? 0) + written + read;
    if (fresh !== undefined && (inputTokens > 0 || this.usage === undefined)) {
      this.usage = { inputTokens, outputTokens, estimated: false, cachedInputTokens: read, cacheWriteTokens: written };
    } else if (this.usage !== undefined) this.usage = { ...this.usage, outputTokens };
  }
}

type AnyObject = Readonly<Record<string, unknown>>;
