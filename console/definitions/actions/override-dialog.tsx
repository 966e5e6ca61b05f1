import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Form } from '../../ui/controls/form.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Family } from '../families.ts';
import { RUNTIMES, type Runtime, toolFiles } from '../files/starter-files.ts';
import { type Definition, useDefinitionActions, useFile, useNewFiles } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';

interface OverrideDialogProps {
  readonly family: Family;
  readonly definition: Definition;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Makes one of the organization that takes the place of a builtin one. */
export function OverrideDialog({ family, definition, open, onClose }: OverrideDialogProps): ReactNode {
  const text = useDefinitionsText().override;
  const isTool = family.key === 'tools';
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.title(showInvisible(definition.name))}
      description={isTool ? text.toolLead : text.lead}
    >
      {isTool ? (
        <OverrideTool family={family} definition={definition} onClose={onClose} />
      ) : (
        <OverrideByCopy family={family} definition={definition} onClose={onClose} />
      )}
    </Dialog>
  );
}

type FormProps = Omit<OverrideDialogProps, 'open'>;

function OverrideByCopy({ family, definition, onClose }: FormProps): ReactNode {
  const text = useDefinitionsText().override;
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useDefinitionActions(family)];
  return (
    <Form
      submitLabel={text.action}
      onSubmit={async () => {
        const { id } = await actions.upload(await actions.download(definition.id));
        onClose();
        await navigate({ to: family.page, params: { orgId, definitionId: id } });
      }}
    >
      {null}
    </Form>
  );
}

// The code of a builtin tool is part of the service: only what it is given and what is said of it can be taken over.
function OverrideTool({ family, definition, onClose }: FormProps): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const [actions, writeFiles] = [useDefinitionActions(family), useNewFiles(family)];
  const described = useFile(family, definition.id, 'tool.json');
  const [runtime, setRuntime] = useState<Runtime>('javascript');
  return (
    <Form
      submitLabel={text.override.action}
      reason={described.data === undefined ? text.override.reading : undefined}
      onSubmit={async () => {
        const { key, name, description, category = 'custom' } = definition;
        const { id } = await actions.add({ key, name, description, category });
        await writeFiles(id, toolFiles(runtime, parametersIn(described.data?.content ?? '')));
        onClose();
        await navigate({ to: family.page, params: { orgId, definitionId: id } });
      }}
    >
      <SelectField
        label={text.runtime}
        name="runtime"
        hint={text.runtimeHint}
        options={RUNTIMES.map((each) => ({ value: each, label: text.runtimes[each] }))}
        value={runtime}
        onValueChange={setRuntime}
      />
    </Form>
  );
}

function parametersIn(toolFile: string): unknown {
  const { parameters } = JSON.parse(toolFile) as { readonly parameters?: unknown };
  return parameters;
}
