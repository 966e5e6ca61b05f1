import { partsOfLine } from '../../core/text/comma-list.ts';
import type { JsonForm } from '../../ui/form/json-form.ts';
import type { ModelProfile, NewProfile, ProfileChanges } from '../queries.ts';

/** What the form of a profile changes; an empty text stands for null. */
export interface ProfileValues {
  readonly name: string;
  readonly description: string;
  /** Who answers. */
  readonly by: 'model' | 'chain';
  readonly provider_type: string;
  readonly model_name: string;
  readonly provider_chain_id: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly priority: number;
}

/** What a new profile begins with. */
export const NEW_PROFILE: ProfileValues = {
  name: '',
  description: '',
  by: 'model',
  provider_type: '',
  model_name: '',
  provider_chain_id: '',
  tags: '',
  priority: 0,
};

/** Returns what the form changes of a stored profile. */
export function valuesOf(profile: ModelProfile): ProfileValues {
  return {
    name: profile.name,
    description: profile.description,
    by: profile.provider_chain_id === null ? 'model' : 'chain',
    provider_type: profile.provider_type ?? '',
    model_name: profile.model_name ?? '',
    provider_chain_id: profile.provider_chain_id ?? '',
    tags: profile.tags.join(', '),
    priority: profile.priority,
  };
}

/** Returns a new profile as the api takes it. */
export function bodyOf(values: ProfileValues): NewProfile {
  const { name, description, tags, priority } = values;
  return { name, description, priority, tags: partsOfLine(tags), ...choiceOf(values) };
}

/** How a profile is written as JSON. */
export const PROFILE_JSON: JsonForm<ProfileValues> = { write: bodyOf, read: (body: ModelProfile) => valuesOf(body) };

/** Returns what is sent of changed values. Who answers is sent as a whole: a model and a chain exclude each other. */
export function changesOf(changes: Partial<ProfileValues>, values: ProfileValues): ProfileChanges {
  const { by, provider_type, model_name, provider_chain_id, tags, ...rest } = changes;
  const isChosenAnew = [by, provider_type, model_name, provider_chain_id].some((value) => value !== undefined);
  return { ...rest, ...(tags !== undefined && { tags: partsOfLine(tags) }), ...(isChosenAnew && choiceOf(values)) };
}

function choiceOf({ by, provider_type: type, model_name: model, provider_chain_id: chain }: ProfileValues) {
  const none = { provider_type: null, model_name: null, provider_chain_id: null };
  if (by === 'chain') return { ...none, provider_chain_id: orNull(chain) };
  return { ...none, provider_type: orNull(type), model_name: orNull(model) };
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
