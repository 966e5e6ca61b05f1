import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type * as mathjs from 'mathjs';
import { ALLOWED_NAMES, evaluateMath } from './evaluate-math.ts';

const { create } = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof mathjs;
const { expression } = create({}) as mathjs.MathJsInstance & { expression: { mathWithTransform: object } };
const offered = Object.getOwnPropertyNames(expression.mathWithTransform);

describe('the names that an expression may use', () => {
  test('are all there', () => {
    expect([...ALLOWED_NAMES].filter((name) => !offered.includes(name))).toEqual([]);
  });

  // A version that offers more shows it here: look at each before it is allowed.
  test('leave out what runs text, changes settings or reaches beyond an expression, and nothing else', () => {
    expect(offered.filter((name) => !ALLOWED_NAMES.has(name)).toSorted()).toEqual([
      'compile',
      'config',
      'createUnit',
      'derivative',
      'evaluate',
      'help',
      'leafCount',
      'parse',
      'parser',
      'rationalize',
      'replacer',
      'resolve',
      'reviver',
      'simplify',
      'simplifyConstant',
      'simplifyCore',
      'symbolicEqual',
      'typed',
    ]);
  });
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
])('the expression %s is refused', (expression) => {
  const evaluate = (text: string) => evaluateMath({ kind: 'math', expression: text, variables: {}, precision: 14 });
  expect(() => evaluate(expression)).toThrow(Error);
  expect(evaluate('1 + 1')).toBe('2');
});
