import { types } from 'node:util';
import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { UnreadableSecret } from '../../../db/core/secret-box.ts';
import { cut, toStorableText } from '../../../domain/core/text.ts';
import { BlockedAddressError } from '../../core/network/guarded-connect.ts';
import { networkErrorOf } from '../../core/network/guarded-http.ts';
import { type FailureOptions, McpFailure, type McpFailureKind } from '../mcp-failure.ts';

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;
const MAX_QUOTED_CHARACTERS = 500;
const KEY_LOST =
  'The stored credentials of this MCP server cannot be decrypted with the keys that the platform has: its administrators can enter them again';

/**
 * Returns the failure that an error of the SDK, of the network or of this process means; any other becomes `otherwise`.
 */
export function mcpFailureOf(
  error: unknown,
  otherwise = 'The server sent what is not a message of the protocol',
): McpFailure {
  for (const each of causesOf(error)) {
    const failure = each instanceof McpFailure ? each : readFailure(each);
    if (failure !== undefined) return failure;
  }
  return new McpFailure('upstream', otherwise, { cause: error, mayHaveRun: true });
}

/** Returns an error and its causes, outermost first. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; types.isNativeError(each) && causes.length < 10; each = each.cause) causes.push(each);
  // The innermost cause says most: the SDK wraps the network's error.
  return causes.toReversed();
}

function readFailure(error: Error): McpFailure | undefined {
  if (error instanceof BlockedAddressError) return new McpFailure('denied', error.message);
  if (error instanceof UnreadableSecret) return new McpFailure('denied', KEY_LOST, { cause: error });
  const status = statusOf(error);
  if (status !== undefined) return failureOfStatus(status, error);
  if (error instanceof UnauthorizedError) return rejected(error);
  if (error instanceof OAuthError || error instanceof OAuthClientFlowError)
    return new McpFailure('denied', 'The sign-in at the authorization server of this server failed', { cause: error });
  if (error instanceof ProtocolError) return failureOfAnswer(error);
  if (error instanceof SdkError) return failureOfSdk(error);
  const network = networkErrorOf(error);
  if (network === undefined) return undefined;
  const message = `The server could not be reached: ${network.words}`;
  const kind = network.isTimeout ? 'timeout' : 'upstream';
  return new McpFailure(kind, message, { cause: error, mayHaveRun: !network.isUnsent });
}

function statusOf(error: Error): number | undefined {
  const status: unknown = Reflect.get(error, 'status');
  if (typeof status === 'number' && status >= 300) return status;
  // The code of the older transport.
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'number' && code >= 300 && code < 600) return code;
  const said = /\(HTTP (\d{3})\)/.exec(error.message)?.[1];
  return said === undefined ? undefined : Number(said);
}

function failureOfStatus(status: number, cause: Error): McpFailure {
  if (status === 401 || status === 403) return rejected(cause, status);
  if (status === 429) return new McpFailure('rate_limited', 'The server asks for fewer requests (HTTP 429)', { cause });
  if (status < 400)
    return new McpFailure('denied', `The server redirects elsewhere (HTTP ${status}), which is not followed`, {
      cause,
    });
  const message = `The server answered with HTTP ${status}`;
  // A server that has forgotten its sessions should say 404; many say 400.
  const isSessionLost = status === 400 || status === 404;
  return new McpFailure('upstream', message, {
    cause,
    mayHaveRun: status >= 500,
    isSessionLost,
    isOtherTransport: status < 500,
  });
}

function rejected(cause: Error, status?: number): McpFailure {
  const said = status === undefined ? '' : ` (HTTP ${status})`;
  return new McpFailure('denied', `The server rejects the credentials that are stored for it, or needs some${said}`, {
    cause,
  });
}

function failureOfAnswer(error: ProtocolError): McpFailure {
  const quoted = cut(toStorableText(error.message), MAX_QUOTED_CHARACTERS);
  const kind =
    error.code === INVALID_PARAMS ? 'invalid_input' : error.code === METHOD_NOT_FOUND ? 'not_found' : 'upstream';
  return new McpFailure(kind, `The server answered with an error: ${quoted}`, { cause: error, isForeign: true });
}

function failureOfSdk(error: SdkError): McpFailure | undefined {
  const text = FAILURE_TEXTS.get(error.code);
  return text && new McpFailure(text.kind, text.words, { cause: error, mayHaveRun: true, ...text.options });
}

/** How an error of the SDK is reported. */
interface FailureText {
  readonly kind: McpFailureKind;
  readonly words: string;
  readonly options?: FailureOptions;
}

const CLOSED: FailureText = { kind: 'upstream', words: 'The connection to the server was closed' };
const NO_INPUT: FailureText = {
  kind: 'denied',
  words: 'The server asks for input from a person, which is not given here',
};

const FAILURE_TEXTS: ReadonlyMap<SdkErrorCode, FailureText> = new Map<SdkErrorCode, FailureText>([
  [SdkErrorCode.RequestTimeout, { kind: 'timeout', words: 'The server gave no answer in time' }],
  [SdkErrorCode.ConnectionClosed, CLOSED],
  [SdkErrorCode.NotConnected, CLOSED],
  [SdkErrorCode.UnsupportedResultType, NO_INPUT],
  [SdkErrorCode.InputRequiredRoundsExceeded, NO_INPUT],
  [
    SdkErrorCode.ClientHttpUnexpectedContent,
    {
      kind: 'upstream',
      words: 'The server answered with something else than a message of the protocol',
      options: { isOtherTransport: true },
    },
  ],
]);
