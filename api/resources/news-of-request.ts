import { z } from 'zod';
import type { RecordNews } from '../../db/core/after-commit.ts';
import { resourceOf } from '../../domain/resources.ts';
import type { Route } from '../http/define-route.ts';

interface HandledRequest {
  readonly route: Route;
  readonly params: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
  readonly userId: string;
  /** The organization that it was for, unless its path names another. */
  readonly orgId: string | undefined;
}

/** Changes that only one user, or nobody, is notified of: no other member would read anything again. */
const OF_ONE: ReadonlySet<RecordNews['resource']> = new Set(['users', 'auth', 'health', 'host_deliveries']);

/** Resources whose operations announce changes themselves, to those who may read the chat. */
const ANNOUNCED: ReadonlySet<RecordNews['resource']> = new Set(['tasks']);

/**
 * Returns the news that members of the organization get of a handled request, derived from the declaration of its route
 * as its audit entry is; `undefined` for one that changes no record. What turns change is announced by them.
 */
export function newsOfRequest({ route, params, answer, userId, ...request }: HandledRequest): RecordNews | undefined {
  const orgId = idIn(params['org_id']) ?? request.orgId;
  if (orgId === undefined || !changesRecords(route)) return undefined;
  const { method, resource, response } = route;
  const isAdded = method === 'post' && response.status === 201;
  const id = idOfRecord({ params, answer, isAdded });
  const news = { orgId, resource, id, action: actionOf(method, isAdded) };
  const chatId = chatOf(resource, id, params);
  if (chatId !== undefined) return { ...news, chatId };
  return isOfOne(resource) ? { ...news, userId } : news;
}

function changesRecords({ method, resource, response }: Route): boolean {
  return method !== 'get' && !ANNOUNCED.has(resource) && response.stream === undefined && response.isRelayed !== true;
}

function isOfOne(resource: RecordNews['resource']): boolean {
  return OF_ONE.has(resource) || resourceOf(resource).isPersonal === true;
}

function idOfRecord({
  params,
  answer,
  isAdded,
}: Pick<HandledRequest, 'params' | 'answer'> & { readonly isAdded: boolean }): string | null {
  // In the order of the path.
  const named = Object.values(params).flatMap((value) => idIn(value) ?? []);
  return (isAdded ? undefined : named.at(-1)) ?? idOf(answer) ?? null;
}

function actionOf(method: Route['method'], isAdded: boolean): RecordNews['action'] {
  if (method === 'delete') return 'deleted';
  return isAdded ? 'created' : 'changed';
}

// A fork is another chat than the one in its path.
function chatOf(
  resource: RecordNews['resource'],
  id: string | null,
  params: HandledRequest['params'],
): string | undefined {
  return resource === 'chats' ? (id ?? undefined) : idIn(params['chat_id']);
}

function idIn(value: unknown): string | undefined {
  return z.uuid().toLowerCase().safeParse(value).data;
}

/** Returns the id of the record in a response. */
export function idOf(answer: unknown): string | undefined {
  return z.object({ id: z.uuid() }).safeParse(answer).data?.id;
}
