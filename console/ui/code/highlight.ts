import type { Parser } from '@lezer/common';
import { highlightTree, tagHighlighter, tags } from '@lezer/highlight';

/** A part of a code, and what it is. */
export interface CodePart {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** What is coloured of one block. */
const MAX_CHARACTERS = 50_000;
const MAX_PARTS = 10_000;

const kinds = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.null, tags.bool], class: 'keyword' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.attributeValue], class: 'string' },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], class: 'comment' },
  { tag: [tags.number, tags.unit, tags.color], class: 'number' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: 'type' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.macroName], class: 'function' },
  { tag: [tags.propertyName, tags.attributeName, tags.labelName], class: 'property' },
]);

/** Returns the parts of a code that have a colour, in order. */
export function partsOf(code: string, parser: Parser): readonly CodePart[] {
  if (code.length > MAX_CHARACTERS) return [];
  const parts: CodePart[] = [];
  highlightTree(parser.parse(code), kinds, (from, to, kind) => {
    if (parts.length < MAX_PARTS) parts.push({ from, to, kind });
  });
  return parts;
}

/**
 * Paints the code that is the only text of an element, where the browser can; the text stays one node, without elements
 * or styles of its own. Returns a function that takes the colours back.
 */
export async function paint(element: Element, language: string): Promise<() => void> {
  const text = element.firstChild;
  const registry = globalThis.CSS?.highlights;
  if (registry === undefined || !(text instanceof Text)) return () => undefined;
  const parser = await loadParser(language);
  if (parser === undefined) return () => undefined;
  const painted = partsOf(text.data, parser).map(({ from, to, kind }) => {
    const range = new StaticRange({ startContainer: text, startOffset: from, endContainer: text, endOffset: to });
    const name = `code-${kind}`;
    const highlight = registry.get(name) ?? new Highlight();
    registry.set(name, highlight.add(range));
    return { highlight, range };
  });
  return () => {
    for (const { highlight, range } of painted) highlight.delete(range);
  };
}

type Load = () => Promise<Parser>;

const script =
  (dialect: string): Load =>
  async () =>
    (await import('@lezer/javascript')).parser.configure({ dialect });

const css: Load = async () => (await import('@lezer/css')).parser;
const html: Load = async () => (await import('@lezer/html')).parser;
const yaml: Load = async () => (await import('@lezer/yaml')).parser;
const python: Load = async () => (await import('@lezer/python')).parser;
const cpp: Load = async () => (await import('@lezer/cpp')).parser;
const rust: Load = async () => (await import('@lezer/rust')).parser;
const json: Load = async () => (await import('@lezer/json')).parser;
const xml: Load = async () => (await import('@lezer/xml')).parser;
const go: Load = async () => (await import('@lezer/go')).parser;
const java: Load = async () => (await import('@lezer/java')).parser;
const php: Load = async () => (await import('@lezer/php')).parser;

/** How the parser of a language is loaded, by the names that fences give it. */
const LANGUAGES = new Map<string, Load>([
  ['js', script('jsx')],
  ['mjs', script('jsx')],
  ['javascript', script('jsx')],
  ['jsx', script('jsx')],
  ['ts', script('ts')],
  ['typescript', script('ts')],
  ['tsx', script('jsx ts')],
  ['css', css],
  ['html', html],
  ['json', json],
  ['jsonc', json],
  ['yaml', yaml],
  ['yml', yaml],
  ['py', python],
  ['python', python],
  ['c', cpp],
  ['h', cpp],
  ['cpp', cpp],
  ['c++', cpp],
  ['rs', rust],
  ['rust', rust],
  ['xml', xml],
  ['svg', xml],
  ['go', go],
  ['golang', go],
  ['java', java],
  ['php', php],
]);

/** Loads the parser of a language; `undefined` when it has none. */
export async function loadParser(language: string): Promise<Parser | undefined> {
  return LANGUAGES.get(language.toLowerCase())?.();
}
