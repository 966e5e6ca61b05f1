import { describe, expect, test } from '@jest/globals';
import { serveTestApi } from '../support/serve-test-api.ts';

const CONSOLE = 'https://console.example.com';
const ELSEWHERE = 'https://elsewhere.example.com';
const open = serveTestApi({ corsOrigins: CONSOLE });
const closed = serveTestApi();

/** What a browser is told of a request from a page. */
async function preflight(url: string, method: string, origin: string) {
  const headers = { origin, 'access-control-request-method': 'PATCH' };
  const answer = await fetch(`${url}/api/agents`, { method, headers });
  const allowed = [...answer.headers].filter(([name]) => name.startsWith('access-control-'));
  return { status: answer.status, vary: answer.headers.get('vary'), allowed: Object.fromEntries(allowed) };
}

describe('a page of another origin', () => {
  test('may send and read everything, when its origin is allowed', async () => {
    expect(await preflight(open.url, 'OPTIONS', CONSOLE)).toEqual({
      status: 204,
      vary: 'Origin',
      allowed: {
        'access-control-allow-origin': CONSOLE,
        'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
        'access-control-allow-headers':
          'A2A-Extensions, A2A-Version, Authorization, Baggage, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Range, Traceparent, Tracestate, User-Agent, X-A2A-Extensions, X-Org-Id',
        'access-control-expose-headers':
          'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Link, Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Request-Id, X-Should-Retry, X-Total-Count',
        'access-control-max-age': '600',
      },
    });
    expect(await preflight(open.url, 'GET', CONSOLE)).toMatchObject({
      status: 401,
      allowed: { 'access-control-allow-origin': CONSOLE },
    });
  });

  test("may use OpenAI's client, whatever that says of itself, and send nothing else", async () => {
    const allowedFor = async (names: string) => {
      const headers = {
        origin: CONSOLE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': names,
      };
      const answer = await fetch(`${open.url}/v1/chat/completions`, { method: 'OPTIONS', headers });
      return answer.headers.get('access-control-allow-headers')?.split(', ');
    };
    const asked = await allowedFor(
      'authorization, content-type, x-stainless-lang,X-Stainless-Retry-Count,openai-project',
    );
    expect(asked?.slice(-3)).toEqual(['x-stainless-lang', 'x-stainless-retry-count', 'openai-project']);
    const usual = await allowedFor('authorization');
    expect(await allowedFor('x-other, x-stainless-\u00e4, x-stainless-')).toEqual(usual);
  });

  test('may read nothing, when its origin is not allowed or none is', async () => {
    for (const [url, origin] of [
      [open.url, ELSEWHERE],
      [open.url, 'null'],
      [closed.url, CONSOLE],
    ] as const) {
      expect(await preflight(url, 'OPTIONS', origin)).toMatchObject({ status: 405, allowed: {} });
      expect((await preflight(url, 'GET', origin)).allowed).toEqual({});
    }
  });
});
