import type { TestUser } from './factories.ts';

/** A file that the api has answered. */
export interface Downloaded {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Downloads what a path answers, as one user. */
export async function download({ client, accessToken }: TestUser, path: string): Promise<Downloaded> {
  const answer = await fetch(`${client.url}${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Posts a form, or a body of a type, as one user. */
export async function upload(
  { client, accessToken }: TestUser,
  path: string,
  body: Buffer | FormData,
  type?: string,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const headers = { authorization: `Bearer ${accessToken}`, ...(type !== undefined && { 'content-type': type }) };
  const sent = body instanceof FormData ? body : new Uint8Array(body);
  const answer = await fetch(`${client.url}${path}`, { method: 'POST', headers, body: sent });
  return { status: answer.status, json: await answer.json() };
}
