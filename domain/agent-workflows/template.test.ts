import { describe, expect, test } from '@jest/globals';
import { namesIn, renderTemplate, stepOfName } from './template.ts';

const render = (template: string, values: Readonly<Record<string, unknown>> = {}) =>
  renderTemplate(template, values, 1_000);

describe('a template', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['Hello {{ name }}, {{name}}!', { name: 'Ada' }, 'Hello Ada, Ada!'],
    ['{{ count }} {{ on }} {{ none }}.', { count: 1.5, on: false, none: null }, '1.5 false .'],
    ['{{ list }} {{ object }}', { list: [1, 'a'], object: { a: { b: 1 } } }, '[1,"a"] {"a":{"b":1}}'],
    ['{{ user.name }} {{ list.1 }}', { user: { name: 'Ada' }, list: ['a', 'b'] }, 'Ada b'],
    ['{{ user.name }}', { 'user.name': 'flat', user: { name: 'deep' } }, 'flat'],
    ['{{ a }}', { a: '{{ b }}', b: 'never' }, '{{ b }}'],
    ['{ {a} } {{ }} {{a b}} {{', { a: 1 }, '{ {a} } {{ }} {{a b}} {{'],
    ['costs $& and $1: {{ a }}', { a: '$&' }, 'costs $& and $1: $&'],
  ])('renders %j with %j', (template, values, text) => {
    expect(render(template, values)).toEqual({ text, missing: [] });
  });

  test.each(['constructor', '__proto__', 'toString', 'a.constructor', 'a.length', 'a.b.c', 'steps.x.output'])(
    'has nothing for {{ %s }}, and says so once',
    (name) => {
      const values = { a: 'text', list: [1] };
      expect(render(`<{{ ${name} }}{{${name}}}>`, values)).toEqual({ text: '<>', missing: [name] });
    },
  );

  test('is not rendered beyond a length, however often a value stands in it', () => {
    const many = '{{ a }}'.repeat(10_000);
    expect(renderTemplate(many, { a: 'x'.repeat(1_000_000) }, 200_000)).toBeUndefined();
    expect(renderTemplate(many, { a: 'x' }, 10_000)?.text).toHaveLength(10_000);
    expect(renderTemplate(many, { a: 'x' }, 9_999)).toBeUndefined();
  });

  test('is read in time that grows with its length only', () => {
    for (const text of ['{'.repeat(100_000), '{{ '.repeat(50_000), `{{${' '.repeat(100_000)}`, '{{a'.repeat(40_000)])
      expect(namesIn(text)).toEqual([]);
  });

  test('declares its names, those of steps apart', () => {
    expect(namesIn('{{ b }}{{a}}{{ b }}')).toEqual(['b', 'a']);
    expect(['steps.find-it.output', 'steps.a.error', 'steps.a.b.output', 'a'].map(stepOfName)).toEqual([
      'find-it',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
