import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { useRefusal } from '../core/permissions.ts';
import { Button } from '../ui/controls/button.tsx';
import { Field } from '../ui/fields/text-fields.tsx';
import { SaveBlocks, useSaveBlocks } from '../ui/form/save-blocks.ts';
import { useToast } from '../ui/overlays/toast.tsx';
import { Loaded } from '../ui/page/page.tsx';
import { SchemaFields, type SchemaValues } from '../ui/schema-form/schema-fields.tsx';
import { ApprovalContent } from './approval-content.tsx';
import classes from './approvals.module.css';
import { type Approval, useApproval, useApproveRefusal, useDecide, useMayEdit } from './queries.ts';
import { QuestionForm } from './question-form.tsx';
import { useApprovalsText } from './text.ts';

/** Shows a call or a question that waits where it is made, all of it, and below it what decides. */
export function CallDecision({ approvalId }: { readonly approvalId: string }): ReactNode {
  const approval = useApproval(approvalId);
  return (
    <Loaded query={approval}>
      {(data) =>
        data.status === 'pending' &&
        (data.question === null ? (
          <Asked approval={data} />
        ) : (
          <div className={classes.asked}>
            <QuestionForm approval={data} question={data.question} />
          </div>
        ))
      }
    </Loaded>
  );
}

function Asked({ approval }: { readonly approval: Approval }): ReactNode {
  const text = useApprovalsText();
  const [toast, decide, refusal] = [useToast(), useDecide(), useRefusal('approvals.manage')];
  const approveRefusal = useApproveRefusal([approval]);
  const blocks = useSaveBlocks();
  const [editing, setEditing] = useState<ArgumentEditing>();
  // Undefined while none is wanted.
  const [note, setNote] = useState<string>();
  const shown = useRef<HTMLElement>(null);
  useStartInSight(shown);
  const send = (approve: boolean) => {
    const edited = approve ? editing?.edited : undefined;
    const said = note?.trim() ?? '';
    const more = { ...(edited !== undefined && { arguments: edited }), ...(said !== '' && { note: said }) };
    decide.mutate(
      { ids: [approval.id], decision: { approve, ...more } },
      {
        onSuccess: ([outcome]) => {
          if (outcome !== undefined && outcome.kind !== 'decided') toast(outcome.problem.message, 'failed');
        },
        onError: ({ message }) => toast(message, 'failed'),
      },
    );
  };
  return (
    <section ref={shown} className={classes.asked} aria-label={text.content}>
      <ApprovalContent approval={approval} />
      {editing !== undefined && (
        <SaveBlocks value={blocks.form}>
          <ArgumentFields approvalId={approval.id} editing={editing} onChange={setEditing} />
        </SaveBlocks>
      )}
      {note !== undefined && (
        <Field
          label={text.note}
          name="note"
          hint={text.noteHint}
          maxLength={2_000}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- it is shown by the button for it
          autoFocus
          autoComplete="off"
          value={note}
          onValueChange={setNote}
        />
      )}
      <div className="wrap">
        <Button
          variant="primary"
          reason={approveRefusal ?? blocks.reason}
          busy={decide.isPending}
          onClick={() => send(true)}
        >
          {text.approve}
        </Button>
        <Button reason={refusal} busy={decide.isPending} onClick={() => send(false)}>
          {text.deny}
        </Button>
        <ChangeArguments approval={approval} editing={editing} onChange={setEditing} />
        {note === undefined && refusal === undefined && <Button onClick={() => setNote('')}>{text.addNote}</Button>}
      </div>
    </section>
  );
}

/** The arguments of a call while they may be changed. */
export interface ArgumentEditing {
  /** What they were changed to; undefined as long as nothing was, and for a call whose arguments are fixed. */
  readonly edited?: SchemaValues;
}

interface ChangeArgumentsProps {
  readonly approval: Approval;
  /** Undefined while the arguments are kept. */
  readonly editing: ArgumentEditing | undefined;
  readonly onChange: (editing: ArgumentEditing | undefined) => void;
}

/** The button with which arguments are changed, or kept after all; nothing for who may not change them. */
export function ChangeArguments({ approval, editing, onChange }: ChangeArgumentsProps): ReactNode {
  const text = useApprovalsText();
  const isKept = editing === undefined;
  if (!useMayEdit(approval)) return null;
  return <Button onClick={() => onChange(isKept ? {} : undefined)}>{isKept ? text.change : text.keep}</Button>;
}

interface ArgumentFieldsProps {
  readonly approvalId: string;
  readonly editing: ArgumentEditing;
  readonly onChange: (editing: ArgumentEditing) => void;
}

/** The arguments of a call, to be changed: fields as its tool describes them, or JSON where it does not. */
export function ArgumentFields({ approvalId, editing, onChange }: ArgumentFieldsProps): ReactNode {
  const text = useApprovalsText();
  const approval = useApproval(approvalId);
  return (
    <Loaded query={approval}>
      {({ parameters, arguments: given, edited_arguments: former }) =>
        parameters === null ? (
          <p>{text.notEditable}</p>
        ) : (
          <>
            <p>{text.changeHint}</p>
            <SchemaFields
              schema={withPlainNumbers(parameters)}
              name="arguments"
              label={text.arguments}
              values={editing.edited ?? former ?? given}
              onValuesChange={(edited) => onChange({ edited })}
            />
          </>
        )
      }
    </Loaded>
  );
}

/** As far as whoever reads a log may be from its end, which it keeps in sight. */
const NEAR_END_PX = 80;

/**
 * Brings the start of what is higher than the log around it into sight, once it is laid out: a log shows its end, where
 * the buttons are. Leaves alone whoever reads elsewhere in the log.
 */
function useStartInSight(shown: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = shown;
    const log = current?.closest('[role=log]') ?? null;
    // Documents of tests have no layout.
    if (current === null || log === null || typeof ResizeObserver === 'undefined') return undefined;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      // The log goes to its end first.
      frame = requestAnimationFrame(() => {
        const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight <= NEAR_END_PX;
        if (!isAtEnd || current.offsetHeight <= log.clientHeight) return;
        log.scrollBy({ top: current.getBoundingClientRect().top - log.getBoundingClientRect().top });
      });
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [shown]);
}
