import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import OpenAI from 'openai';
import { callTools, inTurn, preciseNow, say, startScriptedModel, type ScriptedModel } from './index.ts';

let model: ScriptedModel;

beforeEach(async () => {
  model = await startScriptedModel();
});

afterEach(async () => {
  await model.close();
});

function client(apiKey = 'test-key'): OpenAI {
  return new OpenAI({ baseURL: model.url, apiKey, maxRetries: 0 });
}

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

function user(content: string): Message[] {
  return [{ role: 'user', content }];
}

interface Collected {
  text: string;
  parts: string[];
  finishReason: string | undefined;
  usage: OpenAI.CompletionUsage | undefined;
  chunks: OpenAI.Chat.Completions.ChatCompletionChunk[];
}

async function stream(
  messages: Message[],
  options: { signal?: AbortSignal; usage?: boolean } = {},
): Promise<Collected> {
  const chunks = await client().chat.completions.create(
    {
      model: 'scripted-1',
      messages,
      stream: true,
      ...(options.usage === false ? {} : { stream_options: { include_usage: true } }),
    },
    options.signal === undefined ? {} : { signal: options.signal },
  );
  const collected: Collected = { text: '', parts: [], finishReason: undefined, usage: undefined, chunks: [] };
  for await (const chunk of chunks) {
    collected.chunks.push(chunk);
    const choice = chunk.choices[0];
    const part = choice?.delta.content ?? '';
    if (part !== '') collected.parts.push(part);
    collected.text += part;
    collected.finishReason = choice?.finish_reason ?? collected.finishReason;
    collected.usage = chunk.usage ?? collected.usage;
  }
  return collected;
}

/** Returns a streamed answer as it came over the wire, as far as it came. */
async function raw(
  content: string,
): Promise<{ response: Response; body: string; parts: Uint8Array[]; failed: boolean }> {
  const response = await fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key' },
    body: JSON.stringify({ model: 'scripted-1', stream: true, messages: user(content) }),
  });
  const parts: Uint8Array[] = [];
  let failed = false;
  try {
    for await (const part of response.body ?? []) parts.push(part);
  } catch {
    failed = true;
  }
  return { response, body: Buffer.concat(parts).toString(), parts, failed };
}

function toolResults(content: string, calls: readonly { id: string }[]): Message[] {
  return [
    ...user(content),
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id }) => ({ id, type: 'function', function: { name: 'file_read', arguments: '{}' } })),
    },
    ...calls.map(({ id }): Message => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })),
  ];
}

describe('default answer', () => {
  test('repeats the newest user message word by word when nothing else is asked for', async () => {
    const { parts, finishReason, usage } = await stream([
      ...user('first'),
      { role: 'assistant', content: 'ok' },
      ...user('say it twice'),
    ]);
    expect(parts).toEqual(['You', ' said:', ' say', ' it', ' twice']);
    expect(finishReason).toBe('stop');
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 });
  });

  test('is one JSON body when the request does not stream', async () => {
    const answer = await client().chat.completions.create({ model: 'scripted-1', messages: user('hello there') });
    expect(answer.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'You said: hello there' },
      finish_reason: 'stop',
    });
    expect(answer.usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4 });
  });

  test('repeats the tool results when the transcript ends with them', async () => {
    const { text } = await stream(toolResults('look', [{ id: 'a' }, { id: 'b' }]));
    expect(text).toBe('The tools answered: result of a | result of b');
  });

  test('reads the text parts when a message has several parts', async () => {
    const { text } = await stream([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'in ' },
          { type: 'text', text: 'parts' },
        ],
      },
    ]);
    expect(text).toBe('You said: in parts');
  });
});

describe('wire format', () => {
  test('shares id, model and creation time between all chunks and names the role first', async () => {
    const { chunks } = await stream(user('hello'));
    expect(
      new Set(chunks.map(({ id, created, model: name, object }) => `${id} ${created} ${name} ${object}`)).size,
    ).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
  });

  test('sends usage in a last chunk of its own without choices when the request asks for usage', async () => {
    const { chunks } = await stream(user('hello'));
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.slice(0, -1).map((chunk) => chunk.usage)).toEqual(chunks.slice(0, -1).map(() => null));
  });

  test('sends no usage when the request does not ask for it or the message forbids it', async () => {
    expect((await stream(user('hello'), { usage: false })).chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    expect((await stream(user('[[no-usage]] hello'))).usage).toBeUndefined();
  });

  test('sends usage on the chunk with the finish reason when told to', async () => {
    const { chunks } = await stream(user('[[usage-inline]] [[usage 100 -1]]'));
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: -1 },
    });
  });

  test('sends usage in a chunk of its own without being asked when told to', async () => {
    const { chunks } = await stream(user('[[usage-apart]]'), { usage: false });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 1 } });
  });

  test('ends with [DONE]', async () => {
    expect((await raw('hello')).body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('lists its models', async () => {
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    expect(ids).toEqual(['scripted-1']);
  });

  test.each([
    ['crlf', /^(data: [^\r\n]*\r\n\r\n)+$/],
    ['cr', /^(data: [^\r\n]*\r\r)+$/],
    ['no-space', /^(data:[{[][^\n]*\n\n)+$/],
    ['bom', /^\uFEFFdata: /],
    ['multi-line', /^data: \{\ndata: "id"/],
    ['done-twice', /data: \[DONE\]\n\ndata: \[DONE\]\n\n$/],
    ['chunk-after-done', /data: \[DONE\]\n\ndata: \{.* after the end/],
  ])('takes the unusual form [[%s]] and stays readable', async (form, pattern) => {
    expect((await raw(`[[${form}]] hello`)).body).toMatch(pattern);
    expect((await stream(user(`[[${form}]] hello`))).text).toBe('You said: hello');
  });

  test.each(['split-utf8', 'drip 3 bytes every 1ms'])(
    'cuts multi-byte characters between writes when told to [[%s]]',
    async (directive) => {
      const { parts } = await raw(`[[${directive}]] [[say Grüße, 世界 🌍!]]`);
      expect(parts.filter((part) => new TextDecoder().decode(part).includes('\uFFFD')).length).toBeGreaterThan(0);
      expect((await stream(user(`[[${directive}]] [[say Grüße, 世界 🌍!]]`))).text).toBe('Grüße, 世界 🌍!');
    },
  );
});

describe('tool calls', () => {
  test('are streamed with their arguments in pieces', async () => {
    const { chunks, finishReason } = await stream(
      user('[[tool file_read {"path": "notes/of/today.md"}]] [[tool file_list]]'),
    );
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    const first = deltas.filter(({ index }) => index === 0);
    expect(first[0]).toMatchObject({
      id: 'call_1_0',
      type: 'function',
      function: { name: 'file_read', arguments: '' },
    });
    expect(first.length).toBeGreaterThan(2);
    expect(JSON.parse(first.map((delta) => delta.function?.arguments ?? '').join(''))).toEqual({
      path: 'notes/of/today.md',
    });
    expect(deltas.find(({ index }) => index === 1)).toMatchObject({ function: { name: 'file_list' } });
    expect(finishReason).toBe('tool_calls');
  });

  test('are not repeated when their results have come', async () => {
    const { text, finishReason } = await stream(toolResults('[[tool file_read {}]]', [{ id: 'a' }]));
    expect([text, finishReason]).toEqual(['The tools answered: result of a', 'stop']);
  });

  test('follow each other in the steps of the message', async () => {
    const script = '[[tool file_read {}]] [[then]] [[tool file_list {}]] [[then]] [[say all done]]';
    const second: Message[] = toolResults(script, [{ id: 'a' }]);
    const third: Message[] = [...second, ...toolResults(script, [{ id: 'b' }]).slice(1)];
    expect(
      (await stream(second)).chunks.some(
        (chunk) => chunk.choices[0]?.delta.tool_calls?.[0]?.function?.name === 'file_list',
      ),
    ).toBe(true);
    expect((await stream(third)).text).toBe('all done');
  });

  test('carry the directives of a delegated task when brackets nest', async () => {
    const { chunks } = await stream(user('[[tool agent_spawn {"task": "[[slow 2 chunks every 1ms]] go"}]]'));
    const args = chunks
      .flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      .map((call) => call.function?.arguments ?? '');
    expect(JSON.parse(args.join(''))).toEqual({ task: '[[slow 2 chunks every 1ms]] go' });
  });

  test('go out broken when their arguments are no JSON', async () => {
    model.script(callTools({ name: 'file_read', arguments: '{"path": ' }));
    const answer = await client().chat.completions.create({ model: 'scripted-1', messages: user('x') });
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"path": ' } });
  });

  test('come as a fence cut across chunks when told to', async () => {
    const { text, parts } = await stream(user('[[fence file_read {"path": "a"}]]'));
    expect(text).toContain('```tool_call\n{"name": "file_read", "arguments": {"path":"a"}}\n```');
    expect(Math.max(...parts.map((part) => part.length))).toBe(7);
  });
});

describe('transcript check', () => {
  test('answers 400 when a tool call has no result', async () => {
    const broken = toolResults('x', [{ id: 'a' }, { id: 'b' }]).slice(0, -1);
    await expect(stream(broken)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('did not have response messages: b'),
    });
  });

  test('answers 400 when a result has no tool call', async () => {
    await expect(stream([...user('x'), { role: 'tool', tool_call_id: 'a', content: 'r' }])).rejects.toMatchObject({
      status: 400,
    });
  });

  test('answers 400 when a result comes twice', async () => {
    const messages = toolResults('x', [{ id: 'a' }]);
    await expect(stream([...messages, ...messages.slice(-1)])).rejects.toMatchObject({ status: 400 });
  });

  test('answers 400 when something is said between a tool call and its result', async () => {
    const [question, call, result] = toolResults('x', [{ id: 'a' }]);
    const messages = [question, call, ...user('and?'), result].filter((message) => message !== undefined);
    await expect(stream(messages)).rejects.toMatchObject({ status: 400 });
  });

  test('answers 400 when there are no messages', async () => {
    await expect(stream([])).rejects.toMatchObject({ status: 400 });
  });
});

describe('pace', () => {
  test('keeps the rate against the clock when chunks are paced', async () => {
    const { parts } = await stream(user('[[slow 20 chunks every 10ms]]'));
    const entry = await model.waitForRequest(({ endedAt }) => endedAt !== null);
    expect(parts).toHaveLength(20);
    expect((entry.endedAt ?? 0) - (entry.firstByteAt ?? 0)).toBeGreaterThanOrEqual(185);
  });

  test('waits at a gate until the test releases it', async () => {
    const answer = stream(user('[[hold door after 3 chunks]]'));
    await model.waitForRequest(({ chunksSent }) => chunksSent === 3);
    expect(model.requests[0]?.endedAt).toBeNull();
    model.release('door');
    expect((await answer).parts).toHaveLength(8);
  });

  test('sends comments before and between chunks when told to', async () => {
    expect((await raw('[[keepalive]] hello')).body.match(/^: keep-alive$/gm)).toHaveLength(5);
    expect((await stream(user('[[keepalive]] hello'))).text).toBe('You said: hello');
  });
});

describe('sizes', () => {
  test('sends every byte in many chunks when huge', async () => {
    const { text, parts } = await stream(user('[[huge 2MB]]'));
    expect([text.length, parts.length]).toEqual([2 * 1024 * 1024, 2048]);
  });

  test('sends one chunk when it is to be big', async () => {
    const { parts } = await stream(user('[[bigchunk 5MB]]'));
    expect(parts.map((part) => part.length)).toEqual([5 * 1024 * 1024]);
  });
});

describe('faults', () => {
  test('answers the status with Retry-After when told to', async () => {
    const { response, body } = await raw('[[status 429 retry-after 7]]');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  });

  test('takes any text as Retry-After and any error code', async () => {
    const { response, body } = await raw(
      '[[status 429 retry-after Wed, 21 Oct 2099 07:28:00 GMT code insufficient_quota]]',
    );
    expect(response.headers.get('retry-after')).toBe('Wed, 21 Oct 2099 07:28:00 GMT');
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'insufficient_quota' } });
  });

  test('repeats the key in the error when the status is 401', async () => {
    await expect(stream(user('[[status 401]]'))).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('test-key'),
    });
  });

  test('answers 401 when a key is required and another is given', async () => {
    const guarded = await startScriptedModel({ apiKey: 'right' });
    const response = await fetch(`${guarded.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer wrong' },
    });
    await guarded.close();
    expect(response.status).toBe(401);
  });

  test('breaks the connection after the chunks when cut', async () => {
    const { body, failed } = await raw('[[cut after 5 chunks]]');
    expect([body.match(/"content":" ?w\d/g)?.length, body.includes('[DONE]'), failed]).toEqual([5, false, true]);
    expect(model.requests[0]?.aborted).toBe(false);
  });

  test('ends cleanly without an end marker when finished early', async () => {
    const { body, failed } = await raw('[[fin after 5 chunks]]');
    expect([
      body.match(/"content":" ?w\d/g)?.length,
      body.includes('finish_reason":"'),
      body.includes('[DONE]'),
      failed,
    ]).toEqual([5, false, false, false]);
  });

  test('sends an error event inside the stream when told to', async () => {
    await expect(stream(user('[[error-in-stream]]'))).rejects.toThrow('The server had an error');
    expect((await raw('[[error-in-stream]]')).response.status).toBe(200);
  });

  test('resets the connection before the headers when told to', async () => {
    await expect(raw('[[reset]]')).rejects.toThrow('fetch failed');
  });

  test.each([
    ['html', 'text/html; charset=utf-8', '<h1>Bad Gateway</h1>'],
    ['nonsense', 'text/event-stream; charset=utf-8', 'lorem ipsum'],
  ])('answers 200 with something else when told to [[%s]]', async (directive, type, text) => {
    const { response, body } = await raw(`[[${directive}]]`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect(body).toContain(text);
  });

  test('redirects to the address when told to', async () => {
    const { response } = await raw('[[redirect http://169.254.169.254/latest]]');
    expect([response.status, response.headers.get('location')]).toEqual([307, 'http://169.254.169.254/latest']);
  });

  test('sends headers and no byte when it stalls', async () => {
    const abort = new AbortController();
    const answer = stream(user('[[stall]]'), { signal: abort.signal });
    const entry = await model.waitForRequest(({ status }) => status === 200);
    expect([entry.firstByteAt, entry.endedAt]).toEqual([null, null]);
    abort.abort();
    await expect(answer).rejects.toThrow();
  });

  test('sends nothing at all when silent', async () => {
    const abort = new AbortController();
    const answer = stream(user('[[silent]]'), { signal: abort.signal });
    const entry = await model.waitForRequest(() => true);
    expect([entry.status, entry.endedAt]).toEqual([0, null]);
    abort.abort();
    await expect(answer).rejects.toThrow();
  });

  test.each([
    ['[[empty]]', '', 'stop'],
    ['[[length]] a b', 'You said: a b', 'length'],
    ['[[content-filter]] a', 'You said: a', 'content_filter'],
    ['[[finish strange]] a', 'You said: a', 'strange'],
    ['[[echo 3]] hey', 'hey hey hey', 'stop'],
  ])('ends %s with the text "%s" and the reason %s', async (content, text, reason) => {
    expect(await stream(user(content))).toMatchObject({ text, finishReason: reason });
  });

  test('stops after the given times', async () => {
    const failing = user('[[status 500]] [[times 2]] hello');
    await expect(stream(failing)).rejects.toMatchObject({ status: 500 });
    await expect(stream(failing)).rejects.toMatchObject({ status: 500 });
    expect((await stream(failing)).text).toBe('You said: hello');
  });

  test('touches one model only when told to', async () => {
    expect((await stream(user('[[only other-model]] [[status 500]] hello'))).text).toBe('You said: hello');
  });

  test.each(['[[stal]]', '[[slow]]', '[[huge 10 parsecs]]'])(
    'answers 400 when a directive is misspelt: %s',
    async (content) => {
      await expect(stream(user(content))).rejects.toMatchObject({ status: 400, code: 'unknown_directive' });
    },
  );
});

describe('script', () => {
  test('decides before directives do and leaves the rest to them', async () => {
    model.script((request) => (request.model === 'scripted-1' ? say('from the test') : undefined));
    expect((await stream(user('[[status 500]]'))).text).toBe('from the test');
    model.script(null);
    await expect(stream(user('[[status 500]]'))).rejects.toMatchObject({ status: 500 });
  });

  test('plays replies in turn and fails loudly when asked once too often', async () => {
    model.script(inTurn(say('one'), { kind: 'status', status: 503 }));
    expect((await stream(user('x'))).text).toBe('one');
    await expect(stream(user('x'))).rejects.toMatchObject({ status: 503 });
    await expect(stream(user('x'))).rejects.toMatchObject({ status: 400, code: 'script_exhausted' });
  });
});

describe('journal', () => {
  test('holds the request and the times of its answer in order', async () => {
    const before = preciseNow();
    await stream(user('hello'));
    const entry = await model.waitForRequest(({ endedAt }) => endedAt !== null);
    expect(entry).toMatchObject({
      id: 1,
      model: 'scripted-1',
      messages: user('hello'),
      status: 200,
      aborted: false,
      chunksSent: 3,
    });
    expect(entry.headers.authorization).toBe('Bearer test-key');
    const times = [before, entry.startedAt, entry.firstByteAt ?? 0, entry.endedAt ?? 0, preciseNow()];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('marks a request aborted when the client goes away', async () => {
    const abort = new AbortController();
    const answer = stream(user('[[slow 1000 chunks every 10ms]]'), { signal: abort.signal });
    await model.waitForRequest(({ chunksSent }) => chunksSent > 2);
    abort.abort();
    await answer.catch(() => undefined);
    const entry = await model.waitForRequest(({ aborted }) => aborted);
    expect(entry.chunksSent).toBeLessThan(1000);
  });

  test('forgets the oldest requests when it is full', async () => {
    const small = await startScriptedModel({ journalLimit: 2 });
    const messages = user('x');
    const other = new OpenAI({ baseURL: small.url, apiKey: 'k', maxRetries: 0 });
    for (let sent = 0; sent < 3; sent += 1) await other.chat.completions.create({ model: 'm', messages });
    expect(small.requests.map(({ id }) => id)).toEqual([2, 3]);
    await small.close();
  });

  test('rejects a wait when no request matches in time', async () => {
    await expect(model.waitForRequest(() => true, 5)).rejects.toThrow('no matching request');
  });
});

describe('control endpoint', () => {
  const post = async (path: string, body: unknown): Promise<Response> =>
    fetch(new URL(path, model.url), { method: 'POST', body: JSON.stringify(body) });

  test('gives and clears the journal', async () => {
    await stream(user('hello'));
    expect(await (await fetch(new URL('/journal', model.url))).json()).toMatchObject([{ id: 1, chunksSent: 3 }]);
    await fetch(new URL('/journal', model.url), { method: 'DELETE' });
    expect(model.requests).toEqual([]);
  });

  test('sets a behaviour for all requests and opens gates', async () => {
    await post('/script', { kind: 'answer', chunks: 4, hold: { after: 2, gate: 'remote' } });
    const answer = stream(user('x'));
    await model.waitForRequest(({ chunksSent }) => chunksSent === 2);
    await post('/release', { gate: 'remote' });
    expect((await answer).parts).toEqual(['w1', ' w2', ' w3', ' w4']);
  });

  test('answers 422 when the behaviour is malformed', async () => {
    expect((await post('/script', { kind: 'answer', speed: 'fast' })).status).toBe(422);
  });

  test('answers 404 when the path is unknown', async () => {
    expect((await fetch(new URL('/v1/embeddings', model.url))).status).toBe(404);
  });
});
