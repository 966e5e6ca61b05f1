import { describe, expect, test } from '@jest/globals';
import { ToolFailure } from '../tool-failure.ts';
import { compute } from './compute.ts';

const never = new AbortController().signal;

async function math(expression: string, signal = never): Promise<unknown> {
  return JSON.parse(await compute({ kind: 'math', expression, variables: {}, precision: 14 }, signal));
}

async function query(expression: string, data: unknown = { a: [1, 2, { b: 3 }] }): Promise<unknown> {
  return JSON.parse(await compute({ kind: 'json_query', expression, json: JSON.stringify(data) }, never));
}

describe('compute', () => {
  test.each([
    ['1 + 1', '2'],
    ['0.1 + 0.2', '0.3'],
    ['5 inch to cm', '12.7 cm'],
    ['x = 3\nx + 1', '4'],
    ['det([1, 2; 3, 4])', '-2'],
    ['f(x) = x^2; f(4)', '16'],
    ['9^9^9^9', 'Infinity'],
  ])('calculates %j', async (expression, result) => {
    expect(await math(expression)).toBe(result);
  });

  test.each([
    'import({a: 1})',
    'config({number: "BigNumber"})',
    'createUnit("x")',
    'evaluate("1")',
    'parse("1")',
    'parser()',
    'typed("x", {})',
    'simplify("x")',
    'help("sin")',
    'cos.constructor("return process")',
    '"a".constructor',
    '[1].__proto__',
    'unit("5 cm").createUnit("x")',
    'f(x) = f(x + 1); f(1)',
    'zeros(100000, 100000)',
    '1 +',
  ])('refuses %s', async (expression) => {
    await expect(math(expression)).rejects.toBeInstanceOf(ToolFailure);
    expect(await math('1 + 1')).toBe('2');
  });

  test('lets no expression change what the next one finds', async () => {
    await math('x = 5; sin(x) = 1; pi = 3').catch(() => undefined);
    expect(await math('pi')).toBe('3.1415926535898');
    await expect(math('x')).rejects.toThrow('x');
    await query('($sum := function($x){ 7 }; 1)');
    expect(await query('$sum([1, 2])')).toBe(3);
  });

  test.each([
    ['a[2].b', 3],
    ['$sum(a[$type($) = "number"])', 3],
    ['nothing', null],
    ['a.constructor', null],
    ['a.__proto__', null],
    ['$lookup(a[2], "__proto__")', null],
    ['$keys({"toString": 1})', 'toString'],
  ])('queries %s', async (expression, result) => {
    expect(await query(expression)).toEqual(result);
  });

  test('leaves the prototypes alone whatever a query does', async () => {
    await query('a[2] ~> |$|{"__proto__": {"polluted": 1}}|');
    await query('a[2] ~> |constructor.prototype|{"polluted": 1}|');
    await query('{"__proto__": {"polluted": 1}}');
    expect(await query('polluted', {})).toBeNull();
    expect(await query('a.polluted')).toBeNull();
  });

  test.each([
    ['a[', 'not JSONata'],
    ['function($x){1}', 'not a JSON value'],
    ['$error("mine")', 'mine'],
    ['[1..10000000]', 'too large'],
  ])('says what is wrong with %s', async (expression, fault) => {
    await expect(query(expression)).rejects.toThrow(fault);
  });

  test.each([
    ['bigint(7) ^ bigint(100000000)', 'math'],
    ['($f := function($x){ $f($x + 1) }; $f(1))', 'json_query'],
    ['$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /(a+)+$/)', 'json_query'],
  ])('ends %s when it is told to', async (expression, kind) => {
    const controller = new AbortController();
    const job = kind === 'math' ? { variables: {}, precision: 14 } : { json: '{}' };
    const asked = compute({ kind, expression, ...job } as Parameters<typeof compute>[0], controller.signal);
    setTimeout(() => controller.abort(new Error('told to')), 300);
    await expect(asked).rejects.toThrow('told to');
    expect(await math('1 + 1')).toBe('2');
  });

  test('runs many jobs at once, and lets those that wait go', async () => {
    const controller = new AbortController();
    const blocked = Array.from({ length: 4 }, () => math('bigint(7) ^ bigint(100000000)', controller.signal));
    const waiting = math('1 + 1', controller.signal);
    const results = Promise.allSettled([...blocked, waiting]);
    controller.abort(new Error('told to'));
    expect((await results).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
    expect(await Promise.all(Array.from({ length: 8 }, (_, place) => math(`${place} + 1`)))).toHaveLength(8);
  });

  test('takes a millisecond or two once a thread is there', async () => {
    await math('1');
    const start = performance.now();
    for (let count = 0; count < 50; count += 1) await math('1 + 1');
    expect((performance.now() - start) / 50).toBeLessThan(20);
  });

  test('matches patterns, with what ignore files exclude left out', async () => {
    const paths = ['a.md', 'b.txt', 'docs/c.md', 'docs/secret/d.md', 'tmp/e.md'];
    const ignoreFiles = [
      { folder: '', rules: 'tmp/' },
      { folder: 'docs', rules: '/secret' },
    ];
    const text = await compute({ kind: 'glob', pattern: '**/*.md', paths, ignoreFiles }, never);
    expect(JSON.parse(text)).toEqual([0, 2]);
  });
});
