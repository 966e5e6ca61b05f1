import { describe, expect, test } from '@jest/globals';
import { parseExactJson } from '../core/exact-json.ts';
import { renderRequest } from './render-request.ts';
import { parseRequestTemplate } from './request-template.ts';

const names = new Set(['a', 'b', 'list', 'id']);

function render(request: object, args: Readonly<Record<string, unknown>>) {
  const template = parseRequestTemplate({ method: 'GET', url: 'https://example.com', ...request }, names);
  if ('issue' in template) throw new Error(template.issue);
  const rendered = renderRequest(template.value, { args, secrets: {} });
  return 'issue' in rendered ? rendered.issue : rendered.value;
}

const urlOf = (url: string, args: Readonly<Record<string, unknown>>) => {
  const rendered = render({ url }, args);
  return typeof rendered === 'string' ? rendered : rendered.url;
};

test('numbers are in every position of a request as they were written', () => {
  const args = parseExactJson('{"id":1234567890123456789,"a":1.10}') as Readonly<Record<string, unknown>>;
  const request = { method: 'POST', url: 'https://example.com/{{ id }}', headers: { 'X-Id': '{{ id }}' } };
  const [json, form] = [
    { body: { id: '{{ id }}', text: '{{ a }}!' } },
    { body: { id: '{{ id }}', list: ['{{ a }}'] }, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
  ].map((body) => render({ ...request, ...body }, args));
  expect(json).toMatchObject({
    url: 'https://example.com/1234567890123456789',
    headers: { 'X-Id': '1234567890123456789' },
    body: '{"id":1234567890123456789,"text":"1.10!"}',
  });
  expect(form).toMatchObject({ body: 'id=1234567890123456789&list=1.10' });
});

describe('an address', () => {
  test.each([
    ['https://example.com', {}, 'https://example.com/'],
    ['https://EXAMPLE.com:443/x', {}, 'https://example.com/x'],
    ['https://example.com/users/{{ id }}', { id: 7 }, 'https://example.com/users/7'],
    ['https://example.com/users/{{id}}/x', { id: 'a/../b?c#d' }, 'https://example.com/users/a%2F..%2Fb%3Fc%23d/x'],
    ['https://example.com/{{ id }}', { id: '@evil.example' }, 'https://example.com/%40evil.example'],
    ['https://example.com/{{ id }}', { id: '\\\\evil.example' }, 'https://example.com/%5C%5Cevil.example'],
    ['https://example.com/{{ id }}', { id: 'http://evil' }, 'https://example.com/http%3A%2F%2Fevil'],
    ['https://example.com/{{ id }}', { id: '%2e%2e' }, 'https://example.com/%252e%252e'],
    ['https://example.com/{{ id }}', { id: 'a\r\nX-Evil: 1' }, 'https://example.com/a%0D%0AX-Evil%3A%201'],
    ['https://example.com/x?q={{ a }}', { a: '1&b=2#c' }, 'https://example.com/x?q=1%26b%3D2%23c'],
    ['https://example.com/x?q={{ a }}', {}, 'https://example.com/x?q='],
    ['https://example.com/v{{ a }}-{{ b }}', { a: 1, b: true }, 'https://example.com/v1-true'],
  ])('%s with %j is %s', (url, args, expected) => {
    expect(urlOf(url, args)).toBe(expected);
    expect(new URL(expected).host).toBe('example.com');
  });

  test.each([
    ['https://example.com/users/{{ id }}', {}, 'the part {{ id }} of the address must not be empty'],
    ['https://example.com/users/{{ id }}', { id: '' }, 'must not be empty'],
    ['https://example.com/users/{{ id }}/posts', { id: null }, 'must not be empty'],
    ['https://example.com/users/{{ id }}', { id: '..' }, 'of the address would lead to another one'],
    ['https://example.com/users/{{ id }}/x', { id: '.' }, 'of the address would lead to another one'],
    ['https://example.com/users/{{ a }}{{ b }}', { a: '.', b: '.' }, 'of the address would lead to another one'],
    ['https://example.com/users/.{{ a }}', { a: '.' }, 'of the address would lead to another one'],
    ['https://example.com/users/%2e{{ a }}', { a: '.' }, 'of the address would lead to another one'],
    ['https://example.com/{{ list }}', { list: ['a'] }, 'the argument list must be a text, a number or a boolean'],
    ['https://example.com/{{ id }}', { id: 'x'.repeat(20_000) }, 'longer than 16384 characters'],
  ])('%s with %j cannot be made', (url, args, issue) => {
    expect(urlOf(url, args)).toContain(issue);
  });

  test('takes parameters from query: encoded, several times for a list, left out for an absent argument', () => {
    const query = { q: '{{ a }}', tag: '{{ list }}', none: '{{ b }}', fixed: [1, true], 'x y': 'at {{ a }} {{ b }}' };
    expect(render({ url: 'https://example.com/s?v=1', query }, { a: 'ä&=', list: ['x', 'y z'] })).toMatchObject({
      url: 'https://example.com/s?v=1&q=%C3%A4%26%3D&tag=x&tag=y%20z&fixed=1&fixed=true&x%20y=at%20%C3%A4%26%3D%20',
    });
  });
});

describe('headers', () => {
  const headers = { 'X-Id': '{{ id }}', Authorization: 'Token {{ a }}', Cookie: 'session={{ b }}' };

  test('contain values, and are left out for an absent argument that is all of one', () => {
    expect(render({ headers }, { a: 't0ken', b: 1 })).toMatchObject({
      headers: { Authorization: 'Token t0ken', Cookie: 'session=1' },
    });
  });

  test.each([
    [{ id: 'x\r\nX-Evil: 1' }, 'the argument id contains characters that a header cannot have'],
    [{ id: 'x\nX-Evil: 1' }, 'cannot have'],
    [{ id: 'x\u0000' }, 'cannot have'],
    [{ id: 'Ω' }, 'cannot have'],
    [{ id: {} }, 'must be a text, a number or a boolean'],
    [{ b: '1; admin=1' }, 'the argument b must not contain " , ; or \\ in a header'],
    [{ a: 'x, Basic y' }, 'must not contain'],
  ])('%j gets in none', (args, issue) => {
    expect(render({ headers }, args)).toContain(issue);
  });
});

describe('secrets', () => {
  const secrets = { token: 's3cret/+ "x', id: 'a', none: '..' };
  const withSecrets = (request: object, args = {}) => {
    const template = parseRequestTemplate({ method: 'POST', url: 'https://example.com', ...request }, names);
    if ('issue' in template) throw new Error(template.issue);
    const rendered = renderRequest(template.value, { args, secrets });
    return { uses: template.value.secrets, rendered: 'issue' in rendered ? rendered.issue : rendered.value };
  };

  test('are encoded for their positions, which the template knows', () => {
    const { uses, rendered } = withSecrets(
      {
        url: 'https://example.com/bot{{ secret.token }}/x?key={{ secret.id }}',
        query: { q: '{{ secret.token }}' },
        headers: { 'X-Token': '{{ secret.token }}', 'X-Id': 'at {{secret.id}} {{ id }}' },
        body: { token: '{{ secret.token }}', in: ['is {{ secret.token }}'] },
      },
      { id: 7 },
    );
    const encoded = 's3cret%2F%2B%20%22x';
    expect(rendered).toEqual({
      method: 'POST',
      url: `https://example.com/bot${encoded}/x?key=a&q=${encoded}`,
      headers: { 'X-Token': secrets.token, 'X-Id': 'at a 7', 'Content-Type': 'application/json' },
      body: JSON.stringify({ token: secrets.token, in: [`is ${secrets.token}`] }),
    });
    expect(uses.map(({ field, location }) => `${field} in ${location}`)).toEqual([
      'token in path',
      'id in query',
      'token in header',
      'id in header',
      'token in query',
      'token in body',
      'token in body',
    ]);
  });

  test('are no arguments: neither replaces the other', () => {
    const args = { a: '{{ secret.token }}', secret: { token: 'x' }, id: 'of the call' };
    const { rendered } = withSecrets({ body: { a: '{{ a }}', id: '{{ secret.id }}' } }, args);
    expect(rendered).toMatchObject({ body: JSON.stringify({ a: '{{ secret.token }}', id: 'a' }) });
    expect(withSecrets({ headers: { 'X-A': '{{ secret.a }}' } }, args).rendered).toMatchObject({ headers: {} });
  });

  test.each([
    [{ headers: { 'X-A': 'is {{ secret.token }}' } }, 'the credential token must not contain " , ; or \\ in a header'],
    [{ url: 'https://example.com/{{ secret.none }}/x' }, 'the part {{ secret.none }} of the address would lead'],
  ])('that do not fit into %j are named, and not shown', (request, issue) => {
    const { rendered } = withSecrets(request);
    expect(rendered).toContain(issue);
    expect(rendered).not.toContain('s3cret');
  });
});

describe('a body', () => {
  const bodyOf = (body: unknown, args: Readonly<Record<string, unknown>>, type?: string) => {
    const headers = type === undefined ? {} : { headers: { 'Content-Type': type } };
    const rendered = render({ method: 'POST', body, ...headers }, args);
    return typeof rendered === 'string' ? rendered : rendered.body;
  };

  test('of JSON takes values of any type whole, and text within text', () => {
    const body = {
      id: '{{ id }}',
      note: 'for {{ a }}: {{ list }}',
      none: '{{ b }}',
      in: [{ x: '{{ list }}' }, '{{ b }}', null],
    };
    expect(JSON.parse(String(bodyOf(body, { id: 7, a: '"}],"admin":true', list: [1, { y: 2 }] })))).toEqual({
      id: 7,
      note: 'for "}],"admin":true: [1,{"y":2}]',
      in: [{ x: [1, { y: 2 }] }, null],
    });
  });

  test('may be one argument, or nothing without it', () => {
    expect([bodyOf('{{ a }}', { a: { b: 1 } }), bodyOf('{{ a }}', {})]).toEqual(['{"b":1}', undefined]);
  });

  test('does not read a value for placeholders', () => {
    expect(bodyOf({ a: '{{ a }} {{ b }}' }, { a: '{{ b }}', b: 'x' })).toBe('{"a":"{{ b }} x"}');
  });

  test('keeps names like __proto__ as members', () => {
    expect(bodyOf(JSON.parse('{"__proto__": {"x": "{{ a }}"}}'), { a: 1 })).toBe('{"__proto__":{"x":1}}');
  });

  test('is a form where the content type says so', () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    expect(bodyOf({ a: '{{ a }}', list: '{{ list }}', n: 1 }, { a: 'x y&z=1', list: ['p', 'q'] }, type)).toBe(
      'a=x+y%26z%3D1&list=p&list=q&n=1',
    );
    expect(bodyOf({ a: '{{ a }}' }, { a: { b: 1 } }, type)).toContain('must not be an object');
  });

  test('is text where the content type says so', () => {
    expect(bodyOf('Hello {{ a }}', { a: 'you' }, 'text/plain')).toBe('Hello you');
    expect(bodyOf('{{ a }}', { a: '<x/>' }, 'application/xml')).toBe('<x/>');
  });
});
