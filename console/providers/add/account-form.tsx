import { type ReactNode, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { type Choice, ChoiceField } from '../../ui/controls/choice.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { atKeyField } from '../at-key-field.ts';
import classes from '../providers.module.css';
import { type CatalogEntry, type Provider, type ProviderSignIn, useAddProvider, useSignInActions } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface AccountFormProps {
  readonly entries: readonly CatalogEntry[];
  readonly actions?: ReactNode;
  readonly onAdded: (added: Provider) => void;
  /** Called when a sign-in has begun, at a provider that has no keys. */
  readonly onSignIn: (begun: ProviderSignIn) => void;
}

/** Asks which provider it is, and for what an account there needs. */
export function AccountForm({ entries, actions, onAdded, onSignIn }: AccountFormProps): ReactNode {
  const text = useProvidersText();
  const [adding, { start }] = [useAddProvider(), useSignInActions()];
  const [chosen, setChosen] = useState<string | null>(null);
  const entry = entries.find(({ key }) => key === chosen);
  const isSignedIn = entry?.auth_type === 'oauth';
  const choices = entries.map(({ key, name, available, unavailable_reason: reason }): Choice => ({
    value: key,
    label: name,
    reason: available ? undefined : (reason ?? text.unavailable),
  }));
  const add = async (values: Readonly<Record<string, string>>) => {
    const { name = '', api_key: key = '', base_url: baseUrl = '', model_name: model = '' } = values;
    try {
      const added = await adding.mutateAsync({
        provider_type: entry?.key ?? '',
        name,
        ...(key !== '' && { credentials: { api_key: key } }),
        ...(baseUrl !== '' && { base_url: baseUrl }),
        ...(model !== '' && { model_name: model }),
      });
      onAdded(added);
    } catch (error) {
      throw error instanceof Problem ? atKeyField(error) : error;
    }
  };
  return (
    <Form
      submitLabel={isSignedIn ? text.signIn.begin : text.add}
      actions={actions}
      onSubmit={async (values) => {
        if (isSignedIn) onSignIn(await start(entry.key, values['account_name'] ?? ''));
        else await add(values);
      }}
    >
      <ChoiceField
        label={text.choose}
        name="provider_type"
        placeholder={text.chooseHint(entries.length)}
        choices={choices}
        value={chosen}
        onValueChange={setChosen}
      />
      {entry !== undefined && <EntryFields key={entry.key} entry={entry} />}
    </Form>
  );
}

function EntryFields({ entry }: { readonly entry: CatalogEntry }): ReactNode {
  const text = useProvidersText();
  if (entry.auth_type === 'oauth')
    return (
      <>
        <p className={classes.soft}>{text.signIn.why}</p>
        <Field label={text.name} name="account_name" defaultValue={entry.name} required />
      </>
    );
  return (
    <>
      <Field label={text.name} name="name" defaultValue={entry.name} required />
      {(entry.requires_base_url || entry.base_url === null) && (
        <Field
          label={text.baseUrl}
          name="base_url"
          type="url"
          placeholder="https://"
          defaultValue={entry.base_url ?? ''}
        />
      )}
      <Field label={text.key} name="api_key" type="password" autoComplete="off" hint={text.keyHint} />
      <Field label={text.model} name="model_name" hint={text.modelHint} defaultValue={entry.default_model ?? ''} />
    </>
  );
}
