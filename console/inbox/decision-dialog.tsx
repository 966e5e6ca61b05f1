import { useState } from 'react';
import { isObject } from '../../domain/core/objects/is-object.ts';
import { type Approval, ApprovalContent, type Decision, gistOf, type Outcome, useDecide } from '../approvals/index.ts';
import { parseJson } from '../core/http/parse-json.ts';
import { Problem } from '../core/http/problem.ts';
import { useOwnPermissions } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/current-user.ts';
import { timeFromNow } from '../core/text/times.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { TextAreaField } from '../ui/fields/text-area-field.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showHidden, showInvisible } from '../ui/visible.ts';
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
  const mayEdit = useMayEdit(about.length === 1 ? first : undefined) && approve;
  const [isEditing, setIsEditing] = useState(false);

  const send = async ({ note = '', arguments: edited }: Readonly<Record<string, string>>) => {
    const decision: Decision = {
      approve,
      ...(note.trim() !== '' && { note }),
      ...(edited !== undefined && { arguments: argumentsOf(edited, text) }),
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
                {about.length > 1 && <span className={classes.gist}>{gistOf(approval)}</span>}
              </summary>
              <ApprovalContent approval={approval} />
            </details>
          </li>
        ))}
      </ul>
      <Form
        submitLabel={approve ? text.approve : text.deny}
        onSubmit={send}
        actions={
          mayEdit && (
            <Button onClick={() => setIsEditing(!isEditing)}>
              {isEditing ? text.keepArguments : text.changeArguments}
            </Button>
          )
        }
      >
        {isEditing && first !== undefined && (
          <TextAreaField
            label={text.arguments}
            name="arguments"
            hint={text.changeHint}
            defaultValue={JSON.stringify(first.edited_arguments ?? first.arguments, null, 2)}
          />
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

/**
 * Returns whether the user may change the arguments: the work is done with the rights of the one it runs for. Where
 * another person must approve, nobody approves what they have written.
 */
function useMayEdit(approval: Approval | undefined): boolean {
  const { data: user } = useCurrentUser();
  const { data: permissions } = useOwnPermissions();
  if (approval === undefined || approval.tool === 'agent_spawn' || approval.other_person) return false;
  return approval.user_id === user?.id || permissions?.role === 'owner' || permissions?.role === 'admin';
}

function argumentsOf(json: string, text: InboxText): Record<string, unknown> {
  try {
    const value = parseJson(json);
    if (isObject(value)) return value;
  } catch {
    // Said at the field below, as what is no object is.
  }
  throw new Problem(422, text.notJson, { fields: { arguments: text.notJson } });
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
