import { useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOrgId } from '../core/session/session-context.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Confirm } from '../ui/overlays/confirm.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import type { Kind } from './kinds.ts';
import { type DeletedRecord, useTrashActions } from './queries.ts';
import { useTrashText } from './text.ts';
import classes from './trash.module.css';

interface RowActionsProps {
  readonly kind: Kind;
  readonly record: DeletedRecord;
  /** What the record is called where people read it. */
  readonly name: string;
}

/** Brings a record back, or deletes a provider account with its key for good once its name was typed. */
export function RowActions({ kind, record, name }: RowActionsProps): ReactNode {
  const [text, toast, actions] = [useTrashText(), useToast(), useTrashActions(kind)];
  const open = useOpenRecord(kind, record.id);
  const [isBusy, setIsBusy] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const restore = () => {
    setIsBusy(true);
    actions
      .restore(record.id)
      .then(() => toast(text.restored(name), 'done', { label: text.open, run: open }))
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), 'failed'))
      .finally(() => setIsBusy(false));
  };
  return (
    <span className={classes.actions}>
      <Button busy={isBusy} aria-label={text.restoreNamed(name)} onClick={restore}>
        <RotateCcw aria-hidden />
        {text.restore}
      </Button>
      {kind === 'providers' && (
        <>
          <Button look="danger" aria-label={text.purgeNamed(name)} onClick={() => setIsAsking(true)}>
            {text.purge}
          </Button>
          <Confirm
            open={isAsking}
            onClose={() => setIsAsking(false)}
            title={text.purgeAsk(name)}
            description={text.purgeWhy}
            action={text.purge}
            typedName={record.name}
            onConfirm={async () => {
              await actions.purgeAccount(record.id);
              toast(text.purged(name));
            }}
          />
        </>
      )}
    </span>
  );
}

function useOpenRecord(kind: Kind, id: string): () => void {
  const [navigate, orgId] = [useNavigate(), useOrgId()];
  const leads: Readonly<Record<Kind, () => Promise<void>>> = {
    chats: async () => navigate({ to: '/o/$orgId/chats/$chatId', params: { orgId, chatId: id } }),
    agents: async () => navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId: id } }),
    providers: async () => navigate({ to: '/o/$orgId/providers/$providerId', params: { orgId, providerId: id } }),
    projects: async () => navigate({ to: '/o/$orgId/projects/$projectId', params: { orgId, projectId: id } }),
  };
  return () => void leads[kind]();
}
