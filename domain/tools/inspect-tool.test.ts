import { describe, expect, test } from '@jest/globals';
import { inspectTool, integrationProblem } from './inspect-tool.ts';

describe('inspect tool', () => {
  const record = { key: 'weather', name: 'Weather', description: 'Tells the weather of a city.' };
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const tool = { parameters, effect: 'read', runtime: 'http' };
  const http = { method: 'GET', url: 'https://api.example.com/v1/weather', query: { q: '{{ city }}' } };

  function inspect(files: Readonly<Record<string, unknown>>) {
    const texts = Object.entries(files).map(([path, content]): [string, string] => [
      path,
      typeof content === 'string' ? content : JSON.stringify(content),
    ]);
    return inspectTool(record, new Map(texts));
  }

  const problemOf = (files: Readonly<Record<string, unknown>>) => {
    const inspection = inspect(files);
    return 'problem' in inspection ? inspection.problem : undefined;
  };

  const problemOfRequest = (request: object) => problemOf({ 'tool.json': tool, 'http.json': { ...http, ...request } });

  describe('a definition', () => {
    test('of a request can be used', () => {
      expect(inspect({ 'tool.json': tool, 'http.json': http })).toMatchObject({
        tool: { key: 'weather', name: 'Weather', effect: 'read', timeoutSeconds: 30, runtime: { kind: 'http' } },
      });
    });

    test('of code can be used, and is taken for one that must not be repeated unless it says otherwise', () => {
      const source = 'export default async () => 1;';
      expect(inspect({ 'tool.json': { parameters, runtime: 'javascript' }, 'main.js': source })).toMatchObject({
        tool: { effect: 'once', runtime: { kind: 'javascript', source } },
      });
    });

    test('of a shell script can be used', () => {
      const source = 'echo "$ARG_CITY"';
      expect(inspect({ 'tool.json': { parameters, runtime: 'shell' }, 'main.sh': source })).toMatchObject({
        tool: { effect: 'once', runtime: { kind: 'shell', source } },
      });
    });

    test('may describe itself otherwise to the model than its record does, and contain fields of its own', () => {
      const own = { ...tool, description: 'For the model.', colour: 'blue' };
      expect(inspect({ 'tool.json': own, 'http.json': http })).toMatchObject({
        tool: { description: 'For the model.' },
      });
    });

    test.each([
      [{}, 'tool.json is missing'],
      [{ 'tool.json': '  ' }, 'tool.json is empty'],
      [{ 'tool.json': '{' }, 'tool.json: it is not JSON'],
      [{ 'tool.json': '['.repeat(100) }, 'tool.json: it is not JSON: it nests more than 64 levels deep'],
      [{ 'tool.json': '[]' }, 'tool.json: it must be a JSON object'],
      [{ 'tool.json': { runtime: 'http' } }, 'tool.json: parameters is missing'],
      [{ 'tool.json': { parameters } }, 'tool.json: runtime is missing'],
      [{ 'tool.json': { ...tool, runtime: 'shell' } }, 'main.sh is missing'],
      [{ 'tool.json': { ...tool, runtime: 'shell' }, 'main.sh': ':'.repeat(30_001) }, 'more than 30000 characters'],
      [{ 'tool.json': { ...tool, runtime: 'shell' }, 'main.sh': 'a\0b' }, 'a NUL character'],
      [{ 'tool.json': { ...tool, runtime: 'python' } }, 'tool.json: runtime: must be one of: http, javascript, shell'],
      [{ 'tool.json': { ...tool, effect: 'agent' } }, 'tool.json: effect: must be one of: read, keyed, once'],
      [{ 'tool.json': { ...tool, timeout_s: 121 } }, 'tool.json: timeout_s: must be at most 120'],
      [{ 'tool.json': { ...tool, key: 'rain' } }, 'tool.json: key is rain, and that of the tool weather'],
      [
        {
          'tool.json': { ...tool, runtime: 'javascript', integration: 'Tracker' },
          'main.js': 'export default () => 1',
        },
        'tool.json: integration: only a request',
      ],
      [{ 'tool.json': { ...tool, integration: '' }, 'http.json': http }, 'tool.json: integration'],
      [{ 'tool.json': tool }, 'http.json is missing'],
      [{ 'tool.json': { ...tool, runtime: 'javascript' }, 'http.json': http }, 'main.js is missing'],
    ])('%j is incomplete, and says why', (files, problem) => {
      expect(problemOf(files)).toContain(problem);
    });
  });

  describe('a request', () => {
    test.each([
      [{ url: '{{ city }}' }, 'url: it must begin with'],
      [{ url: '{{ city }}://example.com/' }, 'url: it must begin with'],
      [{ url: 'https://{{ city }}/' }, 'url: it must begin with'],
      [{ url: 'https://example.{{ city }}/' }, 'url: it must begin with'],
      [{ url: 'https://example.com{{ city }}' }, 'url: it must begin with'],
      [{ url: 'https://example.com:{{ city }}/' }, 'url: it must begin with'],
      [{ url: 'https://me:secret@example.com/' }, 'url: it must begin with'],
      [{ url: 'https://me@example.com/' }, 'url: it must begin with'],
      [{ url: 'https:\\\\example.com/' }, 'url: it must begin with'],
      [{ url: 'ftp://example.com/' }, 'url: it must begin with'],
      [{ url: 'file:///etc/passwd' }, 'url: it must begin with'],
      [{ url: 'https://example.com/\\..\\x' }, 'url: it must not contain spaces or backslashes'],
      [{ url: 'https://example.com/#{{ city }}' }, 'url: it must not contain a #'],
      [{ url: 'https://example.com/{{ town }}' }, 'url: {{ town }} is no property of parameters'],
      [{ query: { q: '{{ city.name }}' } }, 'query.q: {{ city.name }} is no placeholder'],
      [{ query: { q: '{{ city' } }, 'query.q: a placeholder is not written as {{ name }}'],
      [{ query: { q: '{{ __proto__ }}' } }, '{{ __proto__ }} is no property'],
      [
        { headers: { Authorization: 'Bearer {{ secret.token }}' } },
        '{{ secret.token }} takes the credentials of an integration, which',
      ],
      [{ url: 'https://{{ secret.host }}/' }, 'url: it must begin with'],
      [{ url: 'https://{{ secret.user }}@example.com/' }, 'url: it must begin with'],
      [{ url: 'https://example.com:{{ secret.port }}/' }, 'url: it must begin with'],
      [{ headers: { '{{ secret.name }}': 'a' } }, 'headers.{{ secret.name }}: '],
      [{ headers: { 'Content-Type': '{{ secret.type }}' } }, 'headers.content-type: it decides how'],
      [{ headers: { 'X {{ city }}': 'a' } }, 'headers.X {{ city }}: '],
      [{ headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A: it contains characters that a header cannot have'],
      [{ headers: { Host: 'example.com' } }, 'headers.Host: it belongs to the connection'],
      [{ headers: { 'content-length': '{{ city }}' } }, 'headers.content-length: it belongs to the connection'],
      [{ headers: { 'Content-Type': '{{ city }}' } }, 'headers.content-type: it decides how the body is written'],
      [{ body: {} }, 'body: a GET request has none'],
      [{ method: 'POST', body: { '{{ city }}': 1 } }, 'body: the names of members must not contain placeholders'],
      [
        { method: 'POST', headers: { 'Content-Type': 'application/xml' }, body: '<city>{{ city }}</city>' },
        'body: with the content type application/xml a placeholder must be all of it',
      ],
      [
        { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: { a: { b: 1 } } },
        'body: a form is an object of texts',
      ],
      [{ method: 'TRACE' }, 'method: '],
      [{ cookies: {} }, 'has fields that do not exist: cookies'],
    ])('%j is refused', (request, problem) => {
      expect(problemOfRequest(request)).toContain(`http.json: `);
      expect(problemOfRequest(request)).toContain(problem);
    });
  });
});

describe('integration problem', () => {
  const tracker = {
    name: 'Tracker',
    apiUrl: 'https://tracker.example.com/api',
    fields: ['token', 'account'],
    secretPlaces: ['header', 'query'],
  } as const;

  function problemOf(request: object, integration: string | undefined, known?: typeof tracker) {
    const tool = { parameters: { type: 'object', properties: { a: {} } }, runtime: 'http', integration };
    const files = { 'tool.json': tool, 'http.json': { method: 'POST', url: `${tracker.apiUrl}/issues`, ...request } };
    const texts = Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)] as const);
    const inspection = inspectTool({ key: 'mine', name: 'Mine', description: 'Does it.' }, new Map(texts));
    if ('problem' in inspection) throw new Error(inspection.problem);
    return integrationProblem(inspection.tool, known);
  }

  const headers = { Authorization: 'Bearer {{ secret.token }}' };

  test.each([
    [{ headers }],
    [{ headers, url: 'https://tracker.example.com/api' }],
    [{ headers, url: 'https://tracker.example.com:443/api/{{ a }}/x?account={{ secret.account }}' }],
    [{ headers, query: { account: '{{ secret.account }}' } }],
    [{}],
  ])('a tool with the request %j can be used', (request) => {
    expect(problemOf(request, 'Tracker', tracker)).toBeUndefined();
  });

  test('a tool that names no integration needs none', () => {
    expect(problemOf({ url: 'https://elsewhere.example.com' }, undefined)).toBeUndefined();
  });

  test('a tool whose integration is not there cannot be used', () => {
    expect(problemOf({ headers }, 'Tracker')).toBe('tool.json: there is no integration named Tracker');
  });

  test.each([
    [{ headers: { 'X-A': '{{ secret.other }}' } }, 'has no credential named other'],
    [{ headers: { 'X-A': '{{ secret.toString }}' } }, 'has no credential named toString'],
    [{ body: { text: '{{ secret.token }}' } }, 'must not be put into the body of a request'],
    [{ url: 'https://tracker.example.com/api/{{ secret.token }}' }, 'must not be put into the path of a request'],
    [{ headers, url: 'http://tracker.example.com/api/x' }, 'go to its base_url and below it only'],
    [{ headers, url: 'https://tracker.example.com:444/api/x' }, 'go to its base_url'],
    [{ headers, url: 'https://evil.example/api/x' }, 'go to its base_url'],
    [{ headers, url: 'https://tracker.example.com.evil.example/api/x' }, 'go to its base_url'],
    [{ headers, url: 'https://tracker.example.com/other' }, 'go to its base_url'],
    [{ headers, url: 'https://tracker.example.com/api/../other' }, 'go to its base_url'],
    [{ headers, url: 'https://tracker.example.com/{{ a }}/api' }, 'go to its base_url'],
    [{ url: 'https://evil.example/' }, 'go to its base_url'],
  ])('a tool with the request %j cannot be used, in words without the address', (request, words) => {
    const problem = problemOf(request, 'Tracker', tracker);
    expect(problem).toContain(words);
    expect(problem).not.toContain('tracker.example.com');
  });
});
