import { useNavigate } from '@tanstack/react-router';
import { Copy, Download, Replace, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { saveFile } from '../core/browser/browser.ts';
import { useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SelectField } from '../ui/fields/fields.tsx';
import { useLeaveDeleted } from '../ui/form/leave-page.ts';
import { ActionButton, ConfirmButton, Dialog } from '../ui/overlays/dialog.tsx';
import { showInvisible } from '../ui/visible.ts';
import {
  type Definition,
  type DefinitionKind,
  useChangeRefusal,
  useDefinitionActions,
  useFile,
  useNewFiles,
} from './queries.ts';
import { type Runtime, RUNTIMES, toolFiles } from './files/starter-files.ts';
import { useDefinitionsText } from './text.ts';

interface DefinitionActionsProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
}

/** What can be done with one of a kind as a whole. */
export function DefinitionActions({ kind, definition }: DefinitionActionsProps): ReactNode {
  const text = useDefinitionsText();
  const leave = useLeaveDeleted();
  const [refusal, actions] = [useRefusal(kind.manage), useDefinitionActions(kind)];
  const mayNotChange = useChangeRefusal(kind, definition);
  const [asked, setAsked] = useState<'copy' | 'override'>();
  const { id, key, name, origin, overridden_by: overriddenBy, overrides } = definition;
  const close = () => setAsked(undefined);
  const save = async () => saveFile(await actions.download(id), `${key}.zip`);
  return (
    <>
      {origin === 'builtin' && (
        <Button
          icon={Replace}
          variant="primary"
          reason={refusal ?? (overriddenBy === null ? undefined : text.overridden)}
          onClick={() => setAsked('override')}
        >
          {text.override.action}
        </Button>
      )}
      <Button icon={Copy} reason={refusal} onClick={() => setAsked('copy')}>
        {text.copy.action}
      </Button>
      <ActionButton icon={Download} action={save}>
        {text.export}
      </ActionButton>
      {origin !== 'builtin' && (
        <ConfirmButton
          icon={Trash2}
          variant="danger"
          reason={mayNotChange}
          question={text.deleteAsk(showInvisible(name))}
          why={overrides ? text.deleteOverride : text.deleteWhy}
          action={text.delete}
          onConfirm={async () => {
            await actions.remove(id);
            await leave(text.deleted(showInvisible(name)), kind.list, `definition.${id}`);
          }}
        />
      )}
      <CopyDialog kind={kind} definition={definition} open={asked === 'copy'} onClose={close} />
      <OverrideDialog kind={kind} definition={definition} open={asked === 'override'} onClose={close} />
    </>
  );
}

interface OverrideDialogProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Makes one of the organization that takes the place of a builtin one. */
function OverrideDialog({ kind, definition, open, onClose }: OverrideDialogProps): ReactNode {
  const text = useDefinitionsText().override;
  const isTool = kind.key === 'tools';
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.title(showInvisible(definition.name))}
      description={isTool ? text.toolLead : text.lead}
    >
      {isTool ? (
        <OverrideTool kind={kind} definition={definition} onClose={onClose} />
      ) : (
        <OverrideByCopy kind={kind} definition={definition} onClose={onClose} />
      )}
    </Dialog>
  );
}

type FormProps = Omit<OverrideDialogProps, 'open'>;

function OverrideByCopy({ kind, definition, onClose }: FormProps): ReactNode {
  const text = useDefinitionsText().override;
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useDefinitionActions(kind)];
  return (
    <Form
      submitLabel={text.action}
      onSubmit={async () => {
        const { id } = await actions.upload(await actions.download(definition.id));
        onClose();
        await navigate({ to: kind.page, params: { orgId, definitionId: id } });
      }}
    >
      {null}
    </Form>
  );
}

// The code of a builtin tool is part of the service: only what it is given and what is said of it can be taken over.
function OverrideTool({ kind, definition, onClose }: FormProps): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const [actions, writeFiles] = [useDefinitionActions(kind), useNewFiles(kind)];
  const described = useFile(kind, definition.id, 'tool.json');
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
        await navigate({ to: kind.page, params: { orgId, definitionId: id } });
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

interface CopyDialogProps {
  readonly kind: DefinitionKind;
  readonly definition: Definition;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds a copy of one of a kind, under a key of its own. */
function CopyDialog({ kind, definition, open, onClose }: CopyDialogProps): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, actions] = [useOrgId(), useNavigate(), useDefinitionActions(kind)];
  const isBare = kind.key === 'tools' && definition.origin === 'builtin';
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
          await navigate({ to: kind.page, params: { orgId, definitionId: id } });
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
