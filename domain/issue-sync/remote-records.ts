import { z } from 'zod';
import { cut, isShowable, toShowable, toStorableText } from '../core/text.ts';
import { MAX_ISSUE_TEXT_CHARACTERS, MAX_LABEL_CHARACTERS, MAX_LABELS, MAX_TITLE_CHARACTERS } from '../issues.ts';

/** Whether an issue is open at its host, and how it was closed. */
export type RemoteState = 'open' | 'done' | 'dropped';

/** An issue as its host reports it, in texts that can be stored and shown here. */
export interface RemoteIssue {
  /** Its id among all issues of the host. */
  readonly externalId: string;
  /** Its number in its repository. */
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly state: RemoteState;
  readonly labels: readonly string[];
  /** The name of its author at the host; undefined where the host does not say, null for a deleted account. */
  readonly author: string | null | undefined;
  /** Where people see it; null when that is no web address. */
  readonly url: string | null;
  readonly createdAt: Date;
  /** To the second: hosts report one change in more or less detail. */
  readonly updatedAt: Date;
  readonly hasComments: boolean;
}

/** A comment as its host reports it. */
export interface RemoteComment {
  readonly externalId: string;
  /** The number of its issue. */
  readonly issueNumber: number;
  readonly content: string;
  readonly author: string | null;
  readonly url: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The largest number of an issue that can be stored. */
const MAX_NUMBER = 2 ** 31 - 1;
const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59);

/** The id of a record among all those of its host. */
export const idField = z.int().positive();

/** The number of an issue in its repository. */
export const numberField = idField.max(MAX_NUMBER);

/** The number of an issue in a list, of any size: one that cannot be stored must not keep the others away. */
export const listedNumberField = z.number();

/** Returns whether the number of an issue can be stored. */
export function isStorableNumber(number: number): boolean {
  return numberField.safeParse(number).success;
}

/** A time, to the second. */
export const timeField = z.string().transform((text, context) => {
  const time = secondOf(text);
  if (time !== undefined) return time;
  context.addIssue('is not a time');
  return z.NEVER;
});

/**
 * Returns the time to the second; undefined when it is none. Years that cannot be stored, or have other forms in
 * texts, become the first or last that can: some hosts send the year 1 for a time that they do not know.
 */
export function secondOf(text: string): Date | undefined {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  return new Date(Math.floor(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS) / 1_000) * 1_000);
}

/** Returns the number of an issue that a text is; undefined when it is none. */
export function numberOf(text: string): number | undefined {
  return numberField.safeParse(Number(text)).data;
}

const MAX_NAME = 200;
const MAX_URL = 2_000;
const CUT_NOTE = '\n\n[The rest is at the code host]';

/** Returns a title as it can be stored here: one line that is not empty. */
export function cleanTitle(title: string): string {
  return cut(toShowable(toStorableText(title)), MAX_TITLE_CHARACTERS).trim() || '(no title)';
}

/** Returns a text that can be stored here; one that is too long ends with a note that it was cut. */
export function cleanText(text: string | null | undefined): string {
  const clean = toStorableText(text ?? '');
  if (clean.length <= MAX_ISSUE_TEXT_CHARACTERS) return clean;
  return `${cut(clean, MAX_ISSUE_TEXT_CHARACTERS - CUT_NOTE.length)}${CUT_NOTE}`;
}

/** Returns labels as they can be stored here: the first so many, each once. */
export function cleanLabels(labels: readonly string[]): readonly string[] {
  const clean = labels.map((label) => cut(toShowable(toStorableText(label)), MAX_LABEL_CHARACTERS).trim());
  return [...new Set(clean.filter((label) => label !== ''))].slice(0, MAX_LABELS);
}

/** Returns the name of an account; null for one that is gone, or whose name cannot be shown. */
export function cleanName(name: string | null | undefined): string | null {
  if (name === null || name === undefined || name === '') return null;
  const clean = cut(toStorableText(name), MAX_NAME);
  return isShowable(clean) ? clean : null;
}

/** Returns an address that people can be led to, and null for any other: a host may send what runs in a browser. */
export function cleanUrl(url: string | null | undefined): string | null {
  const parsed = URL.parse(url ?? '');
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  return isWeb && parsed.href.length <= MAX_URL ? parsed.href : null;
}

const START = '\n\n<!-- everturn comment ';
const END = ' -->';
const ID_LENGTH = 36;

/** Returns what is written to a code host for a comment: its text, and its id where readers do not see it. */
export function withMarker(content: string, commentId: string): string {
  return `${content}${START}${commentId}${END}`;
}

/** Returns the id of the comment here that a text at a code host was written from; undefined for any other text. */
export function markedId(text: string): string | undefined {
  const start = text.lastIndexOf(START);
  const id = text.slice(start + START.length, start + START.length + ID_LENGTH);
  return start !== -1 && text.slice(start + START.length + ID_LENGTH) === END ? id : undefined;
}

/** Returns a text at a code host without the id that was written there. */
export function contentOf(text: string): string {
  return markedId(text) === undefined ? text : text.slice(0, text.lastIndexOf(START));
}

const WWW = 'www.';

/**
 * Returns the key of a code host in the ids of its records, which are unique per host. It is derived from the address
 * that people see; an integration may use another one.
 */
export function hostKeyOf(repoUrl: string): string {
  const host = URL.parse(repoUrl)?.host ?? '';
  return host.startsWith(WWW) ? host.slice(WWW.length) : host;
}
