import type { WireFormatName } from '../../builtin/index.ts';
import type { RequestStream } from '../core/network/guarded-fetch.ts';
import { anthropic } from './anthropic.ts';
import { createBedrock } from './bedrock.ts';
import { cliAdapter, type CliDeps } from './cli/cli-adapter.ts';
import { CLI_PROVIDERS } from '../../domain/providers/credential-forms.ts';
import type { CallLimits } from './transport/call-limits.ts';
import { httpAdapter } from './transport/http-adapter.ts';
import type { ChosenModel } from './model-of-account.ts';
import { demo } from './demo.ts';
import { gemini } from './gemini.ts';
import type { ModelAdapter } from './model-adapter.ts';
import { openaiCompat } from './openai-compat/openai-compat.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import { type AccountSignIn, withSignIn } from './sign-in.ts';

/** Finds the adapter of a wire format; throws `ProviderFailure` for an unsupported one. */
export type FindAdapter = (chosen: ChosenModel) => ModelAdapter;

/** The dependencies of accounts apart from requests. */
interface AdapterDeps {
  readonly signIns: AccountSignIn;
  /** Runs command-line programs of vendors; none unless given. */
  readonly cli?: CliDeps | undefined;
}

/**
 * Makes the adapters of all supported wire formats, keyed by the catalog's `stream_type`; those of command-line
 * programs only with `cli`.
 */
export function createAdapters(
  requestStream: RequestStream,
  limits: CallLimits,
  { signIns, cli }: AdapterDeps,
): FindAdapter {
  const spoken: Readonly<Record<WireFormatName, ModelAdapter>> = {
    anthropic: httpAdapter(anthropic, requestStream, limits),
    bedrock: httpAdapter(createBedrock(), requestStream, limits),
    demo,
    gemini: httpAdapter(gemini, requestStream, limits),
    openai_compat: withSignIn(httpAdapter(openaiCompat, requestStream, limits), signIns),
  };
  const ofClis = CLI_PROVIDERS.flatMap((each) =>
    cli === undefined ? [] : [[each, cliAdapter(each, cli, limits)] as const],
  );
  const adapters: ReadonlyMap<string, ModelAdapter> = new Map([...Object.entries(spoken), ...ofClis]);
  return ({ streamType, account }) => {
    const adapter = adapters.get(streamType);
    if (adapter === undefined)
      throw new ProviderFailure(`${account.name} speaks "${streamType}", which is not supported yet`);
    return adapter;
  };
}
