import type { JsonForm } from '../../ui/form/json-form.ts';
import type { Chain, ChainStep, NewChain } from '../queries.ts';

/** A step of a chain that is edited. Its key stays the same while its place and its provider change. */
export interface EditedStep {
  readonly key: string;
  /** The provider; '' until one is chosen. */
  readonly provider_type: string;
  /** The model; '' leaves it to the account. */
  readonly model_name: string;
}

/** What the form of a chain changes. */
export interface ChainValues {
  readonly name: string;
  readonly is_default: boolean;
  readonly steps: readonly EditedStep[];
}

/** How many steps a chain can have. */
export const MAX_STEPS = 20;

/** What a new chain begins with. */
export const NEW_CHAIN: ChainValues = {
  name: '',
  is_default: false,
  steps: [{ key: '0', provider_type: '', model_name: '' }],
};

/** Returns what the form changes of a stored chain. */
export function valuesOf({ name, is_default: isDefault, steps }: Chain): ChainValues {
  return {
    name,
    is_default: isDefault,
    steps: steps.map((step, at) => ({
      key: String(at),
      provider_type: step.provider_type,
      model_name: step.model_name ?? '',
    })),
  };
}

/** Returns what is sent of the values of a form. */
export function bodyOf({ steps, ...rest }: ChainValues): NewChain {
  return { ...rest, steps: stepsOf(steps) };
}

/** How a chain is written as JSON. */
export const CHAIN_JSON: JsonForm<ChainValues> = { write: bodyOf, read: (body: Chain) => valuesOf(body) };

/** Returns the steps of a form as the api takes them. */
export function stepsOf(steps: readonly EditedStep[]): ChainStep[] {
  return steps.map(({ provider_type, model_name: model }) => ({
    provider_type,
    model_name: model === '' ? null : model,
  }));
}

/** Returns the steps with another one at the end. */
export function withStep(steps: readonly EditedStep[]): readonly EditedStep[] {
  const last = Math.max(-1, ...steps.map(({ key }) => Number(key)));
  return [...steps, { key: String(last + 1), provider_type: '', model_name: '' }];
}
