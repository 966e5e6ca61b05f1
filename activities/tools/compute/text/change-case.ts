import slugify from '@sindresorhus/slugify';
import { camelCase, constantCase, kebabCase, pascalCase, snakeCase } from 'change-case';

const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
const SENTENCE_START = /(?:^|[.!?]\s)\P{L}{0,9}\p{L}/gmu;

const WAYS: Readonly<Record<string, (line: string) => string>> = {
  upper: (line) => line.toUpperCase(),
  lower: (line) => line.toLowerCase(),
  title: (line) => line.replace(WORD, capitalize),
  sentence: (line) => line.toLowerCase().replace(SENTENCE_START, (start) => start.toUpperCase()),
  camel: (line) => camelCase(line),
  pascal: (line) => pascalCase(line),
  snake: (line) => snakeCase(line),
  kebab: (line) => kebabCase(line),
  constant: (line) => constantCase(line),
  slug: (line) => slugify(line, { decamelize: false }),
};

/** Rewrites a text in a case such as `title` or `snake`, or as a slug, line by line. */
export function changeCase(text: string, way: string): string {
  const change = WAYS[way] ?? String;
  return text
    .split('\n')
    .map((line) => change(line))
    .join('\n');
}

function capitalize(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('').toLowerCase();
}
