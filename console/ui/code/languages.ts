import type { Parser } from '@lezer/common';

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
