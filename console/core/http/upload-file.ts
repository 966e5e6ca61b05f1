import type { Session } from '../session/session.ts';
import { problemOfBody, unreachable } from './problem.ts';

/** A file on its way to the server. */
interface Upload {
  readonly orgId: string;
  /** Where it is posted to. */
  readonly path: string;
  readonly file: File;
  readonly signal: AbortSignal;
  /** Is told how much of it is sent, from 0 to 1. */
  onProgress(share: number): void;
}

/**
 * Uploads a file and returns the record that is made of it; throws a `Problem` when that is rejected, or was given up.
 * It is an `XMLHttpRequest`, because `fetch` does not tell how much of a body is sent.
 */
export async function uploadFile<T>(session: Session, upload: Upload): Promise<T> {
  const token = await session.accessToken();
  const first = await post(upload, token);
  if (first.status !== 401 || token === undefined) return recordOf(first) as T;
  const other = await session.accessToken(token);
  return recordOf(other === undefined ? first : await post(upload, other)) as T;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function post(upload: Upload, token: string | undefined): Promise<Answer> {
  const { orgId, path, file, signal, onProgress } = upload;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(unreachable(request.statusText));
    request.open('POST', new URL(path, location.origin));
    request.setRequestHeader('X-Org-Id', orgId);
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => resolve(answerOf(request)));
    request.addEventListener('error', fail);
    request.addEventListener('abort', fail);
    signal.addEventListener('abort', () => request.abort());
    const form = new FormData();
    form.set('file', file, file.name);
    request.send(form);
  });
}

function answerOf(request: XMLHttpRequest): Answer {
  const retryAfter = request.getResponseHeader('retry-after');
  const headers = new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter });
  return { status: request.status, headers, body: bodyOf(request.responseText) };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordOf(answer: Answer): unknown {
  if (answer.status === 201) return answer.body;
  throw problemOfBody(answer, answer.body);
}
