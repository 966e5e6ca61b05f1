import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { formatBytes } from '../../core/text/numbers.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Family } from '../families.ts';
import { useDefinitionActions } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';

const ArchivePreview = lazy(async () => ({
  default: (await import('../archives/archive-preview.tsx')).ArchivePreview,
}));

interface ImportDialogProps {
  readonly family: Family;
  /** What was chosen or dropped; the dialog is open while there is one. */
  readonly archive: File | undefined;
  readonly onClose: () => void;
}

/** Adds one of a kind from a ZIP archive, under its own key or another one. */
export function ImportDialog({ family, archive, onClose }: ImportDialogProps): ReactNode {
  const text = useDefinitionsText();
  return (
    <Dialog
      open={archive !== undefined}
      onClose={onClose}
      title={text.kinds[family.key].import}
      description={archive && text.importLead(showInvisible(archive.name), formatBytes(archive.size))}
    >
      {archive !== undefined && <ImportForm family={family} archive={archive} onClose={onClose} />}
    </Dialog>
  );
}

function ImportForm({ family, archive, onClose }: ImportDialogProps & { readonly archive: File }): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, toast] = [useOrgId(), useNavigate(), useToast()];
  const actions = useDefinitionActions(family);
  const [key, setKey] = useState('');
  return (
    <Form
      submitLabel={text.import}
      describe={({ status, message }) => (status === 409 ? text.keyTaken(message) : undefined)}
      onSubmit={async () => {
        const { id, name } = await actions.upload(archive, key.trim() === '' ? undefined : key.trim());
        toast(text.added(showInvisible(name)));
        onClose();
        await navigate({ to: family.page, params: { orgId, definitionId: id } });
      }}
    >
      <Field
        label={text.otherKey}
        name="key"
        hint={text.otherKeyHint}
        maxLength={100}
        autoComplete="off"
        value={key}
        onValueChange={setKey}
      />
      <Suspense>
        <ArchivePreview family={family} archive={archive} otherKey={key.trim()} />
      </Suspense>
    </Form>
  );
}
