import { type ReactNode, useMemo, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { useCan } from '../../core/permissions.ts';
import { Field } from '../../ui/controls/field.tsx';
import { NumberField } from '../../ui/fields/number-field.tsx';
import { SuggestField } from '../../ui/fields/suggest-field.tsx';
import { SwitchField } from '../../ui/fields/switch-field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import type { EditedRecord, RecordField } from '../../ui/form/use-record.ts';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { atKeyField } from '../at-key-field.ts';
import classes from '../providers.module.css';
import { type CatalogEntry, type Provider, useOfferedModels, useProviderActions } from '../queries.ts';
import { useProvidersText } from '../text.ts';
import { type AccountValues, changesOf, valuesOf } from './account-values.ts';

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
  const stored = useMemo(() => valuesOf(account), [account]);
  return (
    <RecordForm
      draftKey={`provider.${account.id}`}
      stored={stored}
      secrets={['base_url', 'api_key']}
      reason={reason}
      onReload={() => void read()}
      onSubmit={async ({ changes, overwrite }) => {
        try {
          await change(account.id, changesOf(changes), overwrite ? undefined : account.updated_at);
          toast(text.account.saved(showInvisible(changes.name ?? account.name)));
        } catch (error) {
          throw error instanceof Problem ? atKeyField(error) : error;
        }
      }}
    >
      {(record) => <AccountFields record={record} account={account} entry={entry} reason={reason} />}
    </RecordForm>
  );
}

function AccountFields({ record, account, entry, reason }: AccountFormProps & { record: EditedRecord<AccountValues> }) {
  const text = useProvidersText();
  const isAdministrator = useCan('settings.manage');
  const cooldown = record.field('cooldown_seconds');
  const isByKey = account.auth_type !== 'oauth';
  return (
    <div className={classes.fields}>
      <Field label={text.name} required maxLength={200} {...record.field('name')} />
      <ModelField field={record.field('model_name')} account={account} entry={entry} mayAsk={reason === undefined} />
      {isByKey && (
        <>
          <Field
            label={text.baseUrl}
            type="url"
            hint={
              entry?.base_url === null || entry === undefined || entry.requires_base_url
                ? text.account.baseUrlHint
                : text.account.ownBaseUrl(entry.base_url)
            }
            {...record.field('base_url')}
          />
          <Field
            label={text.account.newKey}
            type="password"
            autoComplete="off"
            hint={account.has_credentials ? text.account.newKeyHint : text.keyHint}
            {...record.field('api_key')}
          />
        </>
      )}
      <NumberField
        label={text.account.cooldown}
        hint={text.account.cooldownHint}
        unit={text.account.seconds}
        min={0}
        max={86_400}
        step={1}
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
