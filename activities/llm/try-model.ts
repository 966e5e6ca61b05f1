import type { OpenAI } from 'openai';
import type { GuardedFetch } from '../core/network/guarded-fetch.ts';
import type { FindAdapter } from './adapters.ts';
import { toProviderFailure } from './failures/describe-failure.ts';
import { ProviderFailure, scrub } from './failures/provider-failure.ts';
import type { AccountSignIn } from './sign-in.ts';
import { type ModelRequest, secretsOf, withTranscript } from './model-adapter.ts';
import { ReportedError } from './failures/reported-error.ts';
import type { ChosenModel } from './model-of-account.ts';
import { KnownQuirks } from './model-quirks.ts';
import { splitCompletion, toCompletion } from './openai-compat/completion-request.ts';
import { causeOfClientError, createOpenAiClient, listModels } from './openai-compat/openai-client.ts';
import { misdirected, StreamedAnswer } from './transport/expect-answer.ts';

const MAX_TOKENS = 16;
const MAX_LISTED = 10;

/** Makes one small call with an account and returns how many milliseconds it took. Throws `ProviderFailure`. */
export type TryModel = (chosen: ChosenModel, stop: AbortSignal) => Promise<number>;

/**
 * Tests accounts that speak OpenAI's format through OpenAI's own library, and all others in the way turns call them.
 */
export function createTryModel(fetch: GuardedFetch, findAdapter: FindAdapter, signIns: AccountSignIn): TryModel {
  const quirks = new KnownQuirks();
  return async (chosen, stop) => {
    const request = toRequest(chosen);
    const stream = async () => timed(async () => firstWord(findAdapter(chosen)(withTranscript(request), stop)));
    if (chosen.streamType !== 'openai_compat') return stream();
    let client: OpenAI | undefined;
    try {
      return await signIns.using(request.account, stop, async (signedIn) => {
        const made = await createOpenAiClient(fetch, signedIn);
        client = made;
        return timed(async () => complete(made, request, { quirks, stop }));
      });
    } catch (error) {
      if (stop.aborted) throw error;
      // A server that always streams is fine for turns.
      if (error instanceof StreamedAnswer) return stream();
      throw await explain(error, client, request, stop);
    }
  };
}

function toRequest({ account, model }: ChosenModel): ModelRequest {
  const messages = [{ role: 'user' as const, content: 'Answer with the single word: ready' }];
  return { account, model, messages, tools: [], temperature: 0, maxTokens: MAX_TOKENS };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round(performance.now() - startedAt);
}

async function firstWord(events: ReturnType<ReturnType<FindAdapter>>): Promise<void> {
  for await (const event of events) if (event.type !== 'usage') return;
}

async function complete(
  client: OpenAI,
  request: ModelRequest,
  { quirks, stop }: { readonly quirks: KnownQuirks; readonly stop: AbortSignal },
): Promise<void> {
  await quirks.adapt({ ...request, hasState: () => false }, async (known) => {
    const completion: unknown = await client.chat.completions
      .create(toCompletion(request, known), { signal: stop })
      .catch((error: unknown) => {
        throw causeOfClientError(error);
      });
    if (splitCompletion(completion) === undefined) throw misdirected('responded with JSON that is no chat completion');
  });
}

/** Explains a failure; for an unknown model it also names the known ones. */
async function explain(
  thrown: unknown,
  client: OpenAI | undefined,
  request: ModelRequest,
  stop: AbortSignal,
): Promise<ProviderFailure> {
  const failure = toProviderFailure(thrown, request, stop.reason);
  if (client === undefined || !(thrown instanceof ReportedError) || thrown.status !== 404) return failure;
  const listed = await listModels(client, stop).catch(() => []);
  if (listed.length === 0) return failure;
  const names = listed.slice(0, MAX_LISTED).join(', ');
  const others = listed.length > MAX_LISTED ? ` and ${listed.length - MAX_LISTED} more` : '';
  const words = `${failure.message}. It lists ${scrub(names, ...secretsOf(request.account))}${others}`;
  return new ProviderFailure(words, { kind: failure.kind, cause: thrown });
}
