import { pickFields } from './pick-fields.ts';
import type { ServiceCall } from './service-tool.ts';

interface Changed<N> {
  readonly method: 'PATCH' | 'PUT';
  readonly pathOf: (named: N) => string;
  /** What is shown of it. */
  readonly fields: readonly string[];
}

/** Returns how a record of a service is changed: members of it are set, so a repetition changes nothing. */
export function changeOf<N>({ method, pathOf, fields }: Changed<N>) {
  return async (named: N, json: Readonly<Record<string, unknown>>, { service }: ServiceCall): Promise<unknown> => {
    const answer = await service.request({ method, path: pathOf(named), json, effect: 'keyed' });
    return pickFields(answer.json(), fields);
  };
}
