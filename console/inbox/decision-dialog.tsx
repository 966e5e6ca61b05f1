import { type KeyboardEvent, useState } from 'react';
import { showHidden } from '../../domain/core/visible.ts';
import {
  type Approval,
  ApprovalContent,
  type ArgumentEditing,
  ArgumentFields,
  ChangeArguments,
  type Decision,
  gistOf,
  type Outcome,
  useDecide,
} from '../approvals/index.ts';
import { Problem } from '../core/http/problem.ts';
import { timeFromNow } from '../core/text/formats.ts';
import { Field } from '../ui/fields/text-fields.tsx';
import { Form } from '../ui/controls/form.tsx';
import { SaveBlocks, useSaveBlocks } from '../ui/form/save-blocks.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './inbox-page.module.css';
import { type InboxText, useInboxText } from './text.ts';

interface DecisionDialogProps {
  readonly approve: boolean;
  readonly about: readonly Approval[];
  readonly onClose: () => void;
  /** Called with the ids of those about which nothing could be decided. */
  readonly onDecided: (failed: readonly string[]) => void;
}

/** Asks for the last word about one or several, with a note, and with other arguments where that is allowed. */
export function DecisionDialog({ approve, about, onClose, onDecided }: DecisionDialogProps) {
  const text = useInboxText();
  const [toast, decide] = [useToast(), useDecide()];
  const [first] = about;
  const [editing, setEditing] = useState<ArgumentEditing>();
  const blocks = useSaveBlocks();

  const send = async ({ note = '' }: Readonly<Record<string, string>>) => {
    const decision: Decision = {
      approve,
      ...(note.trim() !== '' && { note }),
      ...(editing?.edited !== undefined && { arguments: editing.edited }),
    };
    const outcomes = await decide.mutateAsync({ ids: about.map(({ id }) => id), decision });
    const failed = outcomes.filter((outcome) => outcome.kind === 'failed');
    const done = outcomes.filter(({ kind }) => kind === 'decided').length;
    if (done > 0) toast(approve ? text.approved(done) : text.denied(done));
    for (const outcome of outcomes) if (outcome.kind === 'elsewhere') toast(elsewhere(outcome, text), 'failed');
    onDecided(failed.map(({ id }) => id));
    const [reason] = failed;
    if (reason !== undefined) throw about.length === 1 ? reason.problem : summary(failed.length, reason.problem, text);
  };

  return (
    <Dialog open onClose={onClose} title={approve ? text.approveTitle(about.length) : text.denyTitle(about.length)}>
      <ul className={classes.about}>
        {about.map((approval) => (
          <li key={approval.id}>
            <details open={about.length === 1}>
              <summary>
                {showHidden(approval.label)} <span className={classes.asks}>{showInvisible(approval.agent_name)}</span>
                {about.length > 1 && <span className={`truncate soft ${classes.gist}`}>{gistOf(approval)}</span>}
              </summary>
              <ApprovalContent approval={approval} />
            </details>
          </li>
        ))}
      </ul>
      <Form
        submitLabel={approve ? text.approve : text.deny}
        onSubmit={send}
        reason={blocks.reason}
        actions={
          approve &&
          about.length === 1 &&
          first !== undefined && <ChangeArguments approval={first} editing={editing} onChange={setEditing} />
        }
      >
        {editing !== undefined && first !== undefined && (
          <SaveBlocks value={blocks.form}>
            <div role="presentation" className={classes.arguments} onKeyDown={ignoreEnter}>
              <ArgumentFields approvalId={first.id} editing={editing} onChange={setEditing} />
            </div>
          </SaveBlocks>
        )}
        <Field
          label={text.note}
          name="note"
          maxLength={2_000}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the window is about it: Enter decides at once
          autoFocus
          autoComplete="off"
          hint={first?.tool === null ? text.noteToRun : text.noteToModel}
        />
      </Form>
    </Dialog>
  );
}

// Enter in a line of text submits the form around it, and here the arguments may be half edited.
function ignoreEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
}

function summary(n: number, problem: Problem, text: InboxText): Problem {
  return new Problem(problem.status, text.someFailed(n, problem.message));
}

function elsewhere({ approval, problem }: Extract<Outcome, { kind: 'elsewhere' }>, text: InboxText): string {
  if (approval === undefined) return text.elsewhere.gone;
  const { status, decider_name: who, decided_at: at, requested_at: asked } = approval;
  if (status === 'pending') return problem.message;
  const words = text.elsewhere[status];
  return typeof words === 'string' ? words : words(showInvisible(who ?? text.somebody), timeFromNow(at ?? asked));
}
