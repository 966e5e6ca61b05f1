import type { CliProvider } from '../../../domain/providers/credential-forms.ts';
import type { ModelMessage } from '../../../domain/transcripts/model-message.ts';
import type { HomeFiles } from '../../sandbox/cli/given-cli.ts';
import { toProviderFailure } from '../failures/describe-failure.ts';
import type { ModelAdapter, ModelEvent, RenderedTranscript, UnrenderedRequest } from '../model-adapter.ts';
import { CallDeadline, type CallLimits } from '../transport/call-limits.ts';
import { CliReply } from './cli-reply.ts';
import type { CliCall, InstalledClis } from './installed-clis.ts';
import type { CliProgram } from './programs/cli-program.ts';
import type { SignedInAccount, SignedInAccounts } from './signed-in-accounts.ts';

/** The dependencies of models that answer through a command-line program. */
export interface CliDeps {
  readonly clis: InstalledClis;
  readonly accounts: Pick<SignedInAccounts, 'take'>;
}

/** Makes the adapter of a provider that answers through its vendor's program: one run of it is one call. */
export function cliAdapter(provider: CliProvider, deps: CliDeps, limits: CallLimits): ModelAdapter {
  return async function* stream(request, stop) {
    try {
      const account = await deps.accounts.take(request.account, stop);
      try {
        yield* runProgram(deps.clis, provider, { request, account, limits, stop });
      } finally {
        await account.release();
      }
    } catch (error) {
      if (stop.aborted) throw error;
      throw toProviderFailure(error, { ...request, tools: [] }, undefined);
    }
  };
}

interface ModelCall {
  readonly request: UnrenderedRequest;
  readonly account: SignedInAccount;
  readonly limits: CallLimits;
  readonly stop: AbortSignal;
}

/** Runs the program once. When it is left, nothing of the program is. */
async function* runProgram(
  clis: InstalledClis,
  provider: CliProvider,
  { request, account, limits, stop }: ModelCall,
): AsyncGenerator<ModelEvent> {
  const program = clis.programOf(provider);
  const { orgId } = account;
  const call = await request.transcript.read(
    (transcript) => callOf(program, request, transcript, account.files),
    sizeOf,
  );
  const reply = new CliReply(program, account.files);
  const onUnreachable = (host: string) => reply.noteUnreachable(host);
  const run = await clis.start(provider, { orgId, call, signal: stop, onUnreachable });
  // An answer that does not stream comes after a long silence.
  const deadline = new CallDeadline(program.isWhole ? { ...limits, idleMs: limits.totalMs } : limits, stop);
  deadline.signal.addEventListener('abort', () => run.kill(), { once: true });
  try {
    for await (const event of run.events()) {
      if ('files' in event) await account.keep(event.files);
      else if ('ended' in event) reply.exitCode = event.ended;
      else if ('line' in event) {
        deadline.sawBytes();
        yield* reply.read(event.line);
      }
      if (reply.isCut) break;
    }
    deadline.signal.throwIfAborted();
    yield* reply.end(run.lastWords);
  } catch (error) {
    throw reply.explain(deadline.signal.aborted ? deadline.signal.reason : error);
  } finally {
    deadline.close();
    run.kill();
    await run.ended;
  }
}

// Two bytes a character: it is a text in the heap.
function sizeOf({ input }: CliCall): number {
  return 2 * (input?.length ?? 0);
}

function callOf(
  program: CliProgram,
  { model, maxTokens }: UnrenderedRequest,
  { messages }: RenderedTranscript,
  credentials: HomeFiles,
): CliCall {
  const { prompt, systemPrompt } = transcriptText(messages);
  const { args, environment, files } = program.toStart({ model, maxTokens, systemPrompt });
  const own = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]);
  return {
    args,
    environment,
    files: { ...Object.fromEntries(own), ...credentials },
    watched: program.credentialFiles,
    input: withoutFileNames(prompt),
    isInteractive: false,
  };
}

/** A transcript for a program that takes one text. */
interface TranscriptText {
  readonly systemPrompt: string;
  readonly prompt: string;
}

const GO_ON = `Below is a conversation so far, oldest message first. Write the assistant's next message, and nothing but
its text.`;

/** Returns a transcript as two texts: the model's instructions, and the conversation. */
export function transcriptText(messages: readonly ModelMessage[]): TranscriptText {
  const said = messages.filter(({ role }) => role !== 'system');
  const systemPrompt = messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
  const [only] = said;
  if (said.length === 1 && only?.role === 'user') return { systemPrompt, prompt: only.content };
  return { systemPrompt, prompt: [GO_ON, ...said.map(elementOf)].join('\n\n') };
}

/**
 * Returns a text in which no `@` names a file: these programs read every file that a text names so, even their
 * credentials. An invisible character follows each.
 */
export function withoutFileNames(text: string): string {
  return text.replaceAll(/@(?=\S)/g, '@\u2060');
}

function elementOf(message: ModelMessage): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  const called = calls.map(({ name, arguments: args }) => `[called ${name} with ${JSON.stringify(args)}]`);
  const by = message.role === 'tool' ? `tool" name="${message.name}` : message.role;
  const text = [message.content, ...called].filter((part) => part !== '').join('\n');
  // A text must not appear to end, followed by another.
  return `<message role="${by}">\n${text.replaceAll('</message', '<\\/message')}\n</message>`;
}
