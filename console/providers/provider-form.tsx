import { type ReactNode, useState } from 'react';
import { type Choice, ChoiceField } from '../ui/controls/choice.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { type CatalogEntry, type Provider, useAddProvider, useCatalog } from './queries.ts';
import { useProvidersText } from './text.ts';

interface ProviderFormProps {
  readonly onDone: (added: Provider) => void;
  readonly actions?: ReactNode;
}

/** Adds an account at a provider that takes a key, or that is a server of one's own. */
export function ProviderForm({ onDone, actions }: ProviderFormProps) {
  const catalog = useCatalog();
  return (
    <Loaded query={catalog}>
      {(entries) => <AccountForm entries={entries.filter(canBeTypedIn)} onDone={onDone} actions={actions} />}
    </Loaded>
  );
}

/** Providers at which one signs in with a program, or that need more than a key, are added in other ways. */
function canBeTypedIn({ auth_type: authType, stream_type: streamType }: CatalogEntry): boolean {
  return authType !== 'oauth' && streamType !== 'demo';
}

interface AccountFormProps extends ProviderFormProps {
  readonly entries: readonly CatalogEntry[];
}

function AccountForm({ entries, onDone, actions }: AccountFormProps) {
  const text = useProvidersText();
  const adding = useAddProvider();
  const [chosen, setChosen] = useState<string | null>(null);
  const entry = entries.find(({ key }) => key === chosen);
  const choices = entries.map(({ key, name, available, unavailable_reason: reason }): Choice => ({
    value: key,
    label: name,
    reason: available ? undefined : (reason ?? text.unavailable),
  }));
  return (
    <Form
      submitLabel={text.add}
      actions={actions}
      onSubmit={async ({ name = '', api_key: key = '', base_url: baseUrl = '', model_name: model = '' }) => {
        const added = await adding.mutateAsync({
          provider_type: entry?.key ?? '',
          name,
          auth_type: key === '' ? 'none' : 'apikey',
          ...(key !== '' && { credentials: { api_key: key } }),
          ...(baseUrl !== '' && { base_url: baseUrl }),
          ...(model !== '' && { model_name: model }),
        });
        onDone(added);
      }}
    >
      <ChoiceField
        label={text.choose}
        name="provider_type"
        placeholder={text.chooseHint}
        choices={choices}
        value={chosen}
        onValueChange={setChosen}
      />
      {entry !== undefined && <EntryFields key={entry.key} entry={entry} />}
    </Form>
  );
}

function EntryFields({ entry }: { readonly entry: CatalogEntry }) {
  const text = useProvidersText();
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
