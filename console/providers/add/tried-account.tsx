import { type ReactNode, useState } from 'react';
import { Problem } from '../../core/http/problem.ts';
import { useText } from '../../core/text/text-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { TestResult } from '../test-button.tsx';
import { atKeyField } from '../at-key-field.ts';
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
  const hasAddress = account.base_url !== null || entry?.requires_base_url === true;
  return (
    <Form
      submitLabel={text.tried.store}
      actions={<Button onClick={onCancel}>{common.cancel}</Button>}
      onSubmit={async ({ api_key: key = '', base_url: baseUrl = '', model_name: model = '' }) => {
        try {
          await change(account.id, {
            ...(key !== '' && { auth_type: 'apikey', credentials: { api_key: key } }),
            ...(hasAddress && { base_url: baseUrl === '' ? null : baseUrl }),
            model_name: model === '' ? null : model,
          });
          onDone();
        } catch (error) {
          throw error instanceof Problem ? atKeyField(error) : error;
        }
      }}
    >
      <Field label={text.tried.newKey} name="api_key" type="password" autoComplete="off" hint={text.keyHint} />
      {hasAddress && <Field label={text.baseUrl} name="base_url" type="url" defaultValue={account.base_url ?? ''} />}
      <Field label={text.model} name="model_name" defaultValue={account.model_name ?? ''} />
    </Form>
  );
}
