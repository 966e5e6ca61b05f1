import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { timeFromNow } from '../../core/text/formats.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/fields/text-fields.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { ConfirmButton, Dialog } from '../../ui/overlays/dialog.tsx';
import { CopyOnce } from '../../ui/overlays/copy-once.tsx';
import { type Column, Loaded, Section, Table } from '../../ui/page/page.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../settings-page.module.css';
import { type SettingsText, useSettingsText } from '../text.ts';
import { type ApiKey, type ApiKeyWithValue, useKeyActions, useOwnKeys } from './queries.ts';

/** The user's own keys. The value of one is in this section's state only, until it is said to be stored. */
export function OwnKeys() {
  const all = useSettingsText();
  const text = all.keys;
  const [isMaking, setIsMaking] = useState(false);
  const [shown, setShown] = useState<ApiKeyWithValue>();
  return (
    <Section
      title={text.title}
      lead={text.lead}
      actions={
        <Button icon={KeyRound} onClick={() => setIsMaking(true)}>
          {text.make}
        </Button>
      }
    >
      <Loaded query={useOwnKeys()}>
        {(keys) =>
          keys.length === 0 ? (
            <p className="soft font-normal wrap-anywhere">{text.none}</p>
          ) : (
            <Table label={text.title} columns={columnsOf(all, setShown)} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      <NewKeyDialog
        open={isMaking}
        onClose={() => setIsMaking(false)}
        onMade={(made) => {
          setIsMaking(false);
          setShown(made);
        }}
      />
      <CopyOnce
        secret={shown?.key}
        title={text.shownTitle(showInvisible(shown?.name ?? ''))}
        description={text.shownWhy}
        onStored={() => setShown(undefined)}
      />
    </Section>
  );
}

interface NewKeyDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: ApiKeyWithValue) => void;
}

function NewKeyDialog({ open, onClose, onMade }: NewKeyDialogProps) {
  const { keys: text } = useSettingsText();
  const { make } = useKeyActions();
  return (
    <Dialog open={open} onClose={onClose} title={text.make} description={text.lead}>
      <Form submitLabel={text.make} onSubmit={async ({ name = '' }) => onMade(await make(name))}>
        <Field label={text.name} name="name" hint={text.nameHint} required />
      </Form>
    </Dialog>
  );
}

type OnRotated = (key: ApiKeyWithValue) => void;

function columnsOf(text: SettingsText, onRotated: OnRotated): readonly Column<ApiKey>[] {
  const acts: Column<ApiKey> = {
    key: 'acts',
    title: text.actions,
    isActions: true,
    cell: (key) => <KeyActs apiKey={key} onRotated={onRotated} />,
  };
  return [...keyColumns<ApiKey>(text), acts];
}

function KeyActs({ apiKey: { id, name }, onRotated }: { readonly apiKey: ApiKey; readonly onRotated: OnRotated }) {
  const [{ keys: text }, { rotate, revoke }] = [useSettingsText(), useKeyActions()];
  const shownName = showInvisible(name);
  return (
    <span className={`wrap gap-1 ${classes.actions}`}>
      <ConfirmButton
        variant="quiet"
        aria-label={text.rotateOne(shownName)}
        question={text.rotateAsk(shownName)}
        why={text.rotateWhy}
        action={text.rotate}
        onConfirm={async () => onRotated(await rotate(id))}
      />
      <ConfirmButton
        variant="quiet"
        aria-label={text.revokeOne(shownName)}
        question={text.revokeAsk(shownName)}
        why={text.revokeWhy}
        action={text.revoke}
        done={text.revoked(shownName)}
        onConfirm={async () => revoke(id)}
      />
    </span>
  );
}

/** The columns that all lists of keys begin with. Of its value only the last four characters are known. */
export function keyColumns<K extends ApiKey>(text: SettingsText): readonly Column<K>[] {
  return [
    {
      key: 'name',
      title: text.keys.name,
      cell: ({ name, hint }) => (
        <span className="column min-w-0">
          {showInvisible(name)}
          {hint !== null && (
            <span className="soft font-normal wrap-anywhere">
              {text.keys.ends} <code>{hint}</code>
            </span>
          )}
        </span>
      ),
    },
    {
      key: 'made',
      title: text.keys.made,
      cell: ({ created_at: at, made_by: by }) => (
        <span className="column min-w-0">
          {timeFromNow(at)}
          <span className="soft font-normal wrap-anywhere">{text.keys.madeBy[by]}</span>
        </span>
      ),
    },
    {
      key: 'used',
      title: text.lastUsed,
      cell: ({ last_used_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
    {
      key: 'expires',
      title: text.expires,
      cell: ({ expires_at: at }) => (at === null ? text.never : timeFromNow(at)),
    },
  ];
}
