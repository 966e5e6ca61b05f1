import type { Problem } from '../../core/http/problem.ts';
import type { EditorLanguage, Fault } from '../../ui/editor/editing.ts';
import { readJson } from '../../ui/editor/json-text.ts';

/** A file and what is known to be wrong with it. */
export interface Judged {
  readonly path: string;
  readonly content: string;
  /** What the server has said of exactly this content. */
  readonly said?: string | undefined;
  /** Why the definition is not usable, which may name this file: `http.json: url: ...`. */
  readonly problem?: string | null | undefined;
}

const LANGUAGES: Readonly<Record<string, EditorLanguage>> = {
  md: 'markdown',
  json: 'json',
  js: 'javascript',
  mjs: 'javascript',
  ts: 'javascript',
};

/** Returns the language of a file, by its ending. */
export function languageOf(path: string): EditorLanguage {
  return LANGUAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()] ?? 'plain';
}

/** Returns what a refusal says of the content of a file. */
export function saidIn({ fields, message }: Problem): string {
  const [said] = Object.entries(fields).filter(([name]) => name === 'content' || name.startsWith('content.'));
  return said?.[1] ?? message;
}

/**
 * Returns what is wrong with a file, each at its line. JSON that is none is found here, before anything is sent, and
 * said by `notJson`; what the server says is put at the line that it names, or else at that of the field that it is
 * about.
 */
export function faultsOf(
  { path, content, said, problem }: Judged,
  notJson: (line: number) => string,
): readonly Fault[] {
  const read = path.endsWith('.json') && content.trim() !== '' ? readJson(content) : undefined;
  if (read !== undefined && 'fault' in read) return [{ ...read.fault, message: notJson(read.fault.line) }];
  const head = `${path}: `;
  const told = said ?? (problem?.startsWith(head) === true ? problem.slice(head.length) : undefined);
  return told === undefined ? [] : [{ line: lineOf(told, content), message: told }];
}

function lineOf(said: string, content: string): number {
  const named = /\(line (\d{1,9})[,)]/.exec(said)?.[1];
  if (named !== undefined) return Number(named);
  const colon = said.indexOf(':');
  if (colon < 0) return 1;
  // The names of a path stand one after the other in a text of JSON, as far as they are there.
  let at = 0;
  for (const name of said.slice(0, colon).split('.')) {
    const next = content.indexOf(JSON.stringify(name), at);
    if (next < 0) break;
    at = next;
  }
  return content.slice(0, at).split('\n').length;
}
