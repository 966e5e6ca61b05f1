import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Family } from '../families.ts';
import { type Definition, useDefinitionActions } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';

interface CopyDialogProps {
  readonly family: Family;
  readonly definition: Definition;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds a copy of one of a kind, under a key of its own. */
export function CopyDialog({ family, definition, open, onClose }: CopyDialogProps): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useDefinitionActions(family)];
  const isBare = family.key === 'tools' && definition.origin === 'builtin';
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.copy.title(showInvisible(definition.name))}
      description={isBare ? text.copy.bare : text.copy.lead}
    >
      <Form
        submitLabel={text.copy.action}
        onSubmit={async ({ key = '' }) => {
          const { id } = await actions.upload(await actions.download(definition.id), key);
          onClose();
          await navigate({ to: family.page, params: { orgId, definitionId: id } });
        }}
      >
        <Field
          label={text.key}
          name="key"
          hint={text.keyHint}
          required
          maxLength={64}
          autoComplete="off"
          defaultValue={`${definition.key.slice(0, 58)}_copy`}
        />
      </Form>
    </Dialog>
  );
}
