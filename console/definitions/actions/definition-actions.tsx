import { useNavigate } from '@tanstack/react-router';
import { Copy, Download, Replace, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { saveFile } from '../../core/browser/save-file.ts';
import { useRefusal } from '../../core/permissions.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { useRecordDrafts } from '../../ui/form/record-drafts.ts';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import type { Family } from '../families.ts';
import { type Definition, useChangeRefusal, useDefinitionActions } from '../queries.ts';
import { useDefinitionsText } from '../text.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { OverrideDialog } from './override-dialog.tsx';

interface DefinitionActionsProps {
  readonly family: Family;
  readonly definition: Definition;
}

/** What can be done with one of a kind as a whole. */
export function DefinitionActions({ family, definition }: DefinitionActionsProps): ReactNode {
  const text = useDefinitionsText();
  const [orgId, navigate, toast] = [useOrgId(), useNavigate(), useToast()];
  const [refusal, actions] = [useRefusal(family.manage), useDefinitionActions(family)];
  const mayNotChange = useChangeRefusal(family, definition);
  const drafts = useRecordDrafts();
  const [asked, setAsked] = useState<'copy' | 'override' | 'delete'>();
  const [isExporting, setIsExporting] = useState(false);
  const { id, key, name, origin, overridden_by: overriddenBy, overrides } = definition;
  const close = () => setAsked(undefined);
  const save = () => {
    setIsExporting(true);
    actions
      .download(id)
      .then((archive) => saveFile(archive, `${key}.zip`))
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsExporting(false));
  };
  return (
    <>
      {origin === 'builtin' && (
        <Button
          look="primary"
          reason={refusal ?? (overriddenBy === null ? undefined : text.overridden)}
          onClick={() => setAsked('override')}
        >
          <Replace aria-hidden />
          {text.override.action}
        </Button>
      )}
      <Button reason={refusal} onClick={() => setAsked('copy')}>
        <Copy aria-hidden />
        {text.copy.action}
      </Button>
      <Button busy={isExporting} onClick={save}>
        <Download aria-hidden />
        {text.export}
      </Button>
      {origin !== 'builtin' && (
        <Button look="danger" reason={mayNotChange} onClick={() => setAsked('delete')}>
          <Trash2 aria-hidden />
          {text.delete}
        </Button>
      )}
      <CopyDialog family={family} definition={definition} open={asked === 'copy'} onClose={close} />
      <OverrideDialog family={family} definition={definition} open={asked === 'override'} onClose={close} />
      <Confirm
        open={asked === 'delete'}
        onClose={close}
        title={text.deleteAsk(showInvisible(name))}
        description={overrides ? text.deleteOverride : text.deleteWhy}
        action={text.delete}
        onConfirm={async () => {
          await actions.remove(id);
          toast(text.deleted(showInvisible(name)));
          // What was changed here and not saved is gone with it.
          drafts.forget(`definition.${id}`);
          await navigate({ to: family.list, params: { orgId }, ignoreBlocker: true });
        }}
      />
    </>
  );
}
