import { type ReactNode, useMemo, useState } from 'react';
import { useCan } from '../core/permissions.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { NumberField, SuggestField, SwitchField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import type { EditedRecord, RecordField } from '../ui/form/use-record.ts';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import {
  AddressField,
  CredentialFields,
  credentialsOf,
  formOf,
  sayAtFirst,
  type Way,
  wayOf,
} from './credential-fields.tsx';
import {
  type CatalogEntry,
  type Provider,
  type ProviderChanges,
  useOfferedModels,
  useProviderActions,
} from './queries.ts';
import { useProvidersText } from './text.ts';

interface AccountFormProps {
  readonly account: Provider;
  readonly entry: CatalogEntry | undefined;
  /** Why it cannot be changed; undefined when it can. */
  readonly reason: string | undefined;
}

/** Changes an account. Its key can be replaced and is never shown. */
export function AccountForm({ account, entry, reason }: AccountFormProps): ReactNode {
  const text = useProvidersText();
  const [toast, { change, read }] = [useToast(), useProviderActions()];
  const stored = useMemo(() => valuesOf(account, entry), [account, entry]);
  return (
    <RecordForm
      draftKey={`provider.${account.id}`}
      stored={stored}
      secrets={['base_url', 'credentials']}
      reason={reason}
      onReload={() => void read()}
      onSubmit={async ({ changes, values, overwrite }) => {
        const version = overwrite ? undefined : account.updated_at;
        await change(account.id, changesOf(changes, values, entry), version).catch((error: unknown) =>
          sayAtFirst(error, formOf(entry, values.way)),
        );
        toast(text.account.saved(showInvisible(values.name)));
      }}
    >
      {(record) => <AccountFields record={record} account={account} entry={entry} reason={reason} />}
    </RecordForm>
  );
}

/** What the form of an account changes, by the names that the api has for it; an empty text stands for null. */
interface AccountValues {
  readonly name: string;
  readonly model_name: string;
  readonly base_url: string;
  /** How it signs in. */
  readonly way: Way;
  /** The new credentials; the stored ones are never known here. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly cooldown_seconds: number;
  readonly shared: boolean;
}

/** Returns what the form changes of a stored account. */
function valuesOf(account: Provider, entry: CatalogEntry | undefined): AccountValues {
  return {
    name: account.name,
    model_name: account.model_name ?? '',
    base_url: account.base_url ?? '',
    way: wayOf(account, entry),
    credentials: {},
    cooldown_seconds: account.cooldown_seconds,
    shared: account.shared,
  };
}

/** Returns what is sent of changed values: credentials as a whole, when some were entered or the way changes. */
function changesOf(
  { model_name: model, base_url: url, way, credentials, ...rest }: Partial<AccountValues>,
  values: AccountValues,
  entry: CatalogEntry | undefined,
): ProviderChanges {
  const sent = credentialsOf(formOf(entry, values.way), values.credentials);
  const isEntered = credentials !== undefined && Object.keys(sent.credentials).length > 0;
  return {
    ...rest,
    ...(model !== undefined && { model_name: model === '' ? null : model }),
    ...(url !== undefined && { base_url: url === '' ? null : url }),
    ...((way !== undefined || isEntered) && sent),
  };
}

function AccountFields({ record, account, entry, reason }: AccountFormProps & { record: EditedRecord<AccountValues> }) {
  const text = useProvidersText();
  const isAdministrator = useCan('settings.manage');
  const [cooldown, way, credentials] = [
    record.field('cooldown_seconds'),
    record.field('way'),
    record.field('credentials'),
  ];
  const isByKey = account.auth_type !== 'oauth';
  return (
    <div className="stack">
      <Field label={text.name} required maxLength={200} {...record.field('name')} />
      <ModelField field={record.field('model_name')} account={account} entry={entry} mayAsk={reason === undefined} />
      {isByKey && <AddressField entry={entry} hint={text.account.baseUrlHint} {...record.field('base_url')} />}
      {isByKey && entry !== undefined && (
        <CredentialFields
          entry={entry}
          isStored={account.has_credentials && way.value === wayOf(account, entry)}
          way={way.value}
          onWay={way.onValueChange}
          values={credentials.value}
          onValues={credentials.onValueChange}
        />
      )}
      <NumberField
        label={text.account.cooldown}
        hint={text.account.cooldownHint}
        unit={text.account.seconds}
        min={0}
        max={86_400}
        name={cooldown.name}
        value={cooldown.value}
        onValueChange={(value) => value !== null && cooldown.onValueChange(Math.round(value))}
      />
      <SwitchField
        label={text.account.isShared}
        hint={text.account.isSharedHint}
        reason={isAdministrator ? undefined : text.account.onlyAdministrators}
        {...record.field('shared')}
      />
    </div>
  );
}

interface ModelFieldProps extends Omit<AccountFormProps, 'reason'> {
  readonly field: RecordField<string>;
  readonly mayAsk: boolean;
}

/** The models that the provider offers are asked for when somebody reaches for the field: it is a call to outside. */
function ModelField({ field, account, entry, mayAsk }: ModelFieldProps): ReactNode {
  const text = useProvidersText();
  const [isReached, setIsReached] = useState(false);
  const offered = useOfferedModels(account.id, isReached && mayAsk);
  const { data, error, isFetching } = offered;
  const suggestions = data?.map(({ id }) => id) ?? entry?.models ?? [];
  const hint =
    data !== undefined
      ? text.account.modelFrom(data.length)
      : isFetching
        ? text.account.modelsAsked
        : error !== null
          ? text.account.modelsFailed(error.message)
          : text.modelHint;
  return (
    <SuggestField
      label={text.model}
      hint={hint}
      placeholder={entry?.default_model ?? undefined}
      suggestions={suggestions}
      onReach={() => setIsReached(true)}
      {...field}
    />
  );
}
