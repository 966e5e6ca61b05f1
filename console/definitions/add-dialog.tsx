import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { CATEGORIES, type DefinitionKind, useDefinitionActions, useNewFiles } from './queries.ts';
import { type Runtime, RUNTIMES, starterFiles } from './files/starter-files.ts';
import { useDefinitionsText } from './text.ts';

interface AddDialogProps {
  readonly kind: DefinitionKind;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds one of a kind, with files to begin with. */
export function AddDialog({ kind, open, onClose }: AddDialogProps): ReactNode {
  const words = useDefinitionsText().kinds[kind.key];
  return (
    <Dialog open={open} onClose={onClose} title={words.add} description={words.addLead}>
      <AddForm kind={kind} onClose={onClose} />
    </Dialog>
  );
}

function AddForm({ kind, onClose }: Omit<AddDialogProps, 'open'>): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, toast] = [useOrgId(), useNavigate(), useToast()];
  const [actions, writeFiles] = [useDefinitionActions(kind), useNewFiles(kind)];
  const [category, setCategory] = useState('custom');
  const [runtime, setRuntime] = useState<Runtime>('http');
  const categories = CATEGORIES[kind.key];
  return (
    <Form
      submitLabel={text.create}
      onSubmit={async ({ key = '', name = '', description = '' }) => {
        const given = { key, name, description, ...(categories.length > 0 && { category }) };
        const { id } = await actions.add(given);
        onClose();
        // What was added stays when its files cannot be written: the page of it is where that is mended.
        await writeFiles(id, starterFiles(kind, given, runtime)).catch((error: unknown) =>
          toast(error instanceof Error ? error.message : String(error), 'failed'),
        );
        await navigate({ to: kind.page, params: { orgId, definitionId: id } });
      }}
    >
      <Field label={text.key} name="key" hint={text.keyHint} required maxLength={100} autoComplete="off" />
      <Field label={text.name} name="name" required maxLength={200} autoComplete="off" />
      <TextAreaField
        label={text.description}
        name="description"
        hint={text.descriptionHint}
        required={kind.key !== 'personas'}
        maxLength={1_000}
      />
      {categories.length > 0 && (
        <SelectField
          label={text.category}
          name="category"
          options={categories.map((each) => ({ value: each, label: each }))}
          value={category}
          onValueChange={setCategory}
        />
      )}
      {kind.key === 'tools' && (
        <SelectField
          label={text.runtime}
          name="runtime"
          hint={text.runtimeHint}
          options={RUNTIMES.map((each) => ({ value: each, label: text.runtimes[each] }))}
          value={runtime}
          onValueChange={setRuntime}
        />
      )}
    </Form>
  );
}
