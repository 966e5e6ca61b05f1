import { type ListTasksRequest, type ListTasksResponse, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { type A2aTaskPosition, listA2aTasks } from '../../db/a2a/tasks.ts';
import type { A2aTaskState } from '../../domain/a2a-tasks.ts';
import { idSchema, ownerOf, type TaskDeps } from './find-task.ts';
import { checkHistoryLength, presentTask, stateOf } from './present-task.ts';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

/** Returns a page of a member's tasks with an agent, those that changed last first. */
export async function listTasks(deps: TaskDeps, request: ListTasksRequest): Promise<ListTasksResponse> {
  const { contextId, status, pageSize = DEFAULT_PAGE, pageToken, statusTimestampAfter, includeArtifacts } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE)
    throw new RequestMalformedError(`pageSize must be from 1 to ${MAX_PAGE}`);
  checkHistoryLength(request);
  const wanted = {
    chatId: contextId === '' ? undefined : readContextId(contextId),
    state: readState(status),
    since: statusTimestampAfter === undefined ? undefined : readTime(statusTimestampAfter),
    after: pageToken === '' ? undefined : readPosition(pageToken),
    limit: pageSize,
    withAnswers: includeArtifacts === true,
  };
  const { tasks, total, hasMore } = await listA2aTasks(deps.context.database, ownerOf(deps), wanted);
  const last = tasks.at(-1);
  return {
    tasks: tasks.map((task) => presentTask(task, request)),
    nextPageToken: hasMore && last !== undefined ? writePosition(last) : '',
    pageSize: tasks.length,
    totalSize: total,
  };
}

function readContextId(id: string): string {
  const known = idSchema.safeParse(id);
  if (!known.success) throw new RequestMalformedError('contextId must be that of a task');
  return known.data;
}

function readState(status: TaskState): A2aTaskState | undefined {
  if (status === TaskState.TASK_STATE_UNSPECIFIED) return undefined;
  const state = stateOf(status);
  if (state === undefined) throw new RequestMalformedError('status must be a state that tasks of this agent can be in');
  return state;
}

// The database knows no times of years that take more than four digits before Christ.
const timeSchema = z.iso.datetime({ offset: true });

function readTime(time: string): Date {
  const known = timeSchema.safeParse(time);
  if (!known.success) throw new RequestMalformedError('statusTimestampAfter must be a time');
  return new Date(known.data);
}

const positionSchema = z.tuple([z.iso.datetime(), idSchema]);

function writePosition({ at, id }: A2aTaskPosition): string {
  return Buffer.from(JSON.stringify([at.toISOString(), id])).toString('base64url');
}

function readPosition(token: string): A2aTaskPosition {
  try {
    const [at, id] = positionSchema.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { at: new Date(at), id };
  } catch (error) {
    throw new RequestMalformedError({ message: 'pageToken must be the nextPageToken of a page', cause: error });
  }
}
