import type { OpenAI } from 'openai';
import { asList, asObject, asText } from '../transport/json.ts';

const MAX_ID_CHARACTERS = 100;

/** Returns the ids of the models that an account's server lists; the server's data is not trusted. */
export async function listModels(client: OpenAI, signal: AbortSignal): Promise<readonly string[]> {
  const page: unknown = await client.models.list({ signal });
  const ids = asList(asObject(page)['data']).map((model) => asText(asObject(model)['id']));
  return ids.filter((id) => id !== '' && id.length <= MAX_ID_CHARACTERS);
}
