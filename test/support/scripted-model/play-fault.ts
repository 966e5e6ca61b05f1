import type { Fault } from './behaviour.ts';
import type { JournalEntry } from './journal.ts';
import type { Outlet } from './outlet.ts';
import { errorBody } from './wire.ts';

const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' };

const htmlPage =
  '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n';

const nonsense = [
  'data: {"id": "chatcmpl-broken", "choices": [{"delta": {"cont\n\n',
  'data: undefined\n\n',
  'event: \u0000\u0001\u0002\n\n',
  'data\n\n',
  'lorem ipsum dolor sit amet\n',
  '}}}]]\n\n',
  'data: 42\n\n',
].join('');

/** Plays a fault: a response that is no completion. */
export async function playFault(fault: Fault, request: JournalEntry, outlet: Outlet): Promise<void> {
  switch (fault.kind) {
    case 'status': {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      outlet.head(fault.status, {
        'content-type': 'application/json',
        'x-request-id': `req_${request.id}`,
        ...headers,
      });
      outlet.end(statusBody(fault, request));
      return;
    }
    case 'silent':
      await outlet.hang();
      return;
    case 'stall':
      outlet.head(200, eventStream);
      outlet.flushHead();
      await outlet.hang();
      return;
    case 'reset':
      outlet.reset();
      return;
    case 'html':
      outlet.head(200, { 'content-type': 'text/html; charset=utf-8' });
      outlet.end(htmlPage);
      return;
    case 'nonsense':
      outlet.head(200, eventStream);
      outlet.end(nonsense);
      return;
    case 'redirect':
      outlet.head(307, { location: fault.url });
      outlet.end();
      return;
  }
}

const messages: ReadonlyMap<number, readonly [message: string, type: string, code: string | null]> = new Map([
  [400, ["This model's maximum context length is 8192 tokens.", 'invalid_request_error', 'context_length_exceeded']],
  [402, ['Insufficient balance.', 'invalid_request_error', 'insufficient_balance']],
  [403, ['You are not allowed to use this model.', 'invalid_request_error', null]],
  [404, ['The model does not exist or you do not have access to it.', 'invalid_request_error', 'model_not_found']],
  [429, ['Rate limit reached for requests.', 'requests', 'rate_limit_exceeded']],
  [503, ['The engine is currently overloaded, please try again later.', 'server_error', null]],
  [529, ['Overloaded.', 'overloaded_error', null]],
]);

function statusBody(fault: Extract<Fault, { kind: 'status' }>, request: JournalEntry): string {
  const [message, type, code] = messages.get(fault.status) ?? [
    'The server had an error while processing your request.',
    'server_error',
    null,
  ];
  if (fault.message !== undefined) return errorBody(fault.message, type, fault.code ?? code);
  if (fault.status !== 401) return errorBody(message, type, fault.code ?? code);
  // Real providers repeat the key in this message, some of them in full. Here always in full: nothing of it may reach a
  // user.
  const key = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  return errorBody(`Incorrect API key provided: ${key}.`, 'invalid_request_error', fault.code ?? 'invalid_api_key');
}
