import { type ReactNode, useState } from 'react';
import { Problem } from '../core/http/problem.ts';
import { Button } from '../ui/controls/button.tsx';
import { type Choice, ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SuggestField } from '../ui/fields/fields.tsx';
import {
  AddressField,
  CredentialFields,
  credentialsOf,
  formOf,
  sayAtFirst,
  type Way,
  waysOf,
} from './credential-fields.tsx';
import classes from './providers.module.css';
import { type CatalogEntry, type Provider, type ProviderSignIn, useAddProvider, useSignInActions } from './queries.ts';
import { useProvidersText } from './text.ts';

interface AccountFormProps {
  readonly entries: readonly CatalogEntry[];
  readonly actions?: ReactNode;
  /** Stands beside them once an account has not answered; by default what adds it all the same. */
  readonly whenFailed: ReactNode;
  /** `hasAnswered`: whether it was tested. */
  readonly onAdded: (added: Provider, hasAnswered: boolean) => void;
  /** Called when a sign-in has begun, at a provider that has no keys. */
  readonly onSignIn: (begun: ProviderSignIn) => void;
}

/** Asks which provider it is, or for a key that says it, and for what an account there needs. */
export function AccountForm({ entries, actions, whenFailed, onAdded, onSignIn }: AccountFormProps): ReactNode {
  const text = useProvidersText();
  const [chosen, setChosen] = useState<string | null>(null);
  const [pasted, setPasted] = useState('');
  const entry = entries.find(({ key }) => key === chosen);
  const recognized = recognize(entries, pasted);
  const take = (value: string) => {
    // One that is typed may be at its beginning only.
    if (value.length > pasted.length + 1) setChosen(recognize(entries, value)?.key ?? null);
    setPasted(value);
  };
  // Those that cannot be used come last.
  const choices = entries
    .toSorted((one, other) => Number(other.available) - Number(one.available))
    .map(({ key, name, available, unavailable_reason: reason }): Choice => ({
      value: key,
      label: name,
      reason: available ? undefined : (reason ?? text.unavailable),
    }));
  const choice = (
    <ChoiceField
      label={text.choose}
      name="provider_type"
      placeholder={text.chooseHint(entries.length)}
      choices={choices}
      value={chosen}
      onValueChange={setChosen}
    />
  );
  return (
    <div className="stack">
      {entry === undefined && (
        <Field
          label={text.pasted.label}
          name="pasted_key"
          type="password"
          autoComplete="off"
          isFirst
          hint={pasted === '' ? text.pasted.hint : text.pasted.unknown}
          value={pasted}
          onValueChange={take}
        />
      )}
      {choice}
      {entry === undefined ? (
        actions !== undefined && <div className="row">{actions}</div>
      ) : entry.auth_type === 'oauth' ? (
        <SignInForm key={entry.key} entry={entry} actions={actions} onSignIn={onSignIn} />
      ) : (
        <KeyForm
          key={entry.key}
          entry={entry}
          pasted={pasted}
          isSentAtOnce={entry === recognized}
          actions={actions}
          whenFailed={whenFailed}
          onAdded={onAdded}
        />
      )}
    </div>
  );
}

/** Returns the provider that a key says it is of, if accounts there need nothing but a key. */
function recognize(entries: readonly CatalogEntry[], pasted: string): CatalogEntry | undefined {
  const provider = providerOfKey(pasted.trim());
  return entries.find(
    ({ key, available, requires_base_url: needsMore }) => key === provider && available && !needsMore,
  );
}

interface EntryProps extends Pick<AccountFormProps, 'actions'> {
  readonly entry: CatalogEntry;
}

function SignInForm({ entry, actions, onSignIn }: EntryProps & Pick<AccountFormProps, 'onSignIn'>): ReactNode {
  const text = useProvidersText();
  const { start } = useSignInActions();
  return (
    <Form
      submitLabel={text.signIn.begin}
      actions={actions}
      onSubmit={async ({ account_name: name = '' }) => onSignIn(await start(entry.key, name))}
    >
      <p className={classes.soft}>{text.signIn.why}</p>
      <Field label={text.name} name="account_name" defaultValue={entry.name} maxLength={200} required />
    </Form>
  );
}

/** What is entered of an account beside its name. */
interface Entered {
  readonly address: string;
  readonly model: string;
  readonly way: Way;
  readonly credentials: Readonly<Record<string, string>>;
}

/** The name of the button that adds an account which has not answered. */
const WITHOUT_TEST = 'without_test';

interface KeyFormProps extends EntryProps, Pick<AccountFormProps, 'whenFailed' | 'onAdded'> {
  /** A key that was pasted before the provider was known; '' for none. */
  readonly pasted: string;
  readonly isSentAtOnce: boolean;
}

function KeyForm({ entry, pasted, isSentAtOnce, actions, whenFailed, onAdded }: KeyFormProps): ReactNode {
  const text = useProvidersText();
  const adding = useAddProvider();
  const [entered, setEntered] = useState(() => beginsWith(entry, pasted.trim()));
  const [hasFailed, setHasFailed] = useState(false);
  const set = (changes: Partial<Entered>) => setEntered((last) => ({ ...last, ...changes }));
  const { address, model, way, credentials } = entered;
  const form = formOf(entry, way);
  const add = async ({ name = '', [WITHOUT_TEST]: withoutTest }: Readonly<Record<string, string>>) => {
    const isTested = withoutTest === undefined;
    const added = await adding
      .mutateAsync({
        provider_type: entry.key,
        name,
        ...credentialsOf(form, credentials),
        ...(address !== '' && { base_url: address }),
        ...(model !== '' && { model_name: model }),
        test: isTested,
      })
      .catch((error: unknown) => {
        setHasFailed(isTested && isOfTest(error));
        return sayAtFirst(error, form);
      });
    onAdded(added, isTested);
  };
  const addressField = (
    <AddressField entry={entry} value={address} onValueChange={(value) => set({ address: value })} />
  );
  const otherwise = whenFailed ?? (
    <Button type="submit" name={WITHOUT_TEST} value="yes">
      {text.tried.withoutTest}
    </Button>
  );
  return (
    <Form
      submitLabel={text.add}
      actions={
        <>
          {hasFailed && otherwise}
          {actions}
        </>
      }
      isSentAtOnce={isSentAtOnce}
      describe={(problem) => (isOfTest(problem) ? text.tried.notAdded(problem.message) : undefined)}
      onSubmit={add}
    >
      <Field label={text.name} name="name" defaultValue={entry.name} maxLength={200} required />
      {entry.requires_base_url && addressField}
      <CredentialFields
        entry={entry}
        isStored={false}
        way={way}
        onWay={(value) => set({ way: value })}
        values={credentials}
        onValues={(values) => set({ credentials: values })}
      />
      <SuggestField
        label={text.model}
        name="model_name"
        hint={text.modelHint}
        suggestions={entry.models}
        value={model}
        onValueChange={(value) => set({ model: value })}
      />
      {!entry.requires_base_url && addressField}
      <p className={classes.soft}>{text.tried.why}</p>
    </Form>
  );
}

/** Returns whether an account was not added because it did not answer, or could not be tested now. */
function isOfTest(error: unknown): boolean {
  return error instanceof Problem && (error.status === 503 || '' in error.fields);
}

function beginsWith(entry: CatalogEntry, key: string): Entered {
  const way = waysOf(entry)[0] ?? 'none';
  const field = formOf(entry, way)?.entries.find(({ is_secret: isSecret }) => isSecret);
  return {
    address: entry.requires_base_url ? (entry.base_url ?? '') : '',
    model: entry.default_model ?? '',
    way,
    credentials: key === '' || field === undefined ? {} : { [field.name]: key },
  };
}

/** How keys begin that say whose they are, with the provider in the catalog. */
const BEGINNINGS = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['sk-svcacct-', 'openai'],
  ['AIza', 'google'],
  ['xai-', 'xai'],
  ['gsk_', 'groq'],
  ['csk-', 'cerebras'],
  ['pplx-', 'perplexity'],
  ['nvapi-', 'nvidia'],
  ['hf_', 'huggingface'],
  ['fw_', 'fireworks-ai'],
  ['tgp_', 'togetherai'],
] as const;

/** Stands in the middle of each older key of OpenAI, whose beginning many providers have taken over. */
const OF_OPENAI = 'T3BlbkFJ';

/** Returns the provider in the catalog that a key is of; undefined when the key does not say. */
export function providerOfKey(key: string): string | undefined {
  if (key.startsWith('sk-') && key.includes(OF_OPENAI)) return 'openai';
  return BEGINNINGS.find(([beginning]) => key.startsWith(beginning))?.[1];
}
