import { createRequire } from 'node:module';
import type * as mathjs from 'mathjs';
import { ALLOWED_NAMES } from './allowed-math.ts';
import type { ComputeJob } from '../job.ts';

type MathJob = Extract<ComputeJob, { kind: 'math' }>;

// The single-file bundle loads five to ten times as fast as the thousand modules of the main entry. It holds no
// factories to build a smaller calculator from, so what expressions see of it is narrowed instead.
const { all, create } = createRequire(import.meta.url)('mathjs/lib/browser/math.js') as typeof mathjs;

const PRECISION = 14;
const NUMBER_DIGITS = 15;
const MAX_DIGITS = 64;
/** Holds each digit of a whole number that a plain one can be as large as, which slows down some functions tenfold. */
const WHOLE_DIGITS = 320;
/** Digits that show whether a quotient is whole: others of a rounded number would be made up. */
const GUARD_DIGITS = 10;
/** Leaves digits for fractions, when it is calculated with `MAX_DIGITS`. */
const VERY_LARGE = 1e40;

/** The numbers of an expression, as it writes them. */
const LITERAL = /\d[\d.]*(?:e[+-]?\d+)?/gi;

type MathInstance = mathjs.MathJsInstance & {
  // The functions that expressions see, as opposed to those that the calculator is made of.
  readonly expression: { readonly mathWithTransform: object };
};

interface Calculator {
  readonly math: MathInstance;
  /** The digits that its big decimals keep. */
  readonly digits: number;
  readonly evaluate: (expression: string, scope: Map<string, unknown>) => unknown;
}

/** The largest number of the running expression so far. */
let largest = 0;

let plain: Calculator | undefined;
let exact: Calculator | undefined;
let whole: Calculator | undefined;

/** Evaluates an expression; returns the result as a text. Throws mathjs's message about the expression. */
export function evaluateMath({ expression, variables, precision }: MathJob): string {
  const run = ({ evaluate }: Calculator) => lastOf(evaluate(expression, new Map(Object.entries(variables))));
  const calculator = calculatorFor(precision ?? PRECISION);
  largest = Math.max(largestIn(variables), ...(expression.match(LITERAL) ?? []).map(sizeOf));
  const result = run(calculator);
  if (precision !== undefined) return calculator.math.format(result, { precision });
  // Plain numbers are whole beyond 15 digits whatever they stand for, and remainders of these are wrong. Big decimals
  // are too slow to calculate everything with.
  const isInexact = largest > Number.MAX_SAFE_INTEGER && hasWhole(result);
  const large = isInexact ? calculatorForWhole(largest) : calculator;
  const exact = isInexact ? attempt(() => run(large)) : undefined;
  return exact === undefined ? inFull(result, calculator) : inFull(exact, large);
}

function largestIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.abs(value) : 0;
  if (isBigNumber(value)) return Math.abs(value.toNumber());
  if (typeof value !== 'object' || value === null) return 0;
  const parts = partsOf(value);
  const values: unknown[] = Array.isArray(parts) ? parts : Object.values(parts);
  return values.reduce<number>((size, each) => Math.max(size, largestIn(each)), 0);
}

/** Returns how large a literal is; one with more digits than plain numbers keep counts without its decimal point. */
function sizeOf(literal: string): number {
  const [digits = ''] = literal.split(/e/i);
  const whole = digits.replace('.', '').replace(/^0+/, '');
  return Math.max(largestIn(Number(literal)), whole.length > NUMBER_DIGITS ? largestIn(Number(whole)) : 0);
}

function hasWhole(result: unknown): boolean {
  if (isBigNumber(result)) return result.isInteger();
  if (typeof result !== 'object' || result === null) return Number.isInteger(result);
  return Object.values(partsOf(result)).some(hasWhole);
}

/** Writes a result; its whole numbers in full, unless they have more digits than the calculator keeps. */
function inFull(result: unknown, { math, digits: kept }: Calculator): string {
  const digits = (value: unknown) => {
    if (isBigNumber(value) && value.isInteger() && value.e < kept - GUARD_DIGITS) return value.toFixed();
    return Number.isSafeInteger(value) ? String(value) : math.format(value, { precision: PRECISION });
  };
  const isPlain = typeof result !== 'object' || result === null || isBigNumber(result);
  if (isPlain && typeof result !== 'string') return digits(result);
  const isCollection = Array.isArray(result) || math.isMatrix(result) || isPlainObject(result);
  return isCollection ? math.format(result, digits) : math.format(result, { precision: PRECISION });
}

// A matrix has its entries in an array.
function partsOf(result: object): object {
  if ('isMatrix' in result && 'valueOf' in result) return result.valueOf();
  return Array.isArray(result) || isPlainObject(result) ? result : {};
}

function isBigNumber(value: unknown): value is mathjs.BigNumber {
  return typeof value === 'object' && value !== null && 'isBigNumber' in value;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

// Not every function takes big decimals.
function attempt(calculate: () => unknown): unknown {
  try {
    return calculate();
  } catch {
    return undefined;
  }
}

function calculatorForWhole(size: number): Calculator {
  if (size < VERY_LARGE) return calculatorFor(MAX_DIGITS);
  return (whole ??= createCalculator(WHOLE_DIGITS, 'BigNumber'));
}

function calculatorFor(precision: number): Calculator {
  if (precision <= NUMBER_DIGITS) return (plain ??= createPlainCalculator());
  return (exact ??= createCalculator(MAX_DIGITS, 'BigNumber'));
}

/** Creates a calculator that keeps the largest result of all functions and operators of an expression. */
function createPlainCalculator(): Calculator {
  const calculator = createCalculator(MAX_DIGITS, 'number');
  const { mathWithTransform } = calculator.math.expression;
  const apply = (called: (...args: unknown[]) => unknown, self: unknown, args: unknown[]) => {
    const result = Reflect.apply(called, self, args);
    largest = Math.max(largest, largestIn(result));
    return result;
  };
  for (const name of Object.getOwnPropertyNames(mathWithTransform)) {
    const get = Object.getOwnPropertyDescriptor(mathWithTransform, name)?.get;
    // Functions are made when they are first used, which takes longer than most calculations.
    let watched: unknown;
    const watch = () => {
      const value: unknown = get?.call(mathWithTransform);
      return typeof value === 'function' ? new Proxy(value as typeof apply, { apply }) : value;
    };
    if (get !== undefined) Object.defineProperty(mathWithTransform, name, { get: () => (watched ??= watch()) });
  }
  return calculator;
}

function createCalculator(digits: number, number: 'number' | 'BigNumber'): Calculator {
  const math = create(all ?? {}) as MathInstance;
  math.config({ number, precision: digits });
  const { mathWithTransform } = math.expression;
  for (const name of Object.getOwnPropertyNames(mathWithTransform)) {
    if (ALLOWED_NAMES.has(name)) continue;
    const reject = () => {
      throw new Error(`The function ${name} is switched off`);
    };
    Object.defineProperty(mathWithTransform, name, { value: reject });
  }
  return { math, digits, evaluate: math.evaluate.bind(math) as Calculator['evaluate'] };
}

// Several lines yield a set of results, of which the last is the answer.
function lastOf(result: unknown): unknown {
  const isSet = typeof result === 'object' && result !== null && 'isResultSet' in result && 'entries' in result;
  return isSet && Array.isArray(result.entries) ? result.entries.at(-1) : result;
}
