import { types } from 'node:util';
import { APIConnectionError, APIError } from 'openai';
import { BlockedAddressError } from '../core/guarded-fetch.ts';
import type { ModelRequest } from './model-adapter.ts';
import { ProviderFailure, scrub } from './provider-failure.ts';

type FailedRequest = Pick<ModelRequest, 'account' | 'model'>;

/** What went wrong with a call, as the rest of a sentence that begins with the account's name; without any secret. */
export function describeFailure(error: unknown, request: FailedRequest): string {
  for (const cause of causesOf(error)) {
    if (cause instanceof ProviderFailure) return cause.message;
    if (cause instanceof BlockedAddressError) return `cannot be called: ${cause.message}`;
  }
  if (error instanceof APIConnectionError) return `could not be reached: ${describeNetwork(error, request)}`;
  if (error instanceof APIError) return describeStatus(error, request);
  // The client stumbles over chunks that hold something else than they are meant to.
  const isNonsense = error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined);
  return isNonsense
    ? 'sent something that is not a streamed chat completion'
    : 'closed the connection before its answer was complete';
}

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; types.isNativeError(cause); cause = cause.cause) yield cause;
}

// Codes of Node (errno, dns) and undici.
const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address (connection refused)',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  UND_ERR_SOCKET: 'it broke the connection off',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  ETIMEDOUT: 'connecting took too long',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
};
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|^ERR_TLS/;

function describeNetwork(error: Error, { account }: FailedRequest): string {
  let message = 'the cause is not known';
  for (const cause of causesOf(error)) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const known = NETWORK_FAULTS[code];
    if (known !== undefined) return known;
    if (CERTIFICATE_FAULT.test(code)) return `its certificate is not valid (${code})`;
    message = cause.message || message;
  }
  return scrub(message, account.apiKey);
}

const TOO_LONG =
  /context.{0,20}(length|window|limit|size)|prompt is too long|too many (input )?tokens|maximum.{0,30}tokens/i;
const NO_CREDIT = /insufficient_(quota|balance|funds)|billing/i;

function describeStatus(error: APIError, { account, model }: FailedRequest): string {
  const { status } = error;
  const detail = detailOf(error, account.apiKey);
  if (isTooLong(error)) {
    return `cannot take the conversation, it is too long for the model "${model}" (${detail}). Start a new chat, or exclude long messages from this one`;
  }
  if (status === undefined) return `reported an error in its answer: ${detail}`;
  if (status === 402 || NO_CREDIT.test(String(error.code))) {
    return `has no credit left for this account (${detail}). Add credit at the provider, then send the message again`;
  }
  switch (status) {
    case 401:
      return `refused the credentials (${detail}). Check the account's API key`;
    case 403:
      return `refused access (${detail}). Check what the account's API key may use`;
    case 404:
      return `does not have the model "${model}", or not at this address (${detail}). Check the model's name and the account's base_url`;
    case 429:
      return `limits how much this account may ask (${detail}). Try again later`;
    default:
      return status >= 500 ? `failed (${detail}). Try again later` : `refused the request (${detail})`;
  }
}

function isTooLong({ status, code, message }: APIError): boolean {
  if (code === 'context_length_exceeded' || status === 413) return true;
  return (status === undefined || status === 400 || status === 422) && TOO_LONG.test(message);
}

// The client puts the status before what the provider said.
function detailOf({ status, message }: APIError, secret: string | undefined): string {
  const said = scrub(message.replace(/^\d{3} /, ''), secret).replace(/\.+$/, '');
  if (status === undefined) return said;
  if (/^<(!doctype|html|head|body|\?xml)/i.test(said)) return `HTTP ${status} with a web page`;
  return said === 'status code (no body)' ? `HTTP ${status}` : `HTTP ${status}: ${said}`;
}
