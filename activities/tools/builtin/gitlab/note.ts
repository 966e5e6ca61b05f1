import { pickFields } from '../services/pick-fields.ts';
import type { ServiceCall } from '../services/service-tool.ts';

/** What is shown of a comment; GitLab's own notes of changes are `system`. */
export const NOTE = ['id', 'author.username', 'body', 'system', 'resolved', 'created_at'];

/** Comments on what is at a path of the API. */
export async function commentOn(path: string, body: string, { service }: ServiceCall): Promise<unknown> {
  const request = { method: 'POST', path: `${path}/notes`, json: { body } } as const;
  const answer = await service.request({ ...request, effect: 'once' });
  return pickFields(answer.json(), ['id', 'created_at']);
}
