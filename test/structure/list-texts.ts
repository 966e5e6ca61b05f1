import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

/** What attributes of elements, and of our own parts, say to people. */
const READ: ReadonlySet<string> = new Set([
  'action',
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'heading',
  'hint',
  'label',
  'lead',
  'note',
  'placeholder',
  'reason',
  'status',
  'submitLabel',
  'title',
  'unit',
  'why',
]);
const NAMED: ReadonlySet<string> = new Set(['description', 'hint', 'label', 'lead', 'placeholder', 'reason', 'title']);

/** The same in each language. */
const UNIVERSAL: ReadonlySet<string> = new Set(['https://']);

/** Operators whose outcome is one of both sides, or is made of them; others compare. */
const JOINS: ReadonlySet<string> = new Set(['&&', '||', '??', '+']);

const LETTER = /\p{L}/u;

type Node = Readonly<Record<string, unknown>>;

/** The words that components of the console hold themselves: "file: words". */
export function listTexts(root: string): string[] {
  const files = globSync('console/**/*.tsx', { cwd: root, exclude: ['console/dist/**'] });
  return files
    .filter((file) => !file.endsWith('.test.tsx'))
    .flatMap((file) => textsOf(readFileSync(join(root, file), 'utf8')).map((text) => `${file}: ${text}`));
}

/** The words that people read which the source of a component holds itself, in order. */
export function textsOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (!isNode(node)) return;
    found.push(...wordsOf(node).filter((words) => LETTER.test(words) && !UNIVERSAL.has(words)));
    for (const part of Object.values(node)) visit(part);
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: true, target: 'es2024' }).body);
  return found;
}

/** Returns what one node shows: text between tags, an expression there, an attribute, or a property of a list. */
function wordsOf({ type, value, name, key, children }: Node): string[] {
  switch (type) {
    case 'JSXText':
      return [String(value).trim()];
    case 'JSXElement':
    case 'JSXFragment':
      return (children as unknown[]).flatMap((child) => outcomes(inner(child)));
    case 'JSXAttribute':
      return READ.has(nameOf(name)) ? outcomes(inner(value)) : [];
    case 'KeyValueProperty':
      return NAMED.has(nameOf(key)) ? outcomes(value) : [];
    default:
      return [];
  }
}

/** Returns the literal texts that an expression may come to. */
function outcomes(expression: unknown): string[] {
  if (!isNode(expression)) return [];
  const { type, value, quasis, consequent, alternate, operator, left, right } = expression;
  switch (type) {
    case 'StringLiteral':
      return [String(value)];
    case 'TemplateLiteral':
      return (quasis as { raw: string }[]).map(({ raw }) => raw);
    case 'ConditionalExpression':
      return [...outcomes(consequent), ...outcomes(alternate)];
    case 'BinaryExpression':
      return JOINS.has(String(operator)) ? [...outcomes(left), ...outcomes(right)] : [];
    case 'ParenthesisExpression':
      return outcomes(expression['expression']);
    default:
      return [];
  }
}

function inner(child: unknown): unknown {
  return isNode(child) && child['type'] === 'JSXExpressionContainer' ? child['expression'] : child;
}

/** Returns a name as it is written, `xlink:title` by its part before the colon. */
function nameOf(name: unknown): string {
  return isNode(name) && typeof name['value'] === 'string' ? name['value'] : '';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
