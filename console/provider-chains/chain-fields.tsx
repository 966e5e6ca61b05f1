import { Plus, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { chooseAccounts } from '../../domain/provider-chains.ts';
import { useNow } from '../core/clock.ts';
import { useCan } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/session-context.tsx';
import type { Provider } from '../providers/queries.ts';
import { Button } from '../ui/controls/button.tsx';
import { ChoiceField } from '../ui/controls/choice.tsx';
import { Field, FieldFrame } from '../ui/fields/text-fields.tsx';
import { SuggestField, SwitchField } from '../ui/fields/fields.tsx';
import type { EditedRecord, JsonForm } from '../ui/form/use-record.ts';
import { Section } from '../ui/page/page.tsx';
import { SortableList } from '../ui/sortable-list/sortable-list.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './chains.module.css';
import { type Chain, type ChainStep, type KnownProviders, type NewChain, useKnownProviders } from './queries.ts';
import { useChainsText } from './text.ts';

/** What a chain is made of: its name, its steps in order, and whether it is the default. */
export function ChainFields({ record }: { readonly record: EditedRecord<ChainValues> }): ReactNode {
  const text = useChainsText();
  const [isAdministrator, known] = [useCan('settings.manage'), useKnownProviders()];
  const { name, value: steps, onValueChange } = record.field('steps');
  const positionOf = (key: string) => steps.findIndex((step) => step.key === key) + 1;
  return (
    <div className="stack">
      <Field label={text.name} required maxLength={200} {...record.field('name')} />
      <FieldFrame label={text.steps} name={name} hint={text.stepsLead} isLabelled={false}>
        <SortableList
          label={text.steps}
          rows={steps}
          keyOf={({ key }) => key}
          nameOf={({ key, provider_type: type }) => text.step(positionOf(key), known.nameOf(type))}
          onOrderChange={onValueChange}
        >
          {(step, at) => (
            <StepFields
              step={step}
              position={at + 1}
              known={known}
              onChange={(changed) => onValueChange(steps.map((each) => (each.key === step.key ? changed : each)))}
              onRemove={steps.length > 1 ? () => onValueChange(steps.filter(({ key }) => key !== step.key)) : undefined}
            />
          )}
        </SortableList>
        <div className={classes.more}>
          <Button
            icon={Plus}
            reason={steps.length < MAX_STEPS ? undefined : text.mostSteps}
            onClick={() => onValueChange(withStep(steps))}
          >
            {text.addStep}
          </Button>
        </div>
      </FieldFrame>
      <SwitchField
        label={text.isDefault}
        hint={text.isDefaultHint}
        reason={isAdministrator ? undefined : text.onlyAdministrators}
        {...record.field('is_default')}
      />
      <Section title={text.now} lead={text.unsavedNow}>
        <AnswersNow steps={stepsOf(steps)} known={known} />
      </Section>
    </div>
  );
}

/** A step of a chain that is edited. Its key stays the same while its place and its provider change. */
interface EditedStep {
  readonly key: string;
  /** The provider; '' until one is chosen. */
  readonly provider_type: string;
  /** The model; '' leaves it to the account. */
  readonly model_name: string;
}

/** What the form of a chain changes. */
interface ChainValues {
  readonly name: string;
  readonly is_default: boolean;
  readonly steps: readonly EditedStep[];
}

/** How many steps a chain can have. */
const MAX_STEPS = 20;

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

interface AnswersNowProps {
  readonly steps: readonly ChainStep[];
  readonly known: KnownProviders;
}

/** The accounts that a turn of the user would try now, in their order, by the rules of the server. */
function AnswersNow({ steps, known: { accounts = [], nameOf } }: AnswersNowProps): ReactNode {
  const text = useChainsText();
  const { data: user } = useCurrentUser();
  // Administrators also see accounts that serve nobody but their owners.
  const serving = accounts.filter(({ shared, owner_id: owner }) => shared || owner === user?.id);
  const chain = steps.map(({ provider_type, model_name }) => ({ providerType: provider_type, modelName: model_name }));
  const { candidates } = chooseAccounts(serving.map(availabilityOf), chain, useNow());
  if (candidates.length === 0) return <p>{text.nowNone}</p>;
  const byId = new Map(serving.map((account) => [account.id, account]));
  return (
    <ol className={`list ${classes.now}`}>
      {candidates.map(({ accountId, stepIndex }) => (
        <li key={`${accountId}/${stepIndex}`}>
          <strong>{showInvisible(byId.get(accountId)?.name ?? '')}</strong>{' '}
          <span className="measure soft">
            {text.nowStep(stepIndex + 1, nameOf(steps[stepIndex]?.provider_type ?? ''))}
          </span>
        </li>
      ))}
    </ol>
  );
}

function availabilityOf(account: Provider) {
  const { id, provider_type: providerType, cooldown_until: until, last_used_at: used } = account;
  return {
    id,
    providerType,
    cooldownUntil: until === null ? null : Date.parse(until),
    disabledReason: account.disabled_reason,
    lastUsedAt: used === null ? null : Date.parse(used),
  };
}

interface StepFieldsProps {
  readonly step: EditedStep;
  /** Its number, from 1. */
  readonly position: number;
  readonly known: KnownProviders;
  readonly onChange: (step: EditedStep) => void;
  /** Takes it away; undefined for the only one. */
  readonly onRemove: (() => void) | undefined;
}

/** A step of a chain: a provider and a model. One that no account stands behind warns, and can be stored. */
function StepFields({ step, position, known, onChange, onRemove }: StepFieldsProps): ReactNode {
  const text = useChainsText();
  const entry = known.entries.find(({ key }) => key === step.provider_type);
  return (
    <div className={classes.step}>
      <ChoiceField
        label={text.provider(position)}
        name={`steps.${position - 1}.provider_type`}
        placeholder={text.providerHint}
        choices={known.entries.map(({ key, name }) => ({ value: key, label: name }))}
        value={step.provider_type === '' ? null : step.provider_type}
        onValueChange={(type) => onChange({ ...step, provider_type: type ?? '' })}
      />
      <SuggestField
        label={text.model(position)}
        name={`steps.${position - 1}.model_name`}
        placeholder={text.accountsModel}
        suggestions={entry?.models ?? []}
        value={step.model_name}
        onValueChange={(model) => onChange({ ...step, model_name: model })}
      />
      {onRemove !== undefined && (
        <Button variant="quiet" aria-label={text.removeStep(position)} onClick={onRemove}>
          <X aria-hidden />
        </Button>
      )}
      {step.provider_type !== '' && <AccountsNote type={step.provider_type} known={known} />}
    </div>
  );
}

function AccountsNote({ type, known: { accounts } }: { readonly type: string; readonly known: KnownProviders }) {
  const text = useChainsText();
  const own = accounts?.filter((account) => account.provider_type === type);
  if (own === undefined) return null;
  const warning =
    own.length === 0 ? text.noAccount : own.every(({ status }) => status !== 'active') ? text.noActive : undefined;
  if (warning === undefined)
    return <p className={classes.note}>{text.accounts(own.map(({ name }) => showInvisible(name)).join(', '))}</p>;
  return (
    <p className={classes.note} data-warns>
      <TriangleAlert aria-hidden />
      {warning}
    </p>
  );
}
