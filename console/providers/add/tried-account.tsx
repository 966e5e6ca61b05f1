import { type ReactNode, useState } from 'react';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { TestResult } from '../test-button.tsx';
import { AddressField } from '../credentials/address-field.tsx';
import { CredentialFields } from '../credentials/credential-fields.tsx';
import { credentialsOf, formOf, sayAtFirst, wayOf } from '../credentials/ways.ts';
import classes from '../providers.module.css';
import { type CatalogEntry, type Provider, useProviderActions, type useTestProvider } from '../queries.ts';
import { useProvidersText } from '../text.ts';

interface TriedAccountProps {
  readonly account: Provider;
  readonly entry: CatalogEntry | undefined;
  /** The test of the account, which has begun. */
  readonly test: ReturnType<typeof useTestProvider>;
  readonly onDone: () => void;
}

/** Says whether an account that was just added works; one whose key is wrong gets another. */
export function TriedAccount({ account, entry, test, onDone }: TriedAccountProps): ReactNode {
  const text = useProvidersText();
  const [isChanging, setIsChanging] = useState(false);
  const hasFailed = test.isError || test.data?.ok === false;
  return (
    <div className={classes.fields}>
      <p>{text.tried.added(showInvisible(account.name))}</p>
      {test.isPending ? <output>{text.tried.why}</output> : <TestResult test={test} />}
      {isChanging ? (
        <KeyForm
          account={account}
          entry={entry}
          onCancel={() => setIsChanging(false)}
          onDone={() => {
            setIsChanging(false);
            test.mutate(account.id);
          }}
        />
      ) : (
        <div className={classes.row}>
          <Button look={hasFailed ? 'plain' : 'primary'} busy={test.isPending} onClick={onDone}>
            {text.tried.goOn}
          </Button>
          {hasFailed && account.auth_type !== 'oauth' && (
            <Button look="primary" onClick={() => setIsChanging(true)}>
              {text.tried.changeKey}
            </Button>
          )}
          {hasFailed && <Button onClick={() => test.mutate(account.id)}>{text.test.again}</Button>}
        </div>
      )}
    </div>
  );
}

interface KeyFormProps {
  readonly account: Provider;
  readonly entry: CatalogEntry | undefined;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

function KeyForm({ account, entry, onCancel, onDone }: KeyFormProps): ReactNode {
  const [text, common] = [useProvidersText(), useText().common];
  const { change } = useProviderActions();
  const [way, setWay] = useState(() => wayOf(account, entry));
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [address, setAddress] = useState(account.base_url ?? '');
  const hasAddress = account.base_url !== null || entry?.requires_base_url === true;
  const form = formOf(entry, way);
  return (
    <Form
      submitLabel={text.tried.store}
      actions={<Button onClick={onCancel}>{common.cancel}</Button>}
      onSubmit={async ({ model_name: model = '' }) => {
        const sent = credentialsOf(form, values);
        const isChanged = Object.keys(sent.credentials).length > 0 || way !== wayOf(account, entry);
        await change(account.id, {
          ...(isChanged && sent),
          ...(hasAddress && { base_url: address === '' ? null : address }),
          model_name: model === '' ? null : model,
        }).catch((error: unknown) => sayAtFirst(error, form));
        onDone();
      }}
    >
      {entry !== undefined && (
        <CredentialFields
          entry={entry}
          isStored={account.has_credentials && way === wayOf(account, entry)}
          way={way}
          onWay={setWay}
          values={values}
          onValues={setValues}
        />
      )}
      {hasAddress && <AddressField entry={entry} value={address} onValueChange={setAddress} />}
      <Field label={text.model} name="model_name" defaultValue={account.model_name ?? ''} />
    </Form>
  );
}
