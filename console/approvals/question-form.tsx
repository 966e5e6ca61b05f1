import { type ReactNode, useState } from 'react';
import { showHidden } from '../../domain/core/visible.ts';
import { mayAnswer } from '../../domain/questions.ts';
import { useOwnPermissions, useRefusal } from '../core/permissions.ts';
import { useCurrentUser } from '../core/session/session-context.tsx';
import { fullTime } from '../core/text/formats.ts';
import { Button } from '../ui/controls/button.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Field, TextAreaField } from '../ui/fields/text-fields.tsx';
import { useToast } from '../ui/overlays/toast.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './approvals.module.css';
import { type Approval, type Decision, type Question, useDecide } from './queries.ts';
import { useApprovalsText } from './text.ts';

interface QuestionFormProps {
  readonly approval: Approval;
  readonly question: Question;
}

/** Shows a question that waits, and below it what answers it; who is not asked sees who is. */
export function QuestionForm({ approval, question }: QuestionFormProps): ReactNode {
  const text = useApprovalsText();
  const [toast, decide, refusal] = [useToast(), useDecide(), useAnswerRefusal(approval)];
  const [note, setNote] = useState('');
  const { options, default_answer: fallback } = question;
  const send = async (decision: Decision) => {
    const [outcome] = await decide.mutateAsync({
      ids: [approval.id],
      decision: { ...decision, ...(note.trim() !== '' && { note }) },
    });
    if (outcome?.kind === 'failed') throw outcome.problem;
    if (outcome?.kind === 'elsewhere') toast(outcome.problem.message, 'failed');
  };
  return (
    <section className="grid min-w-0" aria-label={text.question}>
      <QuestionText question={question} />
      <p className="soft">{text.fallback(showHidden(fallback), fullTime(approval.expires_at))}</p>
      <Form
        submitLabel={text.answer}
        reason={refusal}
        onSubmit={async ({ answer = '' }) => send({ approve: true, answer })}
        actions={
          <Button
            reason={refusal}
            busy={decide.isPending}
            onClick={() => void send({ approve: false }).catch(({ message }: Error) => toast(message, 'failed'))}
          >
            {text.decline}
          </Button>
        }
      >
        {options === null ? (
          <TextAreaField label={text.answerField} name="answer" required maxLength={4_000} />
        ) : (
          <fieldset className={`grid bare ${classes.options}`}>
            <legend>{text.answerField}</legend>
            {options.map((option) => (
              <label key={option}>
                <input type="radio" name="answer" value={option} required />
                {showHidden(option)}
              </label>
            ))}
          </fieldset>
        )}
        <Field
          label={text.note}
          name="note"
          maxLength={2_000}
          value={note}
          onValueChange={setNote}
          autoComplete="off"
        />
      </Form>
    </section>
  );
}

/** The words of a question as the agent wrote them, and who is asked. */
export function QuestionText({ question }: { readonly question: Question }): ReactNode {
  const text = useApprovalsText();
  const { text: words, user_name: name, role } = question;
  return (
    <>
      <p className="wrap-anywhere pre-wrap">{showHidden(words)}</p>
      {name !== null && <p className="soft">{text.asksUser(showInvisible(name))}</p>}
      {role !== null && <p className="soft">{text.asksRole(role)}</p>}
    </>
  );
}

/** Returns why the signed-in user cannot answer: undefined when they can. */
function useAnswerRefusal({ question, escalated_to: escalatedTo }: Approval): string | undefined {
  const [text, refusal] = [useApprovalsText(), useRefusal('approvals.manage')];
  const [{ data: user }, { data: rights }] = [useCurrentUser(), useOwnPermissions()];
  if (refusal !== undefined || user === undefined || rights === undefined) return refusal;
  const asked = { question: askedOf(question), escalatedTo: askedOf(escalatedTo) };
  return mayAnswer(asked, { userId: user.id, role: rights.role }) ? undefined : text.asksOthers;
}

function askedOf(asked: Pick<Question, 'user_id' | 'role'> | null) {
  return asked && { userId: asked.user_id, role: asked.role };
}
