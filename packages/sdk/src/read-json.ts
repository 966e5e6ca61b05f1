import { EverturnError } from './errors.ts';

/** Reads an answer; `undefined` when it has no body. */
export async function readJson<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new EverturnError(`${response.url} is no address of an Everturn server: its answer is not JSON`, {
      cause: error,
    });
  }
}
