import { Link, useNavigate } from '@tanstack/react-router';
import { useOrgId } from '../../core/session/session-context.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type AgentTemplate, useAddAgent } from '../queries.ts';
import classes from './template-list.module.css';
import { TemplateList } from './template-list.tsx';
import { useAgentsText } from '../text.ts';

interface TemplateDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Adds an agent that begins as a copy of a template. */
export function TemplateDialog({ open, onClose }: TemplateDialogProps) {
  const text = useAgentsText();
  const [toast, adding] = [useToast(), useAddAgent()];
  const [orgId, navigate] = [useOrgId(), useNavigate()];
  const add = (template: AgentTemplate) =>
    adding.mutate(template, {
      onSuccess: ({ id: agentId, name }) => {
        toast(text.added(showInvisible(name)));
        onClose();
        void navigate({ to: '/o/$orgId/agents/$agentId', params: { orgId, agentId } });
      },
      onError: (error) => toast(error.message, 'failed'),
    });
  return (
    <Dialog open={open} onClose={onClose} title={text.fromTemplate}>
      <p className={classes.first}>
        <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass()}>
          {text.fromNothing}
        </Link>
      </p>
      <TemplateList adding={adding.isPending ? adding.variables.name : undefined} onChoose={add} />
    </Dialog>
  );
}
