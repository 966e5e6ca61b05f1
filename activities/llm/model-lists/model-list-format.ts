import type { OfferedModel } from '../../../workflows/short/contract.ts';
import type { ModelAccount } from '../model-adapter.ts';
import { asList, asObject, asText } from '../transport/json.ts';

/** A request for a list of models. */
interface ListRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the providers of a wire format are asked for their models. */
export interface ModelListFormat {
  /** Several where the models stand in several lists. */
  readonly toHttp: (account: ModelAccount) => readonly ListRequest[];
  /** Returns the models of an answer, of which nothing is trusted; undefined when it is no list. */
  readonly read: (answer: unknown) => readonly OfferedModel[] | undefined;
}

const MAX_ID_CHARACTERS = 200;
const MODEL_ID = /^\P{C}+$/u;
const MAX_NAME_CHARACTERS = 200;

/** The names of the fields of a model in a list. */
interface ModelFields {
  readonly id: string;
  readonly name: string;
}

/** Returns the models of a list, without those whose id is none. */
export function readModels(list: unknown, { id: idField, name: nameField }: ModelFields): OfferedModel[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return asList(list).flatMap((entry) => {
    const { [idField]: givenId, [nameField]: givenName } = asObject(entry);
    const [id, name] = [asText(givenId), asText(givenName).slice(0, MAX_NAME_CHARACTERS)];
    if (!MODEL_ID.test(id) || id.length > MAX_ID_CHARACTERS) return [];
    return [{ id, name: name === '' || name === id ? null : name }];
  });
}
