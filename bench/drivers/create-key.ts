import type { TestUser } from '../../test/support/factories.ts';

/** Creates an API key of a user, and returns it. */
export async function createKey({ client }: Pick<TestUser, 'client'>): Promise<string> {
  const { status, json } = await client.post<{ key: string }>('/api/users/me/api-keys', { name: 'Bench' });
  if (status !== 201) throw new Error(`the creation of an API key answered ${status}`);
  return json.key;
}
