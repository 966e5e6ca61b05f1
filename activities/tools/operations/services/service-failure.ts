import { parseForeignJson } from '../../../../domain/core/foreign-json.ts';
import { cut, toShowable } from '../../../../domain/core/text.ts';
import { ToolFailure, type ToolFailureClass } from '../../tool-failure.ts';
import type { RunEffect } from '../../tool.ts';

/** The answer of a service that has not done what it was asked for; its text holds no secret. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  /** How long the service asks to be left alone; undefined unless it does. */
  readonly waitMs: number | undefined;
}

/** The request that was refused. */
interface Refused {
  /** The name of the service. */
  readonly service: string;
  readonly effect: RunEffect;
}

const MAX_WORDS = 500;
/** The members in which APIs say what is wrong, and those that lead to it. */
const WORDS = ['message', 'error_description', 'detail', 'title', 'description', 'reason', 'errorType', 'error', 'msg'];
const LEADS = ['error', 'errors', 'errorMessages', 'message', 'fault', 'meta', 'details'];
const MAX_DEPTH = 4;

/** Returns the failure that an answer is, with the words of the service as far as it says any. */
export function serviceFailure({ status, text, waitMs }: Refusal, { service, effect }: Refused): ToolFailure {
  const said = wordsIn(text);
  const message = `${service} answers with the status ${status}${hintFor(status)}${said === undefined ? '' : `: ${said}`}`;
  return new ToolFailure(waitMs === undefined ? classOf(status) : 'rate_limited', message, {
    isForeign: said !== undefined,
    waitMs,
    // A service that fails in the middle of a write may have made it.
    isUncertain: status >= 500 && effect !== 'read' && waitMs === undefined,
  });
}

function classOf(status: number): ToolFailureClass {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || status === 410) return 'not_found';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'invalid_input' : 'upstream';
}

function hintFor(status: number): string {
  if (status === 401) return ' (its credentials were rejected: somebody must look at the integration)';
  if (status < 400) return ' (it redirects elsewhere, where credentials are not sent)';
  return '';
}

function wordsIn(text: string): string | undefined {
  if (/^\s*</.test(text)) return undefined;
  const parsed = parseForeignJson(text);
  const found = 'value' in parsed ? [...new Set(textsIn(parsed.value, MAX_DEPTH))].join('; ') : text;
  const words = cut(toShowable(found), MAX_WORDS).trim();
  return words === '' ? undefined : words;
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => textsIn(each, depth - 1));
  const members = new Map(Object.entries(value));
  const own = WORDS.flatMap((name) => {
    const each: unknown = members.get(name);
    return typeof each === 'string' ? [each] : [];
  });
  const below = LEADS.flatMap((name) => {
    const each: unknown = members.get(name);
    return typeof each === 'object' && each !== null ? leadsTo(each, depth - 1) : [];
  });
  return [...own, ...below];
}

// Errors by field: `{ "summary": "is required" }`, or a list of them for each.
function leadsTo(value: object, depth: number): string[] {
  const found = textsIn(value, depth);
  if (found.length > 0 || Array.isArray(value)) return found;
  return Object.entries(value)
    .slice(0, 5)
    .flatMap(([name, each]) => listed(each).flatMap((text) => (typeof text === 'string' ? [`${name}: ${text}`] : [])));
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, 5) : [value];
}
